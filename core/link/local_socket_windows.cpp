// Windows has no sockets at a path that could be relied on, and `Address::parse` makes none.

#include "check.hpp"
#include "link/local_socket.hpp"

namespace counterpoint::link {

namespace {
constexpr const char* text = "a socket at a path on Windows";
}

int connect_to_path(const Address&, Descriptor&) { internal_error(text); }
Descriptor listen_at_path(const Address&) { internal_error(text); }
void remove_path(const Address&) {}
ChannelPointer give_memory(Descriptor, const Address&) { internal_error(text); }
ChannelPointer take_memory(PendingConnection, const Deadline&) { internal_error(text); }

}  // namespace counterpoint::link
