#include "link/address.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "check.hpp"
#include "link/network.hpp"
#if !defined(_WIN32)
#include <arpa/inet.h>
#include <sys/un.h>
#endif

namespace counterpoint::link {

namespace {

#if defined(_WIN32)
constexpr std::size_t max_path = 0;
constexpr bool has_paths = false;
#else
constexpr std::size_t max_path = sizeof(sockaddr_un::sun_path) - 1;
constexpr bool has_paths = true;
#endif
#if defined(__linux__)
constexpr bool has_memory = true;
#else
constexpr bool has_memory = false;
#endif

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw UserError("\"" + text + "\": " + why + "; write tcp://host:port, unix:///path or shm:///path");
}

Address parse_path(Transport transport, const std::string& path, const std::string& text) {
  if (!has_paths) throw UserError("\"" + text + "\": Windows has no sockets at paths; write tcp://127.0.0.1:port");
  if (transport == Transport::memory && !has_memory)
    throw UserError("\"" + text + "\": shared memory of links needs Linux; write unix://" + path);
  if (path.empty() || path.front() != '/') refuse(text, "expected an absolute path");
  if (path.size() > max_path || path.find('\0') != std::string::npos) {
    refuse(text, "the path of a socket has at most " + std::to_string(max_path) + " bytes");
  }
  Address address;
  address.transport = transport;
  address.path = path;
  return address;
}

/// A name or number of a host and nothing that another parser could read as user, path or end of the text.
bool is_host(const std::string& host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return c > 0x20 && c != 0x7f && std::strchr("@/\\?#[]\"'", c) == nullptr;
  });
}

}  // namespace

Address Address::parse(const std::string& text) {
  const std::size_t end = text.find("://");
  const std::string scheme = text.substr(0, end);
  const std::string rest = end == std::string::npos ? "" : text.substr(end + 3);
  if (scheme == "unix") return parse_path(Transport::unix_socket, rest, text);
  if (scheme == "shm") return parse_path(Transport::memory, rest, text);
  if (scheme != "tcp") refuse(text, "is not the address of a link");
  const std::size_t colon = rest.rfind(':');
  Address address;
  address.host = rest.substr(0, colon);
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const char* const last = rest.data() + rest.size();
  const char* const first = colon == std::string::npos ? last : rest.data() + colon + 1;
  const auto [stop, error] = std::from_chars(first, last, address.port);
  if (!is_host(address.host) || first == last || error != std::errc() || stop != last || address.port < 0 ||
      address.port > 65535) {
    refuse(text, "expected a host and a port from 0 to 65535");
  }
  return address;
}

std::string Address::text() const {
  switch (transport) {
    case Transport::unix_socket:
      return "unix://" + path;
    case Transport::memory:
      return "shm://" + path;
    case Transport::tcp:
      break;
  }
  const bool brackets = host.find(':') != std::string::npos;
  return "tcp://" + (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

/// Only numbers in their standard form are looked at: what else a resolver may take for 127.0.0.1 (`127.1`, `0x7f.1`,
/// `localhost.`) depends on the system, and a name that begins like a number may be registered by anyone.
bool Address::is_local() const {
  if (transport != Transport::tcp || host == "localhost") return true;
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return is_loopback(four);
  in6_addr six{};
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && is_loopback(six);
}

bool is_loopback(const in_addr& number) { return ntohl(number.s_addr) >> 24 == 127; }

bool is_loopback(const in6_addr& number) {
  return IN6_IS_ADDR_LOOPBACK(&number) || (IN6_IS_ADDR_V4MAPPED(&number) && number.s6_addr[12] == 127);
}

}  // namespace counterpoint::link
