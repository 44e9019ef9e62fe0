#include "link/handshake.hpp"

#include <charconv>

namespace counterpoint::link {

namespace {

const std::string magic = "counterpoint-link ";

struct Greeting {
  int version = 0;
  std::string token;
};

/// `counterpoint-link VERSION[ TOKEN]`
Greeting read_greeting(const Frame& frame, FrameKind expected) {
  const std::string text = frame.text();
  Greeting greeting;
  const char* const end = text.data() + text.size();
  if (frame.kind != expected || text.rfind(magic, 0) != 0)
    throw ProtocolFailure("it does not speak the protocol of a link");
  const auto [stop, error] = std::from_chars(text.data() + magic.size(), end, greeting.version);
  if (error != std::errc() || (stop != end && *stop != ' '))
    throw ProtocolFailure("it does not say its version of the protocol");
  if (stop != end) greeting.token.assign(stop + 1, end);
  return greeting;
}

std::string version_problem(int version) {
  if (version == protocol_version) return "";
  return "it speaks version " + std::to_string(version) + " of the link protocol, this program version " +
         std::to_string(protocol_version);
}

std::string greeting_of(const std::string& token) {
  return magic + std::to_string(protocol_version) + (token.empty() ? "" : " " + token);
}

}  // namespace

std::string TokenCheck::refusal(const std::string& token) {
  const std::lock_guard lock(mutex_);
  unsigned difference = token.size() == token_.size() ? 0u : 1u;
  for (std::size_t k = 0; k < token.size(); ++k) {
    const char mine = token_.empty() ? '\0' : token_[k % token_.size()];
    difference |= static_cast<unsigned char>(token[k] ^ mine);
  }
  if (difference != 0) return "wrong token";
  if (used_ && single_use_) return "this token was used before; each connection needs a token of its own";
  used_ = true;
  return "";
}

void handshake_as_client(FrameLink& link, const std::string& token) {
  const Deadline deadline = Deadline::in(handshake_seconds);
  try {
    link.send_text(FrameKind::hello, greeting_of(token), deadline);
    const Frame frame = link.receive(deadline);
    if (frame.kind == FrameKind::error) throw Refused(link.peer() + ": refuses the connection: " + frame.text());
    const std::string problem = version_problem(read_greeting(frame, FrameKind::welcome).version);
    if (!problem.empty()) throw Refused(link.peer() + ": " + problem);
  } catch (const ChannelTimeout&) {
    throw Refused(link.peer() + ": did not say hello within 5 s");
  } catch (const ChannelClosed& error) {
    throw Refused(link.peer() + ": " + error.what() + " before it said hello");
  } catch (const ProtocolFailure& error) {
    throw Refused(link.peer() + ": " + error.what());
  }
}

void handshake_as_server(FrameLink& link, TokenCheck& tokens) {
  const Deadline deadline = Deadline::in(handshake_seconds);
  link.set_limit(handshake_limit);
  const Greeting greeting = read_greeting(link.receive(deadline), FrameKind::hello);
  std::string problem = version_problem(greeting.version);
  if (problem.empty()) problem = tokens.refusal(greeting.token);
  if (!problem.empty()) {
    link.send_text(FrameKind::error, problem, deadline);
    throw Refused(link.peer() + ": " + problem);
  }
  link.send_text(FrameKind::welcome, greeting_of(""), deadline);
  link.set_limit(frame_limit);
}

}  // namespace counterpoint::link
