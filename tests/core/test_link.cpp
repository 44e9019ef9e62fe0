// Links: the two ends run in two threads here, as they would in two processes.

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

#include "check.hpp"
#if defined(__linux__)
#include "link/memory_channel.hpp"
#elif defined(_WIN32)
#include "link/pipe_channel.hpp"
#endif
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

/// As between a child process and its parent.
Pair child_pair() {
#if defined(__linux__)
  const Descriptor memory = make_memory();
  return {open_memory(memory, MemorySide::maker, Descriptor(), "guest"),
          open_memory(memory, MemorySide::guest, Descriptor(), "maker")};
#elif defined(_WIN32)
  auto [near_end, far_end] = make_pipe();
  return {make_pipe_channel(std::move(near_end), "child"), make_pipe_channel(std::move(far_end), "parent")};
#else
  return make_socket_pair();
#endif
}

Pair listening_pair(const std::string& address) {
  Listener listener(Address::parse(address));
  ChannelPointer near;
  std::thread other([&] { near = connect(listener.address(), Deadline::in(5.0)); });
  PendingConnection pending = listener.accept(Deadline::in(5.0));
  other.join();
  return {std::move(near), link::open(std::move(pending), Deadline::in(5.0))};
}

std::string path(const std::string& name) {
  const std::string own = "counterpoint-test-" + std::to_string(this_process()) + "-" + name;
  return (std::filesystem::temp_directory_path() / own).string();
}

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  pairs.push_back(child_pair());
  pairs.push_back(make_socket_pair());
  pairs.push_back(listening_pair("tcp://127.0.0.1:0"));
#if !defined(_WIN32)
  pairs.push_back(listening_pair("unix://" + path("socket")));
#endif
#if defined(__linux__)
  pairs.push_back(listening_pair("shm://" + path("memory")));
#endif
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
  spec.participants = {
      {wave, wave_step, {}, {}}, {std::move(first), 0.01, {0.0, 0.0}, {0}}, {std::move(second), 0.003, {0.0}, {1}}};
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
    while (at < got.size())
      at += pair.second->read(got.data() + at, std::min<std::size_t>(got.size() - at, 4099), Deadline::in(30.0));
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
  for (const char* text : {"tcp://127.0.0.1:4711", "tcp://[::1]:0"}) {
    CHECK(Address::parse(text).text() == text);
    CHECK(Address::parse(text).is_local());
  }
  CHECK(!Address::parse("tcp://0.0.0.0:1").is_local());
  CHECK(!Address::parse("tcp://example.org:1").is_local());
  for (const char* host : {"127.evil.example", "127.0.0.1.evil.example", "127.1", "0x7f.1", "localhost.", "[::]"})
    CHECK(!Address::parse(std::string("tcp://") + host + ":1").is_local());
  for (const char* host : {"127.9.9.9", "localhost", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]"})
    CHECK(Address::parse(std::string("tcp://") + host + ":1").is_local());
  for (const char* text : {"", "tcp://", "tcp://host", "tcp://host:", "tcp://host:x", "tcp://host:70000",
                           "tcp://me@host:1", "tcp://a b:1", "tcp://host/x:1", "udp://host:1"}) {
    CHECK_THROWS(std::invalid_argument, "write tcp://host:port, unix:///path or shm:///path", Address::parse(text));
  }
}

TEST(an_address_in_use_is_told) {
  Listener first(Address::parse("tcp://127.0.0.1:0"));
  CHECK(first.address().port > 0);
  CHECK_THROWS(std::runtime_error, "cannot listen there (port 0 takes any free one): ", Listener(first.address()));
}

TEST(no_program_at_an_address_is_told) {
  const int free_port = Listener(Address::parse("tcp://127.0.0.1:0")).address().port;
  CHECK_THROWS(ChannelClosed, "is the other program listening?",
               connect(Address::parse("tcp://127.0.0.1:" + std::to_string(free_port)), Deadline::in(0.0)));
  Listener listener(Address::parse("tcp://127.0.0.1:0"));
  CHECK_THROWS(ChannelTimeout, "no program has connected", listener.accept(Deadline::in(0.0)));
}

#if defined(_WIN32)

TEST(windows_has_no_sockets_at_paths) {
  for (const char* text : {"unix:///tmp/x", "shm:///tmp/x"})
    CHECK_THROWS(std::invalid_argument, "write tcp://127.0.0.1:port", Address::parse(text));
}

#else

TEST(a_path_is_read_and_written_alike) {
  CHECK(Address::parse("unix:///tmp/a b").text() == "unix:///tmp/a b");
  CHECK(Address::parse("unix:///tmp/a b").is_local());
  CHECK_THROWS(std::invalid_argument, "expected an absolute path", Address::parse("unix://relative"));
  CHECK_THROWS(std::invalid_argument, " bytes; write tcp://host:port, unix:///path or shm:///path",
               Address::parse("unix:///" + std::string(200, 'x')));
}

TEST(a_path_in_use_is_told_and_a_dead_socket_is_taken_over) {
  const Address place = Address::parse("unix://" + path("twice"));
  {
    Listener second(place);
    CHECK_THROWS(std::runtime_error, "Address already in use", Listener{place});
  }
  CHECK(!std::filesystem::exists(place.path));
  Listener again(place);
}

TEST(no_program_at_a_path_is_told) {
  CHECK_THROWS(ChannelClosed, "is the other program listening?",
               connect(Address::parse("unix://" + path("nobody")), Deadline::in(0.0)));
  Listener listener(Address::parse("unix://" + path("quiet")));
  CHECK_THROWS(ChannelTimeout, "no program has connected", listener.accept(Deadline::in(0.0)));
}

#endif

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
    const std::vector<double> times = {
        t, t + 0.5 * h, t_end, t + 0.2 * h, t + 0.3 * h, t + 0.8 * h, t + 8.0 / 9.0 * h, 0.5 * (t + t_end)};
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
  Hosted hosted(model, ports, child_pair());
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
  Hosted hosted(model, ports_of(model), child_pair());
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
  silent.send_text(FrameKind::ports, ports.to_text(), Deadline::in(1.0));
  RemoteSubsystem remote(std::make_unique<FrameLink>(std::move(pair.first)), {});
  CHECK_THROWS(ComponentFailure, "sent no heartbeat for 0.1 s", remote.start(0.0));
}

TEST(a_master_shows_that_it_lives_or_is_given_up) {
  Slow model;
  Ports ports = ports_of(model);
  ports.silence = 0.4;
  Inputs none{std::vector<double>{}};
  for (Pair& pair : all_pairs()) {
    Hosted hosted(model, ports, std::move(pair));
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));  // idle, for longer than the server waits
    hosted.remote->start(0.0);
    CHECK_CLOSE(0.01, hosted.remote->step(0.0, 0.01, none), 0.0);
  }
  Pair pair = make_socket_pair();  // says nothing
  FrameLink far(std::move(pair.second));
  LinkServer server(far, model, ports);
  CHECK_THROWS(ChannelTimeout, "sent no command and no sign of life for 0.4 s", server.serve());
}

TEST(a_peer_that_dies_in_a_step_is_told) {
  for (Pair& pair : all_pairs()) {
    auto far = std::make_unique<FrameLink>(std::move(pair.second));
    far->send_text(FrameKind::ports, "output\ty\n", Deadline::in(1.0));
    RemoteSubsystem remote(std::make_unique<FrameLink>(std::move(pair.first)), {});
    std::thread dying([&] {
      far->receive(Deadline::in(5.0));
      far.reset();
    });
    CHECK_THROWS(ComponentFailure, "", remote.start(0.0));
    dying.join();
  }
}

#if defined(__linux__)

TEST(an_address_of_memory_is_read_and_written_alike) {
  CHECK(Address::parse("shm:///tmp/x").text() == "shm:///tmp/x");
  CHECK(Address::parse("shm:///tmp/x").is_local());
  CHECK_THROWS(std::invalid_argument, "expected an absolute path", Address::parse("shm://"));
}

TEST(shared_memory_with_spoilt_counters_ends_the_link) {
  const Descriptor memory = make_memory();
  ChannelPointer channel = open_memory(memory, MemorySide::maker, Descriptor(), "guest");
  const std::vector<char> spoilt(4096, '\x7f');
  // all counters of the other end's ring; its place is that of any ring in the middle of the segment
  for (off_t at = 0; at < 600'000; at += 4096)
    CHECK(::pwrite(memory.get(), spoilt.data(), spoilt.size(), at) >= 0 || at > 500'000);
  char byte;
  CHECK_THROWS(ChannelClosed, "corrupt", channel->read(&byte, 1, Deadline::in(1.0)));
  CHECK_THROWS(ChannelClosed, "corrupt", channel->write(&byte, 1, Deadline::in(1.0)));
}

TEST(something_else_is_not_taken_for_shared_memory) {
  Descriptor zero(::open("/dev/zero", O_RDWR));
  CHECK_THROWS(std::runtime_error, "not the shared memory of a link",
               open_memory(zero, MemorySide::guest, Descriptor(), "it"));
}

#endif
