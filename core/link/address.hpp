#pragma once

#include <string>

struct in_addr;
struct in6_addr;

namespace counterpoint::link {

/// How bytes travel.
enum class Transport { tcp, unix_socket, memory };

/// Where an end of a link waits: `tcp://host:port`, `unix:///path` or `shm:///path` (shared memory, agreed on at a
/// socket of that path). A port of 0 takes any free one.
struct Address {
  /// Throws UserError that says what is allowed.
  static Address parse(const std::string& text);
  std::string text() const;
  /// Whether it can be reached from this computer only: a path, `localhost`, or a number of the loopback interface.
  bool is_local() const;

  Transport transport = Transport::tcp;
  std::string host;  ///< name or number, without brackets
  int port = 0;
  std::string path;
};

/// Whether a number belongs to the loopback interface.
bool is_loopback(const in_addr& number);
bool is_loopback(const in6_addr& number);

}  // namespace counterpoint::link
