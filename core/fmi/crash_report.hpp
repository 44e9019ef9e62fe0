#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace counterpoint::fmi {

/// A line for the standard error, made and written with nothing that a signal handler must not use.
class CrashReport {
 public:
  CrashReport& add(const char* text) {
    const std::size_t room = sizeof text_ - size_;
    const std::size_t length = std::strlen(text) < room ? std::strlen(text) : room;
    std::memcpy(text_ + size_, text, length);
    size_ += length;
    return *this;
  }

  /// With six decimals, without zeros at the end.
  CrashReport& add_number(double value) {
    if (!(std::fabs(value) < 1e12)) return add("(not a time)");
    if (value < 0.0) add("-");
    unsigned long long millionths = static_cast<unsigned long long>(std::fabs(value) * 1e6 + 0.5);
    int decimals = 6;
    for (; decimals > 0 && millionths % 10 == 0; --decimals) millionths /= 10;
    char digits[32];
    char* place = digits + sizeof digits;
    *--place = '\0';
    for (int k = 0; millionths > 0 || k <= decimals; ++k, millionths /= 10) {
      if (k == decimals && decimals > 0) *--place = '.';
      *--place = static_cast<char>('0' + millionths % 10);
    }
    return add(place);
  }

  void write() {
#if !defined(_WIN32)
    for (std::size_t done = 0; done < size_;) {
      const ssize_t now = ::write(2, text_ + done, size_ - done);
      if (now <= 0) break;
      done += static_cast<std::size_t>(now);
    }
#endif
    size_ = 0;
  }

 private:
  char text_[1024];
  std::size_t size_ = 0;
};

}  // namespace counterpoint::fmi
