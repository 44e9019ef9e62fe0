#pragma once

#include <utility>

#include "link/address.hpp"
#include "link/channel.hpp"

namespace counterpoint::link {

/// A channel over a connected stream socket.
ChannelPointer make_socket_channel(Descriptor socket, std::string peer);

/// Two channels that lead to each other.
std::pair<ChannelPointer, ChannelPointer> make_socket_pair();

/// Connect to a program that listens; tries again until the deadline while none does.
ChannelPointer connect(const Address& address, const Deadline& deadline);

/// A program that has connected and sent nothing yet.
struct PendingConnection {
  Descriptor socket;
  Transport transport = Transport::tcp;
  std::string name;
};

/// The channel of a pending connection; with shared memory this waits until the memory was sent.
ChannelPointer open(PendingConnection pending, const Deadline& deadline);

/// Waits for connections at an address. A socket at a path is for its owner only, and is removed at the end.
class Listener {
 public:
  /// Throws std::runtime_error with the address and what to do, e.g. when it is in use.
  explicit Listener(const Address& address);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Where it listens, with the port that was chosen.
  const Address& address() const { return address_; }
  /// Throws ChannelTimeout when no program connects.
  PendingConnection accept(const Deadline& deadline);

 private:
  void listen_at_port();

  Address address_;
  Descriptor socket_;
};

}  // namespace counterpoint::link
