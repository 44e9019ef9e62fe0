#pragma once

#include <string>

namespace counterpoint::link {

/// Where an end of a link waits: `tcp://host:port`, `unix:///path` or `shm:///path` (shared memory, agreed on at a
/// socket of that path). A port of 0 takes any free one.
struct Address {
  enum class Kind { tcp, unix_socket, memory };

  /// Throws std::invalid_argument that says what is allowed.
  static Address parse(const std::string& text);
  std::string text() const;
  /// Whether it can be reached from this computer only.
  bool is_local() const;

  Kind kind = Kind::tcp;
  std::string host;  ///< name or number, without brackets
  int port = 0;
  std::string path;
};

}  // namespace counterpoint::link
