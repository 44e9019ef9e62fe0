// Links: the two ends run in two threads here, as they would in two processes.

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "check.hpp"
#include "link/handshake.hpp"
#include "link/memory_channel.hpp"
#include "link/remote_subsystem.hpp"
#include "link/server.hpp"
#include "link/socket.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::link;
using counterpoint::testing::flatten;
using counterpoint::testing::Walker;
using counterpoint::testing::Wave;

namespace {

using Pair = std::pair<ChannelPointer, ChannelPointer>;

Pair memory_pair() {
  const Descriptor memory = make_memory();
  return {open_memory(memory, MemorySide::maker, Descriptor(), "guest"), open_memory(memory, MemorySide::guest, Descriptor(), "maker")};
}

Pair listening_pair(const std::string& address) {
  Listener listener(Address::parse(address));
  ChannelPointer near;
  std::thread other([&] { near = connect(listener.address(), Deadline::in(5.0)); });
  Visitor visitor = listener.accept(Deadline::in(5.0));
  other.join();
  return {std::move(near), admit(std::move(visitor), Deadline::in(5.0))};
}

std::string path(const std::string& name) { return "/tmp/counterpoint-test-" + std::to_string(::getpid()) + "-" + name; }

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  pairs.push_back(memory_pair());
  pairs.push_back(make_socket_pair());
  pairs.push_back(listening_pair("tcp://127.0.0.1:0"));
  pairs.push_back(listening_pair("unix://" + path("socket")));
  pairs.push_back(listening_pair("shm://" + path("memory")));
  return pairs;
}

/// A subsystem that is served in a thread, and its other end.
class Hosted {
 public:
  Hosted(Subsystem& model, Ports ports, Pair pair, RemoteSettings settings = {}) : far_(std::move(pair.second)) {
    thread_ = std::thread([this, &model, ports] {
      try {
        LinkServer(far_, model, ports).serve();
        ended_politely = true;
      } catch (const std::exception& error) {
        end = error.what();
      }
    });
    remote = std::make_shared<RemoteSubsystem>(std::make_unique<FrameLink>(std::move(pair.first)), std::move(settings));
  }
  ~Hosted() { close(); }
  void close() {
    remote.reset();
    if (thread_.joinable()) thread_.join();
  }

  std::shared_ptr<RemoteSubsystem> remote;
  std::atomic<bool> ended_politely{false};
  std::string end;

 private:
  FrameLink far_;
  std::thread thread_;
};

Ports ports_of(const Subsystem& model) {
  Ports ports;
  ports.name = "test";
  if (model.input_width() > 0) ports.inputs = {{"u", model.input_width(), "m", {}}};
  ports.outputs = {{"y", model.output_width(), "", {}}};
  ports.requests = true;
  return ports;
}

/// Rows of a system in which one subsystem follows a wave and another one follows it; equal bits tell equal inputs.
std::vector<double> rows_of(SubsystemPointer first, SubsystemPointer second, double wave_step = 0.013) {
  RunSpec spec;
  spec.until = 1.0;
  spec.tolerance = 1e-9;
  const auto wave = std::make_shared<Wave>([](double t) { return std::sin(7.0 * t); });
  spec.participants = {{wave, wave_step, {}, {}}, {std::move(first), 0.01, {0.0, 0.0}, {0}}, {std::move(second), 0.003, {0.0}, {1}}};
  spec.connections.push_back({0, 0, 1, 1, 0, 1, make_lagrange(2)});
  spec.connections.push_back({2, 0, 1, 1, 1, 1, make_lagrange(1)});
  spec.connections.push_back({1, 0, 1, 2, 0, 1, make_lagrange(3), 0.3});
  Scheduler scheduler(spec, 1);
  scheduler.start();
  scheduler.advance(1.0, 1e9);
  std::vector<double> all;
  for (Participant& p : scheduler.network().participants) {
    const std::vector<double> rows = flatten(p.take_rows());
    all.insert(all.end(), rows.begin(), rows.end());
  }
  scheduler.network().finish();
  return all;
}

class Model : public Subsystem {
 public:
  int input_width() const override { return 1; }
  int output_width() const override { return 1; }
  void start(double) override { y = 0.0; }
  double step(double t, double t_end, Inputs& u) override {
    y += (t_end - t) * u.at(t)[0];
    return t_end;
  }
  const double* output(double, Inputs&) override { return &y; }
  struct Saved final : SavedState {
    explicit Saved(double value) : y(value) { ++alive; }
    ~Saved() override { --alive; }
    double y;
    static inline std::atomic<int> alive = 0;
  };
  std::unique_ptr<SavedState> save() const override { return std::make_unique<Saved>(y); }
  void restore(const SavedState& state) override { y = static_cast<const Saved&>(state).y; }
  double y = 0.0;
};

std::vector<char> pattern(std::size_t size) {
  std::vector<char> made(size);
  for (std::size_t k = 0; k < size; ++k) made[k] = static_cast<char>(k * 7 + k / 251);
  return made;
}

}  // namespace

TEST(bytes_come_out_as_they_went_in_whatever_their_number) {
  for (Pair& pair : all_pairs()) {
    const std::vector<char> sent = pattern(3'000'001);
    std::thread writer([&] {
      std::size_t at = 0;
      for (std::size_t size = 1; at < sent.size(); size = size * 3 / 2 + 1) {
        const std::size_t count = std::min(size, sent.size() - at);
        pair.first->write(sent.data() + at, count, Deadline::in(30.0));
        at += count;
      }
    });
    std::vector<char> got(sent.size());
    std::size_t at = 0;
    while (at < got.size()) at += pair.second->read(got.data() + at, std::min<std::size_t>(got.size() - at, 4099), Deadline::in(30.0));
    writer.join();
    CHECK(got == sent);
  }
}

TEST(what_was_written_before_the_end_is_read_and_then_the_end_is_told) {
  for (Pair& pair : all_pairs()) {
    pair.first->write("last", 4, Deadline::in(1.0));
    pair.first.reset();
    char word[4];
    CHECK(pair.second->read(word, 4, Deadline::in(1.0)) == 4 && std::memcmp(word, "last", 4) == 0);
    CHECK_THROWS(ChannelClosed, "", pair.second->read(word, 4, Deadline::in(1.0)));
  }
}

TEST(a_wait_ends_with_its_deadline) {
  for (Pair& pair : all_pairs()) {
    char byte;
    CHECK_THROWS(ChannelTimeout, "", pair.second->read(&byte, 1, Deadline::in(0.05)));
    const std::vector<char> flood(8'000'000);
    CHECK_THROWS(ChannelTimeout, "", pair.first->write(flood.data(), flood.size(), Deadline::in(0.05)));
  }
}

TEST(a_channel_wakes_up_when_the_other_end_goes) {
  for (Pair& pair : all_pairs()) {
    std::thread leaving([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      pair.first.reset();
    });
    char byte;
    CHECK_THROWS(ChannelClosed, "", pair.second->read(&byte, 1, Deadline::in(20.0)));
    leaving.join();
  }
}

TEST(an_address_is_read_and_written_alike) {
  for (const char* text : {"tcp://127.0.0.1:4711", "tcp://[::1]:0", "unix:///tmp/a b", "shm:///tmp/x"}) {
    CHECK(Address::parse(text).text() == text);
    CHECK(Address::parse(text).is_local());
  }
  CHECK(!Address::parse("tcp://0.0.0.0:1").is_local());
  CHECK(!Address::parse("tcp://example.org:1").is_local());
  for (const char* text : {"", "tcp://", "tcp://host", "tcp://host:", "tcp://host:x", "tcp://host:70000", "udp://host:1", "unix://relative", "shm://"}) {
    CHECK_THROWS(std::invalid_argument, "write tcp://host:port, unix:///path or shm:///path", Address::parse(text));
  }
  CHECK_THROWS(std::invalid_argument, "at most 107 bytes", Address::parse("unix:///" + std::string(200, 'x')));
}

TEST(an_address_in_use_is_told_and_a_dead_socket_is_taken_over) {
  Listener first(Address::parse("tcp://127.0.0.1:0"));
  CHECK(first.address().port > 0);
  CHECK_THROWS(std::runtime_error, "cannot listen there (port 0 takes any free one): Address already in use", Listener(first.address()));
  const Address place = Address::parse("unix://" + path("twice"));
  {
    Listener second(place);
    CHECK_THROWS(std::runtime_error, "Address already in use", Listener{place});
  }
  CHECK(::access(place.path.c_str(), F_OK) != 0);
  Listener again(place);
}

TEST(nobody_at_an_address_is_told) {
  CHECK_THROWS(ChannelClosed, "is the other program listening?", connect(Address::parse("unix://" + path("nobody")), Deadline::in(0.0)));
  Listener listener(Address::parse("unix://" + path("quiet")));
  CHECK_THROWS(ChannelTimeout, "nobody has connected", listener.accept(Deadline::in(0.0)));
}

TEST(a_remote_subsystem_gives_the_same_bits_as_a_local_one) {
  const auto local = rows_of(std::make_shared<Walker>(2, 0.5), std::make_shared<Walker>(1, -0.25));
  CHECK(local.size() > 1000);
  for (Pair& pair : all_pairs()) {
    Walker model(2, 0.5);
    Hosted hosted(model, ports_of(model), std::move(pair));
    CHECK(rows_of(hosted.remote, std::make_shared<Walker>(1, -0.25)) == local);
    CHECK(rows_of(hosted.remote, std::make_shared<Walker>(1, -0.25)) == local);  // a second run on the same link
    hosted.close();
    CHECK(hosted.ended_politely);
  }
}

TEST(solvers_find_their_inputs_in_the_command_after_the_first_step) {
  std::vector<double> shares;
  for (int k = 1; k < 2000; ++k) {
    const double t = 0.007 * k;
    const double t_end = 0.007 * (k + 1);
    const double h = t_end - t;
    // explicit Runge-Kutta methods of order 4 and 5, the middle of a step as FMUs take it
    const std::vector<double> times = {t, t + 0.5 * h, t_end, t + 0.2 * h, t + 0.3 * h, t + 0.8 * h, t + 8.0 / 9.0 * h, 0.5 * (t + t_end)};
    find_shares(t, t_end, times, shares);
    CHECK(shares.size() == 7);
    const double next = 0.007 * (k + 2);
    std::vector<double> predicted;
    for (const double share : shares) for_times_of(share, t_end, next, [&](double time) { predicted.push_back(time); });
    for (const double share : {0.0, 0.2, 0.3, 0.5, 0.8, 8.0 / 9.0}) {
      CHECK(std::find(predicted.begin(), predicted.end(), t_end + share * (next - t_end)) != predicted.end());
    }
    CHECK(std::find(predicted.begin(), predicted.end(), 0.5 * (t_end + next)) != predicted.end());
  }
}

TEST(saved_states_live_at_the_other_end_until_they_are_forgotten) {
  Model model;
  Ports ports = ports_of(model);
  ports.can_save = true;
  Hosted hosted(model, ports, memory_pair());
  Inputs u({2.0});
  hosted.remote->start(0.0);
  hosted.remote->step(0.0, 1.0, u);
  std::unique_ptr<SavedState> saved = hosted.remote->save();
  CHECK(Model::Saved::alive == 1);
  hosted.remote->step(1.0, 2.0, u);
  CHECK_CLOSE(4.0, hosted.remote->output(2.0, u)[0], 0.0);
  hosted.remote->restore(*saved);
  CHECK_CLOSE(2.0, hosted.remote->output(1.0, u)[0], 0.0);
  saved.reset();
  hosted.remote->ping();
  CHECK(Model::Saved::alive == 0);
}

TEST(a_subsystem_that_does_not_save_says_so) {
  Model model;
  Hosted hosted(model, ports_of(model), memory_pair());
  CHECK(hosted.remote->save() == nullptr);
}

TEST(failures_of_the_other_end_keep_their_kind_and_the_link_goes_on) {
  class Failing final : public Subsystem {
   public:
    int input_width() const override { return 0; }
    int output_width() const override { return 1; }
    void start(double) override {}
    double step(double t, double t_end, Inputs&) override {
      if (t == 1.0) throw SolverFailure("did not converge");
      if (t == 2.0) throw ComponentFailure("valve stuck");
      if (t == 3.0) throw ComponentFailure("no licence", true);
      if (t == 4.0) throw std::invalid_argument("nonsense");
      return t_end;
    }
    const double* output(double, Inputs&) override { return &y; }
    double y = 3.0;
  } model;
  Hosted hosted(model, ports_of(model), make_socket_pair());
  Inputs none{std::vector<double>{}};
  RemoteSubsystem& remote = *hosted.remote;
  remote.start(0.0);
  CHECK_THROWS(SolverFailure, "did not converge", remote.step(1.0, 1.5, none));
  CHECK_THROWS(ComponentFailure, "valve stuck", remote.step(2.0, 2.5, none));
  CHECK_THROWS(ComponentFailure, "nonsense", remote.step(4.0, 4.5, none));
  try {
    remote.step(3.0, 3.5, none);
    CHECK(false);
  } catch (const ComponentFailure& failure) {
    CHECK(failure.died);
  }
  CHECK_CLOSE(5.5, remote.step(5.0, 5.5, none), 0.0);
  CHECK_CLOSE(3.0, remote.output(5.5, none)[0], 0.0);
}

TEST(inputs_that_fail_at_the_master_keep_their_exception) {
  class BadLaw final : public CouplingLaw {
   public:
    void evaluate(double, const double*, double*) const override { throw SignalFailure("NaN"); }
  };
  Model model;
  Hosted hosted(model, ports_of(model), make_socket_pair());
  Inputs u({0.0});
  u.add_law(std::make_shared<BadLaw>(), 0, 1);
  hosted.remote->start(0.0);
  CHECK_THROWS(SignalFailure, "NaN", hosted.remote->step(0.0, 0.1, u));
  Inputs good({1.0});
  CHECK_CLOSE(0.2, hosted.remote->step(0.1, 0.2, good), 0.0);
}

namespace {
/// A model whose step takes a while.
class Slow final : public Subsystem {
 public:
  int input_width() const override { return 0; }
  int output_width() const override { return 1; }
  void start(double) override {}
  double step(double t, double t_end, Inputs&) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(t_end - t));
    return t_end;
  }
  const double* output(double, Inputs&) override { return &y; }
  double y = 0.0;
};
}  // namespace

TEST(a_step_beyond_the_deadline_ends_the_link) {
  Slow model;
  RemoteSettings settings;
  settings.deadline = 0.1;
  Inputs none{std::vector<double>{}};
  Hosted hosted(model, ports_of(model), make_socket_pair(), settings);
  hosted.remote->start(0.0);
  hosted.remote->step(0.0, 0.01, none);
  CHECK_THROWS(ComponentFailure, "did not answer within 0.1 s", hosted.remote->step(0.0, 0.5, none));
  CHECK_THROWS(ComponentFailure, "did not answer within 0.1 s", hosted.remote->step(0.5, 0.6, none));
}

TEST(signs_of_life_are_expected_only_where_they_were_promised) {
  Slow model;
  Ports ports = ports_of(model);
  ports.heartbeat = 0.02;
  Inputs none{std::vector<double>{}};
  {
    Hosted hosted(model, ports, make_socket_pair());
    hosted.remote->start(0.0);
    CHECK_CLOSE(0.4, hosted.remote->step(0.0, 0.4, none), 0.0);
  }
  Pair pair = make_socket_pair();  // promises, and is silent
  FrameLink silent(std::move(pair.second));
  silent.send_text(Kind::ports, ports.to_text(), Deadline::in(1.0));
  RemoteSubsystem remote(std::make_unique<FrameLink>(std::move(pair.first)), {});
  CHECK_THROWS(ComponentFailure, "has given no sign of life for 0.1 s", remote.start(0.0));
}

TEST(a_peer_that_dies_in_a_step_is_told) {
  for (Pair& pair : all_pairs()) {
    auto far = std::make_unique<FrameLink>(std::move(pair.second));
    far->send_text(Kind::ports, "output\ty\n", Deadline::in(1.0));
    RemoteSubsystem remote(std::make_unique<FrameLink>(std::move(pair.first)), {});
    std::thread dying([&] {
      far->receive(Deadline::in(5.0));
      far.reset();
    });
    CHECK_THROWS(ComponentFailure, "", remote.start(0.0));
    dying.join();
  }
}

TEST(garbage_from_the_other_end_is_refused_before_memory_is_taken) {
  const std::uint32_t huge[2] = {0xFFFFFFFFu, static_cast<std::uint32_t>(Kind::reply)};
  const std::uint32_t odd[3] = {4, static_cast<std::uint32_t>(Kind::reply), 0};
  const std::uint32_t unknown[2] = {0, 999};
  const double wrong_count[] = {0.0, 0.0, 1e9};
  for (int k = 0; k < 4; ++k) {
    Pair pair = make_socket_pair();
    FrameLink far(std::move(pair.second));
    far.send_text(Kind::ports, "output\ty\n", Deadline::in(1.0));
    RemoteSubsystem remote(std::make_unique<FrameLink>(std::move(pair.first)), {});
    std::thread other([&] {
      far.receive(Deadline::in(5.0));
      if (k == 0) far.begin(Kind::reply).put(std::string_view(reinterpret_cast<const char*>(odd), 4)).send(Deadline::in(1.0));
      if (k == 1) far.begin(static_cast<Kind>(unknown[1])).send(Deadline::in(1.0));
      if (k == 2) far.begin(Kind::reply).put(wrong_count, 3).send(Deadline::in(1.0));
      if (k == 3) far.begin(Kind::reply).put(0.0).put(0.0).put(0.0).put(1.0).put(2.0).put(3.0).send(Deadline::in(1.0));
    });
    const char* const words[] = {"at least 3 numbers", "frame of kind 999 where 9 is expected", "wrong number of wishes", "3 outputs instead of 1"};
    CHECK_THROWS(ComponentFailure, words[k], remote.start(0.0));
    other.join();
  }
  Pair pair = make_socket_pair();
  pair.second->write(huge, sizeof huge, Deadline::in(1.0));
  FrameLink near(std::move(pair.first));
  CHECK_THROWS(ProtocolFailure, "a frame of 4294967295 bytes is announced; at most 16777216 are taken", near.receive(Deadline::in(1.0)));
}

TEST(frames_that_come_byte_by_byte_are_put_together) {
  Pair pair = make_socket_pair();
  std::thread slow([&] {
    std::vector<char> bytes(8 + 16);
    const std::uint32_t header[2] = {16, static_cast<std::uint32_t>(Kind::values)};
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

TEST(shared_memory_with_spoilt_counters_ends_the_link) {
  const Descriptor memory = make_memory();
  ChannelPointer channel = open_memory(memory, MemorySide::maker, Descriptor(), "guest");
  const std::vector<char> spoilt(4096, '\x7f');
  // all counters of the other end's ring; its place is that of any ring in the middle of the segment
  for (off_t at = 0; at < 600'000; at += 4096) CHECK(::pwrite(memory.get(), spoilt.data(), spoilt.size(), at) >= 0 || at > 500'000);
  char byte;
  CHECK_THROWS(ChannelClosed, "corrupt", channel->read(&byte, 1, Deadline::in(1.0)));
  CHECK_THROWS(ChannelClosed, "corrupt", channel->write(&byte, 1, Deadline::in(1.0)));
}

TEST(something_else_is_not_taken_for_shared_memory) {
  Descriptor zero(::open("/dev/zero", O_RDWR));
  CHECK_THROWS(std::runtime_error, "no shared memory of a link", open_memory(zero, MemorySide::guest, Descriptor(), "it"));
}

namespace {
/// What `answer` says to a visitor who sends these bytes; and what the visitor gets back.
std::string answer_to(const std::string& bytes, Gate& gate) {
  Pair pair = make_socket_pair();
  pair.first->write(bytes.data(), bytes.size(), Deadline::in(1.0));
  FrameLink link(std::move(pair.second));
  try {
    answer(link, gate);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string hello(const std::string& text, Kind kind = Kind::hello) {
  const std::uint32_t header[2] = {static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(kind)};
  return std::string(reinterpret_cast<const char*>(header), sizeof header) + text;
}
}  // namespace

TEST(a_handshake_needs_magic_version_and_token) {
  Gate gate("secret", true);
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    const std::string text = answer_to(bytes, gate);
    check::mentions(__FILE__, __LINE__, text, why);
  };
  refused("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "bytes is announced; at most 1024 are taken");
  refused(hello("something else"), "does not speak the protocol");
  refused(hello("counterpoint-link 1 secret", Kind::start), "does not speak the protocol");
  refused(hello("counterpoint-link one secret"), "does not say its version");
  refused(hello("counterpoint-link 2 secret"), "it speaks version 2 of the link protocol, this program version 1");
  for (const char* token : {"", "secre", "secret ", "Secret", "secretsecret"}) refused(hello(std::string("counterpoint-link 1 ") + token), "wrong token");
  CHECK(answer_to(hello("counterpoint-link 1 secret"), gate).empty());
  refused(hello("counterpoint-link 1 secret"), "this token was used before");
  Gate lasting("secret", false);
  CHECK(answer_to(hello("counterpoint-link 1 secret"), lasting).empty());
  CHECK(answer_to(hello("counterpoint-link 1 secret"), lasting).empty());
}

TEST(who_connects_is_told_why_it_is_refused) {
  for (const char* token : {"right", "wrong"}) {
    Pair pair = make_socket_pair();
    FrameLink near(std::move(pair.first));
    FrameLink far(std::move(pair.second));
    Gate gate("right", true);
    std::thread other([&] {
      try {
        answer(far, gate);
      } catch (const Refused&) {
      }
    });
    if (std::string(token) == "right") {
      greet(near, token);
    } else {
      CHECK_THROWS(Refused, "refuses the connection: wrong token", greet(near, token));
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
  ports.heartbeat = 1.0;
  ports.can_save = ports.derivatives = ports.requests = ports.begins = ports.paces = ports.stops_early = true;
  const std::string text = ports.to_text();
  const Ports read = Ports::from_text(text);
  CHECK(read.to_text() == text);
  CHECK(read.inputs[1].start[2] == 1.0 / 3.0);
  CHECK(read.input_width() == 4 && read.output_width() == 1);
}

TEST(ports_that_make_no_sense_are_refused_with_the_line) {
  const auto refused = [](const std::string& text, const std::string& why) {
    CHECK_THROWS(ProtocolFailure, why, Ports::from_text(text));
  };
  refused("input\n", "word 2 is missing");
  refused("input\tx\t0\n", "the width is a whole number from 1");
  refused("input\tx\t1e99\n", "the width is a whole number from 1");
  refused("output\tx\tmany\n", "\"many\" is no finite number");
  refused("output\tx\noutput\tx\n", "the name was there before");
  refused("output\tx\t1048576\noutput\tz\n", "too many values");
  refused("input\tx\t2\tm\t1\n", "a start value for each");
  refused("step\t0\n", "a positive number of seconds");
  refused("ask\t1.5\n", "shares of a step lie between 0 and 1");
  refused("name\t\x1b[31m\n", "control characters");
  CHECK(Ports::from_text("something new\t1\noutput\ty\n").outputs.size() == 1);
}
