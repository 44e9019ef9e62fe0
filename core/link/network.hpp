#pragma once

// What links need of sockets, under one set of names. For source files only: the headers of Windows define macros.

#if defined(_WIN32)
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#endif

#include <cstddef>
#include <string>
#include <utility>

#include "link/channel.hpp"

namespace counterpoint::link {

constexpr int poll_milliseconds = 50;  ///< longest time that a call waits: deadlines are checked in between

#if defined(_WIN32)
namespace network_error {
constexpr int refused = WSAECONNREFUSED, interrupted = WSAEINTR, timed_out = WSAETIMEDOUT, no_path = WSAEHOSTUNREACH,
              in_progress = WSAEINPROGRESS;
}
/// An address is free as soon as the program before has ended, and for one program at a time.
constexpr int option_of_listeners = SO_EXCLUSIVEADDRUSE;
#else
namespace network_error {
constexpr int refused = ECONNREFUSED, interrupted = EINTR, timed_out = ETIMEDOUT, no_path = EHOSTUNREACH,
              in_progress = EINPROGRESS;
}
constexpr int option_of_listeners = SO_REUSEADDR;
#endif

/// To be called before anything else: Windows asks for it.
void start_network();

/// The number of the last error at a socket, and its text.
int last_network_error();
std::string text_of_network_error(int number);
[[noreturn]] void throw_network_error(const std::string& what);
/// The call could not do anything yet, or a signal came in between.
bool is_to_be_repeated(int error);

/// A stream socket that child processes do not inherit.
Descriptor make_socket(int family);
/// The peer that has connected; not open if it has disconnected.
Descriptor accept_connection(int listening, sockaddr_storage& other, socklen_t& size);
/// Two sockets that lead to each other.
std::pair<Descriptor, Descriptor> make_connected_sockets();
template <class Value>
void set_socket_option(int socket, int level, int option, const Value& value) {
  ::setsockopt(socket, level, option, reinterpret_cast<const char*>(&value), sizeof value);
}

/// Wait for an event at a socket; false when there was none within one poll interval.
bool wait_for(int socket, short event);
/// From here on, calls of this socket come back after one poll interval.
void limit_waits(int socket);
/// A host that does not answer at all is given up after so many seconds, where the system can do that.
void limit_connecting(int socket, int seconds);
/// Bytes sent or received, 0 for a closed connection, less for an error.
std::ptrdiff_t send_bytes(int socket, const char* data, std::size_t size);
std::ptrdiff_t receive_bytes(int socket, char* data, std::size_t most);
/// The same for what is there already.
std::ptrdiff_t receive_at_once(int socket, char* data, std::size_t most);
void end_connection(int socket);

}  // namespace counterpoint::link
