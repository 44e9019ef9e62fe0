#pragma once

#include "link/socket.hpp"

namespace counterpoint::link {

// Sockets at a path, and shared memory agreed on there: where the system has them (`Address::parse` says so).

/// One attempt; the number of the error when it failed.
int connect_to_path(const Address& address, Descriptor& made);
/// Throws std::runtime_error with the address.
Descriptor listen_at_path(const Address& address);
void remove_path(const Address& address);

/// Give shared memory to the program at the other end, which listened.
ChannelPointer give_memory(Descriptor socket, const Address& address);
/// Wait until the other end has given some.
ChannelPointer take_memory(PendingConnection pending, const Deadline& deadline);

}  // namespace counterpoint::link
