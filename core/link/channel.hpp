#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace counterpoint::link {

/// The moment until which something is waited for.
class Deadline {
 public:
  using clock = std::chrono::steady_clock;

  static Deadline never() { return Deadline(clock::time_point::max()); }
  /// That many seconds from now; infinity and more than a year are never.
  static Deadline in(double seconds) {
    if (!(seconds < 3e7)) return never();
    return Deadline(clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds)));
  }
  /// That many seconds from when it is first looked at: who does not have to wait does not ask the clock.
  static Deadline from_first_wait(double seconds) {
    Deadline made = never();
    made.allowed_ = seconds;
    return made;
  }
  static Deadline earlier(const Deadline& a, const Deadline& b) { return a.at_ < b.at_ ? a : b; }
  bool passed() const {
    if (allowed_ > 0.0) at_ = in(std::exchange(allowed_, 0.0)).at_;
    return at_ != clock::time_point::max() && clock::now() >= at_;
  }

 private:
  explicit Deadline(clock::time_point at) : at_(at) {}
  mutable clock::time_point at_;
  mutable double allowed_ = 0.0;  ///< s, as long as it has not been looked at
};

/// The other end is gone: its process died, or it closed the connection.
class ChannelClosed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The other end is silent for longer than agreed.
class ChannelTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One end of a connection that carries bytes both ways, in order.
///
/// Contract for implementers:
///  1. `write` returns when all bytes are on their way, `read` when at least one byte has come; it returns how many.
///  2. Both throw ChannelTimeout when the deadline passes before, and ChannelClosed when the other end is gone. What
///  the
///     other end wrote before is still read. A wait notices both within 100 ms.
///  3. One thread may read while another one writes.
///  4. Destroying an end closes it for both.
///  5. Nothing that the other end does, whatever bytes it writes, harms this process.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual void write(const void* data, std::size_t size, const Deadline& deadline) = 0;
  virtual std::size_t read(void* data, std::size_t most, const Deadline& deadline) = 0;
  /// Name of the other end, for messages.
  virtual const std::string& peer() const = 0;
};

using ChannelPointer = std::unique_ptr<Channel>;

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }

 private:
  int number_ = -1;
};

/// The number of this process: forked copies have others.
int this_process();

/// `what: ` and the text of errno.
[[noreturn]] void throw_errno(const std::string& what);

}  // namespace counterpoint::link
