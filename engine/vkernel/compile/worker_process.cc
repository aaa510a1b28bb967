// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker_process.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "engine/base/fault.h"

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;

Frame HeadersFrame(const std::string& prelude, const HeaderSet& headers) {
  Frame frame{FrameKind::kHeaders, {prelude}};
  for (const kernels::EmbeddedHeader& header : headers.headers) {
    frame.parts.emplace_back(header.path);
    frame.parts.emplace_back(header.text);
  }
  return frame;
}

// The worker needs its libraries found and room for temporary files, nothing else of our
// environment.
std::vector<std::string> WorkerEnvironment() {
  std::vector<std::string> environment;
  for (const char* name : {"LD_LIBRARY_PATH", "TMPDIR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const WorkerSpec& spec,
                                                            const HeaderSet& headers,
                                                            TimePoint deadline) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return MakeError(ErrorCode::kNoCompiler, std::string("socketpair: ") + std::strerror(errno));
  }
  FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  FileDescriptor errors(::memfd_create("compiler-errors", MFD_CLOEXEC));
  const ProcessSpec started{spec.program, spec.arguments, WorkerEnvironment(), theirs.get(),
                            -1,           errors.get()};
  SVM_ASSIGN_OR_RETURN(Process process, Process::Start(started));
  theirs.Close();
  std::unique_ptr<WorkerProcess> worker(
      new WorkerProcess(spec.target, std::move(process), std::move(ours), std::move(errors)));
  const FrameResult sent =
      WriteFrame(worker->socket_.get(), HeadersFrame(spec.prelude, headers), deadline);
  SVM_RETURN_NOT_OK(worker->Check(sent, "starting"));
  return worker;
}

Status WorkerProcess::AwaitReady(TimePoint deadline) {
  if (ready_) return Status::OK();
  Frame reply;
  SVM_RETURN_NOT_OK(Check(ReadFrame(socket_.get(), &reply, deadline), "starting"));
  if (reply.kind != FrameKind::kReady) return Check(FrameResult::kMalformed, "starting");
  ready_ = true;
  return Status::OK();
}

Status WorkerProcess::UseLibrary(const std::string& object, TimePoint deadline) {
  if (has_library_) return Status::OK();
  SVM_RETURN_NOT_OK(AwaitReady(deadline));
  const FrameResult sent = WriteFrame(socket_.get(), {FrameKind::kLibrary, {object}}, deadline);
  SVM_RETURN_NOT_OK(Check(sent, "taking the verb library"));
  has_library_ = true;
  return Status::OK();
}

Result<CompiledObject> WorkerProcess::Compile(const CompileRequest& request, TimePoint deadline) {
  SVM_FAULT_POINT("compile.run");
  SVM_RETURN_NOT_OK(AwaitReady(deadline));
  const std::string doing = "compiling kernel '" + request.name + "'";
  Frame frame{FrameKind::kCompile,
              {target_, std::string(NameOf(request.level)), request.name, request.text}};
  ++num_compiles_;
  SVM_RETURN_NOT_OK(Check(WriteFrame(socket_.get(), frame, deadline), doing));
  SVM_RETURN_NOT_OK(Check(ReadFrame(socket_.get(), &frame, deadline), doing));
  if (frame.kind == FrameKind::kFailed && frame.parts.size() == 1) {
    return CompileError(ErrorCode::kCompileFailed, request.name, frame.parts[0]);
  }
  if (frame.kind != FrameKind::kObject || frame.parts.size() != 3) {
    return Check(FrameResult::kMalformed, doing);
  }
  return CompiledObject{std::move(frame.parts[0]), std::move(frame.parts[1]),
                        std::atof(frame.parts[2].c_str())};
}

Status WorkerProcess::Check(FrameResult result, const std::string& doing) {
  switch (result) {
    case FrameResult::kOk:
      return Status::OK();
    case FrameResult::kTimeout:
      return MakeError(ErrorCode::kCompilerTimeout, "compile worker, while " + doing);
    case FrameResult::kMalformed:
      return MakeError(ErrorCode::kCompilerCrashed, "compile worker sent nonsense while " + doing);
    case FrameResult::kClosed:
      break;
  }
  const auto status =
      process_.WaitUntil(std::chrono::steady_clock::now() + std::chrono::seconds(1));
  std::string message = "compile worker, while " + doing;
  if (status) message += ": " + DescribeExit(*status);
  return MakeError(ErrorCode::kCompilerCrashed, message + LastWords());
}

std::string WorkerProcess::LastWords() const {
  struct stat found;
  if (!errors_.valid() || ::fstat(errors_.get(), &found) != 0 || found.st_size == 0) return "";
  std::string words(std::min<size_t>(static_cast<size_t>(found.st_size), 4096), '\0');
  const ssize_t got = ::pread(errors_.get(), words.data(), words.size(), 0);
  words.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return "\n" + words;
}

}  // namespace shadowvm::vkernel
