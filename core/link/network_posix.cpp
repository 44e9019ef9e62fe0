#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "link/network.hpp"

namespace counterpoint::link {

namespace {

#if defined(__linux__)
constexpr int without_signal = MSG_NOSIGNAL;
constexpr int not_inherited = SOCK_CLOEXEC;
void keep_to_this_process(int) {}
#else  // macOS has no such flags
constexpr int without_signal = 0;
constexpr int not_inherited = 0;
void keep_to_this_process(int socket) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  set_socket_option(socket, SOL_SOCKET, SO_NOSIGPIPE, 1);
}
#endif

}  // namespace

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

int this_process() { return ::getpid(); }

void throw_errno(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

void start_network() {}

int last_network_error() { return errno; }
std::string text_of_network_error(int number) { return std::strerror(number); }
void throw_network_error(const std::string& what) { throw_errno(what); }
bool is_to_be_repeated(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

Descriptor make_socket(int family) {
  Descriptor socket(::socket(family, SOCK_STREAM | not_inherited, 0));
  if (!socket.open()) throw_errno("cannot create a socket");
  keep_to_this_process(socket.get());
  return socket;
}

Descriptor accept_connection(int listening, sockaddr_storage& other, socklen_t& size) {
#if defined(__linux__)
  return Descriptor(::accept4(listening, reinterpret_cast<sockaddr*>(&other), &size, SOCK_CLOEXEC));
#else
  Descriptor socket(::accept(listening, reinterpret_cast<sockaddr*>(&other), &size));
  if (socket.open()) keep_to_this_process(socket.get());
  return socket;
#endif
}

std::pair<Descriptor, Descriptor> make_connected_sockets() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | not_inherited, 0, ends) != 0) throw_errno("cannot create a socket");
  for (const int end : ends) keep_to_this_process(end);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool wait_for(int socket, short event) {
  pollfd entry{socket, event, 0};
  return ::poll(&entry, 1, poll_milliseconds) > 0;
}

// A blocking call that ends by itself now and then costs one system call where poll and a call cost two.
void limit_waits(int socket) {
  const timeval interval{0, poll_milliseconds * 1000};
  set_socket_option(socket, SOL_SOCKET, SO_RCVTIMEO, interval);
  set_socket_option(socket, SOL_SOCKET, SO_SNDTIMEO, interval);
}

void limit_connecting(int socket, int seconds) {
  set_socket_option(socket, SOL_SOCKET, SO_SNDTIMEO, timeval{seconds, 0});
}

std::ptrdiff_t send_bytes(int socket, const char* data, std::size_t size) {
  return ::send(socket, data, size, without_signal);
}

std::ptrdiff_t receive_bytes(int socket, char* data, std::size_t most) { return ::recv(socket, data, most, 0); }

std::ptrdiff_t receive_at_once(int socket, char* data, std::size_t most) {
  return ::recv(socket, data, most, MSG_DONTWAIT);
}

void end_connection(int socket) { ::shutdown(socket, SHUT_RDWR); }

}  // namespace counterpoint::link
