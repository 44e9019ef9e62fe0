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

/// Accepts connections that show the token. A token for a single use is worthless to a program that has overheard it.
class TokenCheck {
 public:
  TokenCheck(std::string token, bool single_use) : token_(std::move(token)), single_use_(single_use) {}
  /// Why a token is refused, or nothing. The comparison takes the same time wherever the tokens differ.
  std::string refusal(const std::string& token);

 private:
  std::mutex mutex_;
  std::string token_;
  bool single_use_;
  bool used_ = false;
};

/// The side that has connected; throws Refused.
void handshake_as_client(FrameLink& link, const std::string& token);

/// The side that was connected to; throws Refused, ChannelTimeout, ChannelClosed or ProtocolFailure.
void handshake_as_server(FrameLink& link, TokenCheck& tokens);

}  // namespace counterpoint::link
