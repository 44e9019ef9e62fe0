#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "link/network.hpp"

namespace counterpoint::link {

namespace {

/// Numbers of sockets are small: Windows itself keeps to 32 bits of handles.
Descriptor owned(SOCKET socket) {
  if (socket == INVALID_SOCKET) return {};
  ::SetHandleInformation(reinterpret_cast<HANDLE>(socket), HANDLE_FLAG_INHERIT, 0);
  return Descriptor(static_cast<int>(socket));
}

SOCKET listening_socket(sockaddr_in& place) {
  const SOCKET listening = ::socket(AF_INET, SOCK_STREAM, 0);
  place = {};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int size = sizeof place;
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  const bool done = ::bind(listening, address, size) == 0 && ::listen(listening, 1) == 0 &&
                    ::getsockname(listening, address, &size) == 0;
  if (!done) throw_network_error("cannot create a socket");
  return listening;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) ::closesocket(static_cast<SOCKET>(number_));
    number_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::closesocket(static_cast<SOCKET>(number_));
}

int this_process() { return static_cast<int>(::GetCurrentProcessId()); }

void throw_errno(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

void start_network() {
  static const int error = [] {
    WSADATA about;
    return ::WSAStartup(MAKEWORD(2, 2), &about);
  }();
  if (error != 0) throw std::runtime_error("sockets cannot be used: " + text_of_network_error(error));
}

int last_network_error() { return ::WSAGetLastError(); }
std::string text_of_network_error(int number) { return std::system_category().message(number); }
void throw_network_error(const std::string& what) {
  throw std::runtime_error(what + ": " + text_of_network_error(last_network_error()));
}
bool is_to_be_repeated(int error) { return error == WSAEWOULDBLOCK || error == WSAEINTR; }

Descriptor make_socket(int family) {
  start_network();
  Descriptor socket = owned(::socket(family, SOCK_STREAM, 0));
  if (!socket.open()) throw_network_error("cannot create a socket");
  return socket;
}

Descriptor accept_connection(int listening, sockaddr_storage& other, socklen_t& size) {
  return owned(::accept(static_cast<SOCKET>(listening), reinterpret_cast<sockaddr*>(&other), &size));
}

/// Windows has no such pairs: one end listens for the other.
std::pair<Descriptor, Descriptor> make_connected_sockets() {
  start_network();
  sockaddr_in place{};
  const Descriptor listening = owned(listening_socket(place));
  Descriptor near_end = make_socket(AF_INET);
  const auto* const address = reinterpret_cast<const sockaddr*>(&place);
  if (::connect(static_cast<SOCKET>(near_end.get()), address, sizeof place) != 0)
    throw_network_error("cannot connect two sockets");
  sockaddr_storage other{};
  socklen_t size = sizeof other;
  Descriptor far_end = accept_connection(listening.get(), other, size);
  if (!far_end.open()) throw_network_error("cannot connect two sockets");
  return {std::move(near_end), std::move(far_end)};
}

bool wait_for(int socket, short event) {
  WSAPOLLFD entry{static_cast<SOCKET>(socket), event, 0};
  return ::WSAPoll(&entry, 1, poll_milliseconds) > 0;
}

// A call that ended by SO_RCVTIMEO may have lost bytes here: calls do not wait, `wait_for` does.
void limit_waits(int socket) {
  u_long yes = 1;
  ::ioctlsocket(static_cast<SOCKET>(socket), static_cast<long>(FIONBIO), &yes);
}

void limit_connecting(int, int) {}  // Windows gives up after some 20 s

std::ptrdiff_t send_bytes(int socket, const char* data, std::size_t size) {
  const auto some = static_cast<int>(std::min<std::size_t>(size, 1 << 20));
  const int count = ::send(static_cast<SOCKET>(socket), data, some, 0);
  if (count < 0 && last_network_error() == WSAEWOULDBLOCK) {
    wait_for(socket, POLLWRNORM);
    ::WSASetLastError(WSAEWOULDBLOCK);
  }
  return count;
}

std::ptrdiff_t receive_bytes(int socket, char* data, std::size_t most) {
  std::ptrdiff_t count = receive_at_once(socket, data, most);
  if (count < 0 && last_network_error() == WSAEWOULDBLOCK) {
    wait_for(socket, POLLRDNORM);
    count = receive_at_once(socket, data, most);
  }
  return count;
}

std::ptrdiff_t receive_at_once(int socket, char* data, std::size_t most) {
  const auto some = static_cast<int>(std::min<std::size_t>(most, 1 << 20));
  return ::recv(static_cast<SOCKET>(socket), data, some, 0);
}

void end_connection(int socket) { ::shutdown(static_cast<SOCKET>(socket), SD_BOTH); }

}  // namespace counterpoint::link
