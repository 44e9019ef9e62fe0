#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "coupling/failure.hpp"
#include "link/channel.hpp"

namespace counterpoint::link {

/// What a frame is; docs/reference/link-protocol.md says what each one holds.
enum class FrameKind : std::uint32_t {
  hello = 1,    ///< from the side that connects: magic, version, token
  welcome = 2,  ///< from the side that was connected to: magic, version
  ports = 3,    ///< the subsystem describes itself
  start = 4,    ///< commands of the master: t, t_end, inputs ...
  begin = 5,
  step = 6,
  output = 7,
  finish = 8,
  reply = 9,     ///< ... and the answer: time reached, preferred step, times of inputs, outputs, derivatives
  request = 10,  ///< the subsystem asks for its inputs at a time
  values = 11,   ///< ... and gets them
  save = 12,
  handle = 13,
  restore = 14,
  forget = 15,
  error = 16,
  alive = 17,  ///< the subsystem is still working
  ping = 18,
  pong = 19,
  log = 20,
  call = 21,  ///< a private call between two programs, beside the protocol
  result = 22,
  bye = 23,
};

/// Why a command failed: the first word of an `error` frame, `model` for kinds that the protocol does not tell apart.
std::string_view word_of(Failure::Kind kind);
Failure::Kind failure_kind_of(std::string_view word);

constexpr std::size_t frame_limit = std::size_t{16} << 20;  ///< bytes after the header
constexpr std::size_t handshake_limit = 1024;               ///< the same before the other end has shown its token

/// The other end does not keep to the protocol.
class ProtocolFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A frame that has come; `bytes` are good until the next one is received.
struct Frame {
  FrameKind kind;
  std::string_view bytes;
  /// The bytes as doubles; throws ProtocolFailure when they are fewer than `at_least` or no whole number of them.
  void numbers(std::vector<double>& into, std::size_t at_least = 0) const;
  std::string text() const { return std::string(bytes); }
};

/// Frames over a channel: the number of bytes that follow (4 bytes, low first), the kind (4 bytes), the bytes.
///
/// A frame is composed by `begin`, `put` ... and sent by `send`. One thread composes and receives; `send_beside` may be
/// called by another one.
class FrameLink {
 public:
  explicit FrameLink(ChannelPointer channel);

  const std::string& peer() const { return channel_->peer(); }
  /// Most bytes that a frame of the other end may have.
  void set_limit(std::size_t limit) { limit_ = limit; }

  FrameLink& begin(FrameKind kind);
  FrameLink& put(double number) { return put(&number, 1); }
  FrameLink& put(const double* numbers, std::size_t count);
  FrameLink& put(std::string_view text);
  void send(const Deadline& deadline);
  void send_text(FrameKind kind, std::string_view text, const Deadline& deadline);
  /// A frame in between, whatever is being composed.
  void send_beside(FrameKind kind, std::string_view text, const Deadline& deadline);

  Frame receive(const Deadline& deadline);

 private:
  void fill(std::size_t wanted, const Deadline& deadline);

  ChannelPointer channel_;
  std::size_t limit_ = frame_limit;
  std::mutex writing_;
  std::vector<char> out_;
  std::vector<char> in_;
  std::size_t first_ = 0;  ///< of what has come and was not given out yet
  std::size_t end_ = 0;
};

}  // namespace counterpoint::link
