// Pipes of Windows. Calls are overlapped: that is how a wait can end at its deadline, and how one thread reads while
// another one writes.

#include "link/pipe_channel.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <system_error>

#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace counterpoint::link {

namespace {

constexpr DWORD wait_milliseconds = 50;  ///< between two checks of the deadline
constexpr DWORD capacity = 1 << 18;      ///< bytes
constexpr std::size_t most_at_once = 1 << 16;

/// One call under way in one direction.
class Transfer {
 public:
  Transfer() : event_(::CreateEventW(nullptr, TRUE, FALSE, nullptr)) {
    if (event_.get() == nullptr) throw_windows_error("cannot wait for a pipe");
  }

  /// Start a call, wait until it is done; returns the bytes moved.
  template <class Call>
  std::size_t run(HANDLE pipe, const Deadline& deadline, const Call& call) {
    OVERLAPPED state{};
    state.hEvent = event_.get();
    if (!call(&state) && ::GetLastError() != ERROR_IO_PENDING) throw_closed();
    while (::WaitForSingleObject(event_.get(), wait_milliseconds) == WAIT_TIMEOUT) {
      if (!deadline.passed()) continue;
      ::CancelIoEx(pipe, &state);
      break;
    }
    DWORD count = 0;
    if (::GetOverlappedResult(pipe, &state, &count, TRUE)) return count;  // it may have been done just before
    if (::GetLastError() == ERROR_OPERATION_ABORTED) throw ChannelTimeout("no answer in time");
    throw_closed();
  }

 private:
  [[noreturn]] static void throw_closed() {
    throw ChannelClosed("the other end is gone: " + std::system_category().message(static_cast<int>(::GetLastError())));
  }

  Handle event_;
};

class PipeChannel final : public Channel {
 public:
  PipeChannel(Handle pipe, std::string peer) : pipe_(std::move(pipe)), peer_(std::move(peer)) {}
  const std::string& peer() const override { return peer_; }

  void write(const void* data, std::size_t size, const Deadline& deadline) override {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
      const auto some = static_cast<DWORD>(std::min(size, most_at_once));
      const std::size_t count = writing_.run(pipe_.get(), deadline, [&](OVERLAPPED* state) {
        return ::WriteFile(pipe_.get(), from, some, nullptr, state);
      });
      from += count;
      size -= count;
    }
  }

  std::size_t read(void* data, std::size_t most, const Deadline& deadline) override {
    const auto some = static_cast<DWORD>(std::min(most, most_at_once));
    std::size_t count = 0;
    while (count == 0) {  // a write of nothing by the other end
      count = reading_.run(pipe_.get(), deadline,
                           [&](OVERLAPPED* state) { return ::ReadFile(pipe_.get(), data, some, nullptr, state); });
    }
    return count;
  }

 private:
  Handle pipe_;
  std::string peer_;
  Transfer reading_;
  Transfer writing_;
};

}  // namespace

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    if (handle_ != nullptr) ::CloseHandle(handle_);
    handle_ = other.release();
  }
  return *this;
}

Handle::~Handle() {
  if (handle_ != nullptr) ::CloseHandle(handle_);
}

void throw_windows_error(const std::string& what) {
  throw std::runtime_error(what + ": " + std::system_category().message(static_cast<int>(::GetLastError())));
}

std::pair<Handle, Handle> make_pipe() {
  static std::atomic<unsigned> made{0};
  const std::wstring name = L"\\\\.\\pipe\\counterpoint-" + std::to_wstring(::GetCurrentProcessId()) + L"-" +
                            std::to_wstring(::GetTickCount64()) + L"-" + std::to_wstring(++made);
  // Both ends are opened here: no other program gets in between.
  const DWORD kind = PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE;
  const HANDLE first = ::CreateNamedPipeW(name.c_str(), kind, PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, capacity,
                                          capacity, 0, nullptr);
  if (first == INVALID_HANDLE_VALUE) throw_windows_error("cannot create a pipe");
  Handle ours(first);
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const HANDLE second = ::CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, &inherited, OPEN_EXISTING,
                                      FILE_FLAG_OVERLAPPED, nullptr);
  if (second == INVALID_HANDLE_VALUE) throw_windows_error("cannot open a pipe");
  return {std::move(ours), Handle(second)};
}

ChannelPointer make_pipe_channel(Handle pipe, std::string peer) {
  return std::make_unique<PipeChannel>(std::move(pipe), std::move(peer));
}

}  // namespace counterpoint::link
