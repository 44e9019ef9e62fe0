#pragma once

#include <mutex>
#include <string>

#include "link/frames.hpp"

namespace counterpoint::link {

constexpr int protocol_version = 1;
constexpr double handshake_seconds = 5.0;  ///< within which both ends have to say hello

/// A connection was refused, by us or by the other end; the text says why.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Who may come in: whoever shows the token. A token that may be used once is of no use to somebody who has overheard
/// it.
class Gate {
 public:
  Gate(std::string token, bool opens_once) : token_(std::move(token)), opens_once_(opens_once) {}
  /// Why not, or nothing. The comparison takes the same time wherever the tokens differ.
  std::string refusal(const std::string& token);

 private:
  std::mutex mutex_;
  std::string token_;
  bool opens_once_;
  bool used_ = false;
};

/// Say hello to whom we have connected to; throws Refused.
void greet(FrameLink& link, const std::string& token);

/// Answer who has connected to us; throws Refused, ChannelTimeout, ChannelClosed or ProtocolFailure.
void answer(FrameLink& link, Gate& gate);

}  // namespace counterpoint::link
