#include "link/address.hpp"

#include <sys/un.h>

#include <charconv>
#include <stdexcept>

#include "check.hpp"

namespace counterpoint::link {

namespace {

constexpr std::size_t max_path = sizeof(sockaddr_un::sun_path) - 1;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw UserError("\"" + text + "\": " + why + "; write tcp://host:port, unix:///path or shm:///path");
}

Address parse_path(Transport transport, const std::string& path, const std::string& text) {
  if (path.empty() || path.front() != '/') refuse(text, "expected an absolute path");
  if (path.size() > max_path || path.find('\0') != std::string::npos) {
    refuse(text, "the path of a socket has at most " + std::to_string(max_path) + " bytes");
  }
  Address address;
  address.transport = transport;
  address.path = path;
  return address;
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
  if (address.host.empty() || first == last || error != std::errc() || stop != last || address.port < 0 ||
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

bool Address::is_local() const {
  return transport != Transport::tcp || host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

}  // namespace counterpoint::link
