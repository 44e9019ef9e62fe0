#include "link/socket.hpp"

#include <cstdlib>
#include <memory>
#include <thread>

#include "link/local_socket.hpp"
#include "link/network.hpp"
#include "link/spinning.hpp"

namespace counterpoint::link {

namespace {

constexpr int max_socket_spins = 40;  ///< before the thread sleeps: about 10 us

class SocketChannel final : public Channel {
 public:
  SocketChannel(Descriptor socket, std::string peer) : socket_(std::move(socket)), peer_(std::move(peer)) {
    limit_waits(socket_.get());
  }
  ~SocketChannel() override { end_connection(socket_.get()); }
  const std::string& peer() const override { return peer_; }

  void write(const void* data, std::size_t size, const Deadline& deadline) override {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
      const std::ptrdiff_t count = send_bytes(socket_.get(), from, size);
      if (count < 0) {
        go_on_or_throw(deadline);
        continue;
      }
      from += count;
      size -= static_cast<std::size_t>(count);
    }
  }

  std::size_t read(void* data, std::size_t most, const Deadline& deadline) override {
    char* const to = static_cast<char*>(data);
    for (int spins = spin_.spins(); spins > 0; --spins) {
      const std::ptrdiff_t count = receive_at_once(socket_.get(), to, most);
      if (count <= 0) continue;
      spin_.note(true);
      return static_cast<std::size_t>(count);
    }
    spin_.note(false);
    while (true) {
      const std::ptrdiff_t count = receive_bytes(socket_.get(), to, most);
      if (count > 0) return static_cast<std::size_t>(count);
      if (count == 0) throw ChannelClosed("the other end closed the connection");
      go_on_or_throw(deadline);
    }
  }

 private:
  static void go_on_or_throw(const Deadline& deadline) {
    const int error = last_network_error();
    if (!is_to_be_repeated(error)) throw ChannelClosed("the connection is broken: " + text_of_network_error(error));
    if (deadline.passed()) throw ChannelTimeout("no answer in time");
  }

  Descriptor socket_;
  std::string peer_;
  AdaptiveSpin spin_{max_socket_spins, 1};
};

/// Send at once, and notice within half a minute that a host has vanished.
void prepare_tcp(int socket) {
  set_socket_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_socket_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(__linux__)
  set_socket_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_socket_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_socket_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set_socket_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
#endif
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
  start_network();
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

/// One attempt; the number of the error when it failed.
int try_to_connect(const Address& address, Descriptor& made) {
  if (address.transport != Transport::tcp) return connect_to_path(address, made);
  int error = network_error::no_path;
  const Found found = look_up(address, 0);
  for (const addrinfo* entry = found.get(); entry != nullptr; entry = entry->ai_next) {
    made = make_socket(entry->ai_family);
    prepare_tcp(made.get());
    limit_connecting(made.get(), 5);
    if (::connect(made.get(), entry->ai_addr, static_cast<socklen_t>(entry->ai_addrlen)) == 0) return 0;
    error = last_network_error();
    if (error == network_error::in_progress) error = network_error::timed_out;  // how a limit that has passed is told
  }
  return error;
}

}  // namespace

ChannelPointer make_socket_channel(Descriptor socket, std::string peer) {
  return std::make_unique<SocketChannel>(std::move(socket), std::move(peer));
}

std::pair<ChannelPointer, ChannelPointer> make_socket_pair() {
  auto [near_end, far_end] = make_connected_sockets();
  return {make_socket_channel(std::move(near_end), "the other end"),
          make_socket_channel(std::move(far_end), "the other end")};
}

ChannelPointer connect(const Address& address, const Deadline& deadline) {
  Descriptor socket;
  while (const int error = try_to_connect(address, socket)) {
    const bool not_listening_yet =
        error == network_error::refused || error == ENOENT || error == network_error::interrupted;
    if (!not_listening_yet || deadline.passed()) {
      throw ChannelClosed(address.text() + ": no program answers there: " + text_of_network_error(error) +
                          "; is the other program listening?");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(poll_milliseconds));
  }
  if (address.transport != Transport::memory) return make_socket_channel(std::move(socket), address.text());
  return give_memory(std::move(socket), address);
}

ChannelPointer open(PendingConnection pending, const Deadline& deadline) {
  if (pending.transport != Transport::memory) return make_socket_channel(std::move(pending.socket), pending.name);
  return take_memory(std::move(pending), deadline);
}

Listener::Listener(const Address& address) : address_(address) {
  if (address.transport == Transport::tcp) {
    listen_at_port();
  } else {
    socket_ = listen_at_path(address_);
  }
}

Listener::~Listener() {
  if (address_.transport != Transport::tcp) remove_path(address_);
}

void Listener::listen_at_port() {
  const Found found = look_up(address_, AI_PASSIVE);
  socket_ = make_socket(found->ai_family);
  set_socket_option(socket_.get(), SOL_SOCKET, option_of_listeners, 1);
  const auto size_of_place = static_cast<socklen_t>(found->ai_addrlen);
  if (::bind(socket_.get(), found->ai_addr, size_of_place) != 0 || ::listen(socket_.get(), 64) != 0) {
    throw_network_error(address_.text() + ": cannot listen there (port 0 takes any free one)");
  }
  sockaddr_storage mine{};
  socklen_t size = sizeof mine;
  ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&mine), &size);
  const auto* four = reinterpret_cast<const sockaddr_in*>(&mine);
  const auto* six = reinterpret_cast<const sockaddr_in6*>(&mine);
  address_.port = ntohs(mine.ss_family == AF_INET6 ? six->sin6_port : four->sin_port);
}

PendingConnection Listener::accept(const Deadline& deadline) {
  while (true) {
    if (wait_for(socket_.get(), POLLIN)) {
      sockaddr_storage other{};
      socklen_t size = sizeof other;
      Descriptor socket = accept_connection(socket_.get(), other, size);
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
