#include "link/local_socket.hpp"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "check.hpp"
#include "link/network.hpp"
#if defined(__linux__)
#include "link/memory_channel.hpp"
#endif

namespace counterpoint::link {

namespace {

sockaddr_un path_of(const Address& address) {
  sockaddr_un made{};
  made.sun_family = AF_UNIX;
  std::memcpy(made.sun_path, address.path.c_str(), address.path.size() + 1);
  return made;
}

#if defined(__linux__)
/// A message of one byte with room for a file descriptor beside it.
class DescriptorMessage {
 public:
  DescriptorMessage() {
    message.msg_iov = &bytes_;
    message.msg_iovlen = 1;
    message.msg_control = room_;
    message.msg_controllen = sizeof room_;
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  void put(int descriptor) {
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  /// What came; not open when there was none.
  Descriptor take() const {
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return {};
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return Descriptor(descriptor);
  }

  msghdr message{};

 private:
  char letter_ = 'm';
  iovec bytes_{&letter_, 1};
  alignas(cmsghdr) char room_[CMSG_SPACE(sizeof(int))] = {};
};

/// Give shared memory to the other end of a Unix socket.
void send_memory(int socket, const Descriptor& memory) {
  DescriptorMessage sent;
  sent.put(memory.get());
  if (::sendmsg(socket, &sent.message, MSG_NOSIGNAL) != 1)
    throw_errno("shared memory cannot be given to the other end");
}

Descriptor receive_memory(const PendingConnection& pending, const Deadline& deadline) {
  while (!wait_for(pending.socket.get(), POLLIN)) {
    if (deadline.passed()) throw ChannelTimeout("it sent no shared memory in time");
  }
  DescriptorMessage received;
  const ssize_t count = ::recvmsg(pending.socket.get(), &received.message, MSG_CMSG_CLOEXEC);
  Descriptor memory = count == 1 ? received.take() : Descriptor();
  if (!memory.open()) throw ChannelClosed("it sent no shared memory");
  return memory;
}

#endif

}  // namespace

int connect_to_path(const Address& address, Descriptor& made) {
  made = make_socket(AF_UNIX);
  const sockaddr_un place = path_of(address);
  return ::connect(made.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 ? 0 : errno;
}

Descriptor listen_at_path(const Address& address) {
  Descriptor other;
  struct stat state{};
  const bool is_socket = ::lstat(address.path.c_str(), &state) == 0 && S_ISSOCK(state.st_mode);
  // A socket without a listener was left behind by a program that died.
  if (is_socket && connect_to_path(address, other) == ECONNREFUSED) ::unlink(address.path.c_str());
  Descriptor socket = make_socket(AF_UNIX);
  const sockaddr_un place = path_of(address);
  // No connection is accepted before `listen`: the mode is right by then.
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
      ::chmod(address.path.c_str(), 0600) != 0 || ::listen(socket.get(), 64) != 0) {
    throw_errno(address.text() + ": cannot listen there");
  }
  return socket;
}

void remove_path(const Address& address) { ::unlink(address.path.c_str()); }

#if defined(__linux__)

ChannelPointer give_memory(Descriptor socket, const Address& address) {
  const Descriptor memory = make_memory();
  send_memory(socket.get(), memory);
  return open_memory(memory, MemorySide::maker, std::move(socket), address.text());
}

ChannelPointer take_memory(PendingConnection pending, const Deadline& deadline) {
  const Descriptor memory = receive_memory(pending, deadline);
  return open_memory(memory, MemorySide::guest, std::move(pending.socket), pending.name);
}

#else

ChannelPointer give_memory(Descriptor, const Address&) { internal_error("shared memory without Linux"); }
ChannelPointer take_memory(PendingConnection, const Deadline&) { internal_error("shared memory without Linux"); }

#endif

}  // namespace counterpoint::link
