#include "link/socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "link/memory_channel.hpp"
#include "link/spinning.hpp"

namespace counterpoint::link {

namespace {

constexpr int poll_milliseconds = 50;  ///< between two checks of the deadline
constexpr int max_socket_spins = 40;   ///< before the thread sleeps: about 10 us

/// Wait for an event at a socket; false when there was none within one poll interval.
bool wait_for(int socket, short event) {
  pollfd entry{socket, event, 0};
  return ::poll(&entry, 1, poll_milliseconds) > 0;
}

class SocketChannel final : public Channel {
 public:
  SocketChannel(Descriptor socket, std::string peer) : socket_(std::move(socket)), peer_(std::move(peer)) {
    // A blocking call that ends by itself now and then costs one system call where poll and a call cost two.
    const timeval interval{0, poll_milliseconds * 1000};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &interval, sizeof interval);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &interval, sizeof interval);
  }
  ~SocketChannel() override { ::shutdown(socket_.get(), SHUT_RDWR); }
  const std::string& peer() const override { return peer_; }

  void write(const void* data, std::size_t size, const Deadline& deadline) override {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t count = ::send(socket_.get(), from, size, MSG_NOSIGNAL);
      if (count < 0) {
        go_on_or_throw(deadline);
        continue;
      }
      from += count;
      size -= static_cast<std::size_t>(count);
    }
  }

  std::size_t read(void* data, std::size_t most, const Deadline& deadline) override {
    for (int spins = spin_.spins(); spins > 0; --spins) {
      const ssize_t count = ::recv(socket_.get(), data, most, MSG_DONTWAIT);
      if (count <= 0) continue;
      spin_.note(true);
      return static_cast<std::size_t>(count);
    }
    spin_.note(false);
    while (true) {
      const ssize_t count = ::recv(socket_.get(), data, most, 0);
      if (count > 0) return static_cast<std::size_t>(count);
      if (count == 0) throw ChannelClosed("the other end closed the connection");
      go_on_or_throw(deadline);
    }
  }

 private:
  static void go_on_or_throw(const Deadline& deadline) {
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      throw ChannelClosed(std::string("the connection is broken: ") + std::strerror(errno));
    }
    if (deadline.passed()) throw ChannelTimeout("no answer in time");
  }

  Descriptor socket_;
  std::string peer_;
  AdaptiveSpin spin_{max_socket_spins, 1};
};

/// Send at once, and notice within half a minute that a host has vanished.
void prepare_tcp(int socket) {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(__linux__)
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
#endif
}

sockaddr_un path_of(const Address& address) {
  sockaddr_un made{};
  made.sun_family = AF_UNIX;
  std::memcpy(made.sun_path, address.path.c_str(), address.path.size() + 1);
  return made;
}

/// `localhost` means this computer, whatever a name server says.
void check_loopback(const Address& address, const addrinfo* found) {
  if (address.host != "localhost") return;
  for (; found != nullptr; found = found->ai_next) {
    const bool loopback = found->ai_family == AF_INET6
                              ? is_loopback(reinterpret_cast<const sockaddr_in6*>(found->ai_addr)->sin6_addr)
                              : is_loopback(reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr);
    if (!loopback) throw std::runtime_error(address.text() + ": is not this computer here; write 127.0.0.1");
  }
}

using Found = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Found look_up(const Address& address, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) throw std::runtime_error(address.text() + ": no such host: " + ::gai_strerror(error));
  Found owned(found, &::freeaddrinfo);
  check_loopback(address, owned.get());
  return owned;
}

Descriptor make_socket(int family) {
  Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.open()) throw_errno("cannot create a socket");
  return socket;
}

std::string name_of(const sockaddr_storage& other, socklen_t size) {
  char host[NI_MAXHOST] = "?";
  char port[NI_MAXSERV] = "0";
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&other), size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
  Address address;
  address.host = host;
  address.port = std::atoi(port);
  return address.text();
}

/// One attempt; an errno when it failed.
int try_to_connect(const Address& address, Descriptor& made) {
  if (address.transport != Transport::tcp) {
    made = make_socket(AF_UNIX);
    const sockaddr_un place = path_of(address);
    return ::connect(made.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 ? 0 : errno;
  }
  int error = EHOSTUNREACH;
  const Found found = look_up(address, 0);
  for (const addrinfo* entry = found.get(); entry != nullptr; entry = entry->ai_next) {
    made = make_socket(entry->ai_family);
    prepare_tcp(made.get());
    const timeval timeout{5, 0};  // for a host that does not answer at all
    ::setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (::connect(made.get(), entry->ai_addr, entry->ai_addrlen) == 0) return 0;
    error = errno == EINPROGRESS ? ETIMEDOUT : errno;  // the first is how a passed SO_SNDTIMEO is told
  }
  return error;
}

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

}  // namespace

ChannelPointer make_socket_channel(Descriptor socket, std::string peer) {
  return std::make_unique<SocketChannel>(std::move(socket), std::move(peer));
}

std::pair<ChannelPointer, ChannelPointer> make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("cannot create a socket");
  return {make_socket_channel(Descriptor(ends[0]), "the other end"),
          make_socket_channel(Descriptor(ends[1]), "the other end")};
}

ChannelPointer connect(const Address& address, const Deadline& deadline) {
  Descriptor socket;
  while (const int error = try_to_connect(address, socket)) {
    const bool not_listening_yet = error == ECONNREFUSED || error == ENOENT || error == EINTR;
    if (!not_listening_yet || deadline.passed()) {
      throw ChannelClosed(address.text() + ": no program answers there: " + std::strerror(error) +
                          "; is the other program listening?");
    }
    ::poll(nullptr, 0, poll_milliseconds);
  }
  if (address.transport != Transport::memory) return make_socket_channel(std::move(socket), address.text());
  const Descriptor memory = make_memory();
  send_memory(socket.get(), memory);
  return open_memory(memory, MemorySide::maker, std::move(socket), address.text());
}

ChannelPointer open(PendingConnection pending, const Deadline& deadline) {
  if (pending.transport != Transport::memory) return make_socket_channel(std::move(pending.socket), pending.name);
  const Descriptor memory = receive_memory(pending, deadline);
  return open_memory(memory, MemorySide::guest, std::move(pending.socket), pending.name);
}

Listener::Listener(const Address& address) : address_(address) {
  if (address.transport == Transport::tcp) {
    listen_at_port();
  } else {
    listen_at_path();
  }
}

Listener::~Listener() {
  if (address_.transport != Transport::tcp) ::unlink(address_.path.c_str());
}

void Listener::listen_at_port() {
  const Found found = look_up(address_, AI_PASSIVE);
  socket_ = make_socket(found->ai_family);
  const int yes = 1;
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket_.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket_.get(), 64) != 0) {
    throw_errno(address_.text() + ": cannot listen there (port 0 takes any free one)");
  }
  sockaddr_storage mine{};
  socklen_t size = sizeof mine;
  ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&mine), &size);
  const auto* four = reinterpret_cast<const sockaddr_in*>(&mine);
  const auto* six = reinterpret_cast<const sockaddr_in6*>(&mine);
  address_.port = ntohs(mine.ss_family == AF_INET6 ? six->sin6_port : four->sin_port);
}

void Listener::listen_at_path() {
  Descriptor other;
  struct stat state{};
  const bool is_socket = ::lstat(address_.path.c_str(), &state) == 0 && S_ISSOCK(state.st_mode);
  // A socket without a listener was left behind by a program that died.
  if (is_socket && try_to_connect(address_, other) == ECONNREFUSED) ::unlink(address_.path.c_str());
  Descriptor socket = make_socket(AF_UNIX);
  const sockaddr_un place = path_of(address_);
  // No connection is accepted before `listen`: the mode is right by then.
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
      ::chmod(address_.path.c_str(), 0600) != 0 || ::listen(socket.get(), 64) != 0) {
    throw_errno(address_.text() + ": cannot listen there");
  }
  socket_ = std::move(socket);
}

PendingConnection Listener::accept(const Deadline& deadline) {
  while (true) {
    if (wait_for(socket_.get(), POLLIN)) {
      sockaddr_storage other{};
      socklen_t size = sizeof other;
      Descriptor socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&other), &size, SOCK_CLOEXEC));
      if (socket.open()) {
        const bool tcp = address_.transport == Transport::tcp;
        if (tcp) prepare_tcp(socket.get());
        return {std::move(socket), address_.transport, tcp ? name_of(other, size) : "a program at " + address_.text()};
      }
    }
    if (deadline.passed()) throw ChannelTimeout(address_.text() + ": no program has connected in time");
  }
}

}  // namespace counterpoint::link
