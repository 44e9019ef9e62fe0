#pragma once

#include "link/channel.hpp"

namespace counterpoint::link {

/// Whose end of shared memory this is: the maker's or the other one's.
enum class MemorySide { maker, guest };

/// Make shared memory for two channels, one each way. Its size is sealed: the other end cannot shrink it.
Descriptor make_memory();

/// An end of shared memory that `make_memory` made, here or in the process that gave it to us; throws when it is
/// something else. `life` can be read as soon as the other end is gone: a process (pidfd) or a socket on which nothing
/// is sent.
ChannelPointer open_memory(const Descriptor& memory, MemorySide side, Descriptor life, std::string peer);

}  // namespace counterpoint::link
