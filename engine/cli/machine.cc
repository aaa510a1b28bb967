// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace shadowvm::cli {
namespace {

std::string FirstLine(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::vector<std::string> SimdFlags() {
  std::vector<std::string> flags;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) flags.emplace_back("avx2");
  if (__builtin_cpu_supports("avx512f")) flags.emplace_back("avx512f");
  if (__builtin_cpu_supports("avx512bw")) flags.emplace_back("avx512bw");
  if (__builtin_cpu_supports("avx512vl")) flags.emplace_back("avx512vl");
  if (__builtin_cpu_supports("avx512vbmi2")) flags.emplace_back("avx512vbmi2");
#elif defined(__aarch64__)
  flags.emplace_back("neon");
#endif
  return flags;
}

// "266240K" or "32M", as the kernel writes cache sizes.
int64_t CacheBytes(const std::string& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return 0;
  const int64_t number = std::stoll(text);
  return text.back() == 'M' ? number << 20 : number << 10;
}

// "always [madvise] never": the chosen word stands in brackets.
std::string HugePages() {
  const std::string line = FirstLine("/sys/kernel/mm/transparent_hugepage/enabled");
  const auto open = line.find('[');
  const auto close = line.find(']');
  if (open == std::string::npos || close == std::string::npos) return "unknown";
  return line.substr(open + 1, close - open - 1);
}

std::string KernelRelease() {
  utsname names;
  return ::uname(&names) == 0 ? std::string(names.sysname) + " " + names.release : "unknown";
}

}  // namespace

int NumUsableCores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Machine DescribeMachine() {
  Machine machine;
  machine.cpu_model = CpuModel();
  machine.cores = NumUsableCores();
  machine.memory_bytes = static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE);
  machine.simd = SimdFlags();
  machine.kernel = KernelRelease();
  machine.l3_bytes = CacheBytes(FirstLine("/sys/devices/system/cpu/cpu0/cache/index3/size"));
  machine.huge_pages = HugePages();
  return machine;
}

nlohmann::json ToJson(const Machine& machine) {
  return {{"cpu", machine.cpu_model},
          {"cores", machine.cores},
          {"memory_bytes", machine.memory_bytes},
          {"simd", machine.simd},
          {"kernel", machine.kernel},
          {"l3_bytes", machine.l3_bytes},
          {"huge_pages", machine.huge_pages}};
}

}  // namespace shadowvm::cli
