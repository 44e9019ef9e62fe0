#pragma once

#include "link/channel.hpp"

namespace counterpoint::link {

/// A handle of Windows that is closed at the end.
class Handle {
 public:
  Handle() = default;
  explicit Handle(void* handle) : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();

  void* get() const { return handle_; }
  void* release() {
    void* const handle = handle_;
    handle_ = nullptr;
    return handle;
  }

 private:
  void* handle_ = nullptr;
};

/// `what: ` and the text of the last error of Windows.
[[noreturn]] void throw_windows_error(const std::string& what);

/// The two ends of a pipe that carries bytes both ways; child processes may inherit the second one.
std::pair<Handle, Handle> make_pipe();

/// A channel over an end of such a pipe.
ChannelPointer make_pipe_channel(Handle pipe, std::string peer);

}  // namespace counterpoint::link
