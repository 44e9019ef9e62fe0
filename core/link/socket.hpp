#pragma once

#include <utility>

#include "link/address.hpp"
#include "link/channel.hpp"

namespace counterpoint::link {

/// A channel over a connected stream socket.
ChannelPointer make_socket_channel(Descriptor socket, std::string peer);

/// Two channels that lead to each other.
std::pair<ChannelPointer, ChannelPointer> make_socket_pair();

/// Open a connection to somebody who listens; tries again until the deadline while nobody does.
ChannelPointer connect(const Address& address, const Deadline& deadline);

/// Somebody who has connected and said nothing yet.
struct Visitor {
  Descriptor socket;
  Address::Kind kind = Address::Kind::tcp;
  std::string name;
};

/// The channel of a visitor; with shared memory this waits for the memory that he brings.
ChannelPointer admit(Visitor visitor, const Deadline& deadline);

/// Waits for connections at an address. A socket at a path is for its owner only, and is removed at the end.
class Listener {
 public:
  /// Throws std::runtime_error with the address and what to do, e.g. when it is in use.
  explicit Listener(const Address& address);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Where it really waits: with a port.
  const Address& address() const { return address_; }
  /// Throws ChannelTimeout when nobody comes.
  Visitor accept(const Deadline& deadline);

 private:
  void listen_at_path();
  void listen_at_port();

  Address address_;
  Descriptor socket_;
};

}  // namespace counterpoint::link
