// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/protocol.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace shadowvm::vkernel {
namespace {

constexpr uint32_t kMagic = 0x4b4d5653;  // "SVMK"

// What stands before the payload: for each part its length as u64 and its bytes.
struct FrameHeader {
  uint32_t magic;
  uint32_t kind;
  uint32_t num_parts;
  uint32_t reserved;
  uint64_t payload_bytes;
};

// Waits until the socket can be read or written.
FrameResult Await(int socket, short events, Deadline deadline) {
  for (;;) {
    int wait_ms = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          *deadline - std::chrono::steady_clock::now());
      wait_ms = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
    }
    pollfd poll_entry{socket, events, 0};
    const int ready = ::poll(&poll_entry, 1, wait_ms);
    if (ready > 0) return FrameResult::kOk;
    if (ready == 0) return FrameResult::kTimeout;
    if (errno != EINTR) return FrameResult::kClosed;
  }
}

// Moves exactly `size` bytes with recv or send, whichever `move` calls; it returns as they do.
template <typename Move>
FrameResult MoveAll(int socket, short events, size_t size, Deadline deadline, Move move) {
  for (size_t done = 0; done < size;) {
    const ssize_t moved = move(done, size - done);
    if (moved > 0) {
      done += static_cast<size_t>(moved);
    } else if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      const FrameResult awaited = Await(socket, events, deadline);
      if (awaited != FrameResult::kOk) return awaited;
    } else if (moved == 0 || errno != EINTR) {
      return FrameResult::kClosed;
    }
  }
  return FrameResult::kOk;
}

FrameResult Receive(int socket, void* bytes, size_t size, Deadline deadline) {
  return MoveAll(socket, POLLIN, size, deadline, [&](size_t done, size_t left) {
    return ::recv(socket, static_cast<char*>(bytes) + done, left, MSG_DONTWAIT);
  });
}

FrameResult Send(int socket, const void* bytes, size_t size, Deadline deadline) {
  return MoveAll(socket, POLLOUT, size, deadline, [&](size_t done, size_t left) {
    return ::send(socket, static_cast<const char*>(bytes) + done, left,
                  MSG_DONTWAIT | MSG_NOSIGNAL);
  });
}

// Cuts a payload into its parts; false if the lengths do not fill it exactly.
bool Cut(const std::string& payload, uint32_t num_parts, std::vector<std::string>* parts) {
  size_t at = 0;
  for (uint32_t i = 0; i < num_parts; ++i) {
    uint64_t length;
    if (payload.size() - at < sizeof length) return false;
    std::memcpy(&length, payload.data() + at, sizeof length);
    at += sizeof length;
    if (payload.size() - at < length) return false;
    parts->emplace_back(payload, at, length);
    at += length;
  }
  return at == payload.size();
}

}  // namespace

FrameResult WriteFrame(int socket, const Frame& frame, Deadline deadline) {
  std::string bytes(sizeof(FrameHeader), '\0');
  for (const std::string& part : frame.parts) {
    const uint64_t length = part.size();
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes.append(part);
  }
  const FrameHeader header{kMagic, static_cast<uint32_t>(frame.kind),
                           static_cast<uint32_t>(frame.parts.size()), 0,
                           bytes.size() - sizeof(FrameHeader)};
  if (header.payload_bytes > kMaxFrameBytes || frame.parts.size() > kMaxFrameParts) {
    return FrameResult::kMalformed;
  }
  std::memcpy(bytes.data(), &header, sizeof header);
  return Send(socket, bytes.data(), bytes.size(), deadline);
}

FrameResult ReadFrame(int socket, Frame* frame, Deadline deadline) {
  FrameHeader header;
  FrameResult read = Receive(socket, &header, sizeof header, deadline);
  if (read != FrameResult::kOk) return read;
  if (header.magic != kMagic || header.payload_bytes > kMaxFrameBytes ||
      header.num_parts > kMaxFrameParts) {
    return FrameResult::kMalformed;
  }
  std::string payload(header.payload_bytes, '\0');
  read = Receive(socket, payload.data(), payload.size(), deadline);
  if (read != FrameResult::kOk) return read;
  frame->kind = static_cast<FrameKind>(header.kind);
  frame->parts.clear();
  return Cut(payload, header.num_parts, &frame->parts) ? FrameResult::kOk : FrameResult::kMalformed;
}

}  // namespace shadowvm::vkernel
