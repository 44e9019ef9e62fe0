#include "link/channel.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace counterpoint::link {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) ::close(number_);
    number_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

void throw_errno(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

}  // namespace counterpoint::link
