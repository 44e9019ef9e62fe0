#pragma once

#include <string>

namespace counterpoint::link {

/// How bytes travel.
enum class Transport { tcp, unix_socket, memory };

/// Where an end of a link waits: `tcp://host:port`, `unix:///path` or `shm:///path` (shared memory, agreed on at a
/// socket of that path). A port of 0 takes any free one.
struct Address {
  /// Throws UserError that says what is allowed.
  static Address parse(const std::string& text);
  std::string text() const;
  /// Whether it can be reached from this computer only.
  bool is_local() const;

  Transport transport = Transport::tcp;
  std::string host;  ///< name or number, without brackets
  int port = 0;
  std::string path;
};

}  // namespace counterpoint::link
