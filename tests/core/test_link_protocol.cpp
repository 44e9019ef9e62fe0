// What an end of a link accepts of the other one: frames, greetings, descriptions of ports.

#include <cstdint>
#include <cstring>
#include <thread>

#include "check.hpp"
#include "link/handshake.hpp"
#include "link/ports.hpp"
#include "link/remote_subsystem.hpp"
#include "link/socket.hpp"

using namespace counterpoint;
using namespace counterpoint::link;

using Pair = std::pair<ChannelPointer, ChannelPointer>;

TEST(garbage_from_the_other_end_is_refused_before_memory_is_taken) {
  const std::uint32_t huge[2] = {0xFFFFFFFFu, static_cast<std::uint32_t>(FrameKind::reply)};
  const std::uint32_t odd[3] = {4, static_cast<std::uint32_t>(FrameKind::reply), 0};
  const std::uint32_t unknown[2] = {0, 999};
  const double wrong_count[] = {0.0, 0.0, 1e9};
  for (int k = 0; k < 4; ++k) {
    Pair pair = make_socket_pair();
    FrameLink far(std::move(pair.second));
    far.send_text(FrameKind::ports, "output\ty\n", Deadline::in(1.0));
    RemoteSubsystem remote(std::make_unique<FrameLink>(std::move(pair.first)), {});
    std::thread other([&] {
      far.receive(Deadline::in(5.0));
      if (k == 0)
        far.begin(FrameKind::reply)
            .put(std::string_view(reinterpret_cast<const char*>(odd), 4))
            .send(Deadline::in(1.0));
      if (k == 1) far.begin(static_cast<FrameKind>(unknown[1])).send(Deadline::in(1.0));
      if (k == 2) far.begin(FrameKind::reply).put(wrong_count, 3).send(Deadline::in(1.0));
      if (k == 3)
        far.begin(FrameKind::reply).put(0.0).put(0.0).put(0.0).put(1.0).put(2.0).put(3.0).send(Deadline::in(1.0));
    });
    const char* const words[] = {"at least 3 numbers", "frame of kind 999 where 9 is expected",
                                 "wrong number of input times", "3 outputs instead of 1"};
    CHECK_THROWS(ComponentFailure, words[k], remote.start(0.0));
    other.join();
  }
  Pair pair = make_socket_pair();
  pair.second->write(huge, sizeof huge, Deadline::in(1.0));
  FrameLink near(std::move(pair.first));
  CHECK_THROWS(ProtocolFailure, "a frame of 4294967295 bytes is announced; at most 16777216 are allowed",
               near.receive(Deadline::in(1.0)));
}

TEST(frames_that_come_byte_by_byte_are_put_together) {
  Pair pair = make_socket_pair();
  std::thread slow([&] {
    std::vector<char> bytes(8 + 16);
    const std::uint32_t header[2] = {16, static_cast<std::uint32_t>(FrameKind::values)};
    const double numbers[2] = {1.5, -2.5};
    std::memcpy(bytes.data(), header, 8);
    std::memcpy(bytes.data() + 8, numbers, 16);
    for (const char byte : bytes) pair.second->write(&byte, 1, Deadline::in(1.0));
  });
  FrameLink near(std::move(pair.first));
  std::vector<double> numbers;
  near.receive(Deadline::in(5.0)).numbers(numbers);
  CHECK(numbers == (std::vector<double>{1.5, -2.5}));
  slow.join();
}

namespace {
/// What `answer` says to a visitor who sends these bytes; and what the visitor gets back.
std::string answer_to(const std::string& bytes, TokenCheck& gate) {
  Pair pair = make_socket_pair();
  pair.first->write(bytes.data(), bytes.size(), Deadline::in(1.0));
  FrameLink link(std::move(pair.second));
  try {
    handshake_as_server(link, gate);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string hello(const std::string& text, FrameKind kind = FrameKind::hello) {
  const std::uint32_t header[2] = {static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(kind)};
  return std::string(reinterpret_cast<const char*>(header), sizeof header) + text;
}
}  // namespace

TEST(a_handshake_needs_magic_version_and_token) {
  TokenCheck gate("secret", true);
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    const std::string text = answer_to(bytes, gate);
    check::mentions(__FILE__, __LINE__, text, why);
  };
  refused("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "bytes is announced; at most 1024 are allowed");
  refused(hello("something else"), "does not speak the protocol");
  refused(hello("counterpoint-link 1 secret", FrameKind::start), "does not speak the protocol");
  refused(hello("counterpoint-link one secret"), "does not say its version");
  refused(hello("counterpoint-link 2 secret"), "it speaks version 2 of the link protocol, this program version 1");
  for (const char* token : {"", "secre", "secret ", "Secret", "secretsecret"})
    refused(hello(std::string("counterpoint-link 1 ") + token), "wrong token");
  CHECK(answer_to(hello("counterpoint-link 1 secret"), gate).empty());
  refused(hello("counterpoint-link 1 secret"), "this token was used before");
  TokenCheck lasting("secret", false);
  CHECK(answer_to(hello("counterpoint-link 1 secret"), lasting).empty());
  CHECK(answer_to(hello("counterpoint-link 1 secret"), lasting).empty());
}

TEST(who_connects_is_told_why_it_is_refused) {
  for (const char* token : {"right", "wrong"}) {
    Pair pair = make_socket_pair();
    FrameLink near(std::move(pair.first));
    FrameLink far(std::move(pair.second));
    TokenCheck gate("right", true);
    std::thread other([&] {
      try {
        handshake_as_server(far, gate);
      } catch (const Refused&) {
      }
    });
    if (std::string(token) == "right") {
      handshake_as_client(near, token);
    } else {
      CHECK_THROWS(Refused, "refuses the connection: wrong token", handshake_as_client(near, token));
    }
    other.join();
  }
}

TEST(ports_are_written_and_read_alike) {
  Ports ports;
  ports.name = "pump";
  ports.inputs = {{"speed of the shaft", 1, "rad/s", {0.1}}, {"valves", 3, "", {1.0, 0.0, 1.0 / 3.0}}};
  ports.outputs = {{"Δp", 1, "Pa", {}}};
  ports.feedthrough = {{"Δp", "valves"}};
  ports.initial_feedthrough = {{"Δp", "speed of the shaft"}};
  ports.step = 1e-3;
  ports.asks = {0.0, 0.5, 1.0};
  ports.approximation = "hold behind";
  ports.output_approximations = {{"Δp", "hold ahead"}};
  ports.input_approximations = {{"speed of the shaft", "lagrange 2"}};
  ports.heartbeat = 1.0;
  ports.silence = 60.0;
  ports.can_save = ports.derivatives = ports.requests = ports.begins = ports.paces = ports.stops_early = ports.jumps =
      true;
  const std::string text = ports.to_text();
  const Ports read = Ports::from_text(text);
  CHECK(read.to_text() == text);
  CHECK(read.inputs[1].start[2] == 1.0 / 3.0);
  CHECK(read.jumps && read.input_approximations.size() == 1);
  CHECK(read.input_width() == 4 && read.output_width() == 1);
}

TEST(ports_that_make_no_sense_are_refused_with_the_line) {
  const auto refused = [](const std::string& text, const std::string& why) {
    CHECK_THROWS(ProtocolFailure, why, Ports::from_text(text));
  };
  refused("input\n", "word 2 is missing");
  refused("input\tx\t0\n", "expected a whole number from 1 as the width");
  refused("input\tx\t1e99\n", "expected a whole number from 1 as the width");
  refused("output\tx\tmany\n", "\"many\" is not a finite number");
  refused("output\tx\noutput\tx\n", "the name is used twice");
  refused("output\tx\t1048576\noutput\tz\n", "too many values");
  refused("input\tx\t2\tm\t1\n", "expected as many start values");
  refused("step\t0\n", "a positive number of seconds");
  refused("ask\t1.5\n", "expected shares of a step between 0 and 1");
  refused("name\t\x1b[31m\n", "control characters");
  CHECK(Ports::from_text("something new\t1\noutput\ty\n").outputs.size() == 1);
}
