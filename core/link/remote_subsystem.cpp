#include "link/remote_subsystem.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "link/handshake.hpp"
#include "link/heartbeat.hpp"
#include "link/server.hpp"
#include "numbers.hpp"

namespace counterpoint::link {

namespace {
constexpr std::size_t max_messages = 1000;  ///< that are kept of a run
constexpr double beats_per_silence = 4.0;   ///< that the other end allows: one may be late
constexpr double silent_heartbeats = 5.0;   ///< that may be missing before the other end counts as gone
}  // namespace

/// The link as long as it is good; from the first failure on, why it is not.
class RemoteSubsystem::Session {
 public:
  Session(std::unique_ptr<FrameLink> frames, RemoteSettings remote_settings)
      : settings(std::move(remote_settings)), frames_(std::move(frames)), peer_(frames_->peer()) {}

  FrameLink& link() {
    if (!frames_) throw ComponentFailure(lost_, true);
    return *frames_;
  }
  bool good() const { return frames_ != nullptr; }
  void drop(std::string why) {
    beat_.reset();
    frames_.reset();
    lost_ = std::move(why);
  }
  void set_heartbeat(double seconds) { silence_ = seconds > 0.0 ? silent_heartbeats * seconds : Polynomial::infinity; }

  /// Show the other end that this program runs while no command is under way, if it asks for that.
  void show_life(double silence) {
    if (silence <= 0.0) return;
    beat_ = std::make_unique<Heartbeat>(link(), std::clamp(silence / beats_per_silence, 0.05, 600.0));
    beat_->set_on(true);
  }

  /// Run something that talks to the other end; when that fails the link is not used again.
  template <class Talk>
  auto guarded(const Talk& talk) {
    try {
      return talk(link());
    } catch (const ChannelClosed& error) {
      lose(error.what());
    } catch (const ChannelTimeout& error) {
      lose(error.what());
    } catch (const ProtocolFailure& error) {
      lose(error.what());
    }
  }

  /// The next answer: log messages are handled, heartbeats skipped.
  Frame receive(FrameLink& link, const Deadline& deadline) {
    const Quiet quiet(beat_.get());  // the other end is at work and reads nothing
    try {
      while (true) {
        const Frame frame = link.receive(Deadline::earlier(deadline, Deadline::in(silence_)));
        if (frame.kind != FrameKind::alive && frame.kind != FrameKind::log) return frame;
        if (frame.kind == FrameKind::log) note(frame.text());
        check(deadline);
      }
    } catch (const ChannelTimeout&) {
      Text text;
      if (deadline.passed()) {
        text << "did not answer within " << settings.deadline << " s; a longer deadline can be given";
      } else {
        text << "sent no heartbeat for " << silence_ << " s";
      }
      throw ChannelTimeout(text.str());
    }
  }

  /// A stream of other frames is not an answer.
  static void check(const Deadline& deadline) {
    if (deadline.passed()) throw ChannelTimeout("no answer in time");
  }

  RemoteSettings settings;
  std::vector<std::string> messages;

 private:
  /// No heartbeat meanwhile.
  struct Quiet {
    explicit Quiet(Heartbeat* stopped) : beat(stopped) {
      if (beat != nullptr) beat->set_on(false);
    }
    ~Quiet() {
      if (beat != nullptr) beat->set_on(true);
    }
    Heartbeat* beat;
  };

  void note(std::string line) {
    if (settings.log) return settings.log(line);
    if (messages.size() < max_messages) messages.push_back(std::move(line));
  }

  [[noreturn]] void lose(const std::string& reason) {
    beat_.reset();
    frames_.reset();
    lost_ = settings.explain_loss ? settings.explain_loss(reason) : peer_ + ": " + reason;
    throw ComponentFailure(lost_, true);
  }

  std::unique_ptr<FrameLink> frames_;
  std::string peer_;
  std::string lost_;
  double silence_ = Polynomial::infinity;
  std::unique_ptr<Heartbeat> beat_;  ///< uses the frames: gone before them
};

struct RemoteSubsystem::Saved final : SavedState {
  Saved(std::shared_ptr<Session> owner, double number) : session(std::move(owner)), handle(number) {}
  ~Saved() override {
    if (!session->good()) return;
    try {
      session->link().begin(FrameKind::forget).put(handle).send(Deadline::in(session->settings.deadline));
    } catch (const std::exception&) {  // the next command will notice
    }
  }
  std::shared_ptr<Session> session;
  double handle;
};

namespace {

[[noreturn]] void throw_error_of(const Frame& frame) {
  const std::string all = frame.text();
  const std::size_t tab = all.find('\t');
  const Failure::Kind kind = failure_kind_of(std::string_view(all).substr(0, tab));
  const std::string text = tab == std::string::npos ? all : all.substr(tab + 1);
  if (all.rfind("end\t", 0) == 0) {
    const std::size_t end = text.find('\t');
    throw RunEnd(text.substr(end + 1), number_from(std::string_view(text).substr(0, end)).value_or(0.0));
  }
  if (kind == Failure::Kind::solver) throw SolverFailure(text);
  throw ComponentFailure(text, kind == Failure::Kind::death);
}

void expect(const Frame& frame, FrameKind kind) {
  if (frame.kind == FrameKind::error) throw_error_of(frame);
  if (frame.kind == kind) return;
  throw ProtocolFailure("answers with a frame of kind " + std::to_string(static_cast<int>(frame.kind)) + " where " +
                        std::to_string(static_cast<int>(kind)) + " is expected");
}

}  // namespace

RemoteSubsystem::RemoteSubsystem(std::unique_ptr<FrameLink> link, RemoteSettings settings)
    : session_(std::make_shared<Session>(std::move(link), std::move(settings))), peer_(session_->link().peer()) {
  session_->guarded([&](FrameLink& open) {
    const Frame frame = session_->receive(open, Deadline::in(session_->settings.deadline));
    expect(frame, FrameKind::ports);
    ports_ = Ports::from_text(frame.bytes);
  });
  session_->set_heartbeat(ports_.heartbeat);
  session_->show_life(ports_.silence);
  inputs_ = ports_.input_width();
  y_.resize(ports_.output_width());
  dy_.resize(y_.size());
}

RemoteSubsystem::~RemoteSubsystem() { close(); }

void RemoteSubsystem::close() noexcept {
  finish();
  if (!session_->good()) return;
  try {
    session_->link().begin(FrameKind::bye).send(Deadline::in(1.0));
  } catch (const std::exception&) {  // it has gone first
  }
  session_->drop(peer_ + ": the connection was closed");
}

void RemoteSubsystem::command(FrameKind kind, double t, double t_end, Inputs* u, const std::vector<double>& shares) {
  discard_announced();
  send(kind, t, t_end, u, shares);
  await_reply(u);
}

/// A command with the inputs at shares of its step.
void RemoteSubsystem::send(FrameKind kind, double t, double t_end, Inputs* u, const std::vector<double>& shares) {
  outputs_fresh_ = false;
  rows_.clear();
  if (u != nullptr) collect_inputs(t, t_end, *u, shares);
  const double count = static_cast<double>(rows_.size()) / (inputs_ + 1);
  session_->guarded([&](FrameLink& link) {
    link.begin(kind).put(t).put(t_end).put(wants_derivatives_ ? 1.0 : 0.0).put(count).put(rows_.data(), rows_.size());
    link.send(Deadline::in(session_->settings.deadline));
  });
}

/// Answer requests, take the reply.
void RemoteSubsystem::await_reply(Inputs* u) {
  std::exception_ptr inputs_failed;
  session_->guarded([&](FrameLink& link) {
    const Deadline deadline = Deadline::in(session_->settings.deadline);
    while (true) {
      const Frame frame = session_->receive(link, deadline);
      if (frame.kind != FrameKind::request) {
        if (inputs_failed) std::rethrow_exception(inputs_failed);
        expect(frame, FrameKind::reply);
        return take_reply(frame);
      }
      Session::check(deadline);
      frame.numbers(reply_, 1);
      if (u == nullptr || inputs_ == 0) throw ProtocolFailure("asks for inputs, but it has none");
      answer_request(link, reply_[0], *u, deadline, inputs_failed);
    }
  });
}

void RemoteSubsystem::answer_request(FrameLink& link, double t, Inputs& u, const Deadline& deadline,
                                     std::exception_ptr& failed) {
  const double* values = nullptr;
  try {
    values = u.at(t);
  } catch (const std::exception& error) {
    failed = std::current_exception();
    return link.send_text(FrameKind::error, error.what(), deadline);
  }
  link.begin(FrameKind::values).put(values, static_cast<std::size_t>(inputs_)).send(deadline);
}

/// Where inputs cannot be made the other end may not need them: if it can request them it will, and fail then.
void RemoteSubsystem::collect_inputs(double t, double t_end, Inputs& u, const std::vector<double>& shares) {
  if (inputs_ == 0) return;
  for (const double share : shares) {
    for_times_of(share, t, t_end, [&](double time) {
      try {
        const double* const values = u.at(time);
        rows_.push_back(time);
        rows_.insert(rows_.end(), values, values + inputs_);
      } catch (const std::exception&) {
        if (!ports_.requests) throw;
      }
    });
  }
}

void RemoteSubsystem::take_reply(const Frame& frame) {
  frame.numbers(reply_, 3);
  reached_ = reply_[0];
  preferred_step_ = reply_[1];
  const double* next = reply_.data() + 3;
  std::size_t left = reply_.size() - 3;
  if (!(reply_[2] >= 0.0 && reply_[2] <= static_cast<double>(std::min<std::size_t>(left, 64)))) {
    throw ProtocolFailure("announces a wrong number of input times");
  }
  if (const auto shares = static_cast<std::size_t>(reply_[2]); shares > 0) {
    input_shares_.assign(next, next + shares);
    next += shares;
    left -= shares;
  }
  has_before_ = false;
  if (ports_.jumps) {
    if (left == 0 || (*next != 0.0 && left <= y_.size()))
      throw ProtocolFailure("does not say whether its outputs jump");
    has_before_ = *next++ != 0.0;
    --left;
    if (has_before_) {
      before_.assign(next, next + y_.size());
      next += y_.size();
      left -= y_.size();
    }
  }
  if (left != 0 && left != y_.size() && left != 2 * y_.size()) {
    throw ProtocolFailure("replies with " + std::to_string(left) + " outputs instead of " + std::to_string(y_.size()));
  }
  if (left > 0) std::copy_n(next, y_.size(), y_.begin());
  has_derivatives_ = left > y_.size();
  if (has_derivatives_) std::copy_n(next + y_.size(), y_.size(), dy_.begin());
  outputs_fresh_ = left > 0;
}

const std::vector<std::string>& RemoteSubsystem::messages() const { return session_->messages; }

void RemoteSubsystem::start(double t) {
  session_->messages.clear();
  input_shares_ = ports_.asks;
  running_ = true;
  command(FrameKind::start, t, t, nullptr, {});
  outputs_fresh_ = false;
}

bool RemoteSubsystem::begin(double t, Inputs& u) {
  if (!ports_.begins) return false;
  command(FrameKind::begin, t, t, &u, {0.0});
  outputs_fresh_ = false;
  return true;
}

void RemoteSubsystem::finish() noexcept {
  if (!running_ || !session_->good()) return;
  running_ = false;
  try {
    command(FrameKind::finish, reached_, reached_, nullptr, {});
  } catch (...) {  // the run is over and its results are there
  }
}

void RemoteSubsystem::announce(double t, double t_end, Inputs& u) {
  send(FrameKind::step, t, t_end, &u, input_shares_);
  announced_ = &u;
}

/// Another command comes before the step that was announced is asked for: its answer is received first, and kept.
void RemoteSubsystem::receive_announced() noexcept {
  if (announced_ == nullptr || announced_answered_) return;
  announced_answered_ = true;
  try {
    await_reply(announced_);
  } catch (...) {
    failed_ = std::current_exception();
  }
}

/// Something else happens than the step that was announced: its answer is not used. If it failed, the run has another
/// reason to end.
void RemoteSubsystem::discard_announced() noexcept {
  receive_announced();
  announced_ = nullptr;
  announced_answered_ = false;
  failed_ = nullptr;
}

double RemoteSubsystem::step(double t, double t_end, Inputs& u) {
  if (announced_ == nullptr) send(FrameKind::step, t, t_end, &u, input_shares_);
  announced_ = nullptr;
  if (!std::exchange(announced_answered_, false)) await_reply(&u);
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  if (!outputs_fresh_ && !y_.empty()) throw ComponentFailure(peer_ + ": a step was answered without outputs");
  return reached_;
}

const double* RemoteSubsystem::output(double t, Inputs& u) {
  const bool known = outputs_fresh_ && t == reached_;
  if (!known) {
    const bool uses_inputs = !ports_.feedthrough.empty() || !ports_.initial_feedthrough.empty();
    command(FrameKind::output, t, t, &u, uses_inputs ? std::vector<double>{0.0} : std::vector<double>{});
    if (!outputs_fresh_ && !y_.empty()) throw ComponentFailure(peer_ + ": outputs were asked for and did not come");
  }
  outputs_fresh_ = false;  // asked again, inputs may have changed meanwhile
  return y_.data();
}

const double* RemoteSubsystem::output_derivative(double t, Inputs& u) {
  if (!has_derivatives_) {
    wants_derivatives_ = true;
    outputs_fresh_ = false;
    output(t, u);
  }
  has_derivatives_ = false;
  return dy_.data();
}

std::unique_ptr<SavedState> RemoteSubsystem::save() const {
  if (!ports_.can_save) return nullptr;
  return session_->guarded([&](FrameLink& link) -> std::unique_ptr<SavedState> {
    const Deadline deadline = Deadline::in(session_->settings.deadline);
    link.begin(FrameKind::save).send(deadline);
    const Frame frame = session_->receive(link, deadline);
    expect(frame, FrameKind::handle);
    std::vector<double> handle;
    frame.numbers(handle, 1);
    return std::make_unique<Saved>(session_, handle[0]);
  });
}

void RemoteSubsystem::restore(const SavedState& state) {
  const Saved& saved = static_cast<const Saved&>(state);
  if (saved.session != session_) throw ComponentFailure("the state to restore belongs to another run");
  discard_announced();
  outputs_fresh_ = has_derivatives_ = has_before_ = false;
  session_->guarded([&](FrameLink& link) {
    const Deadline deadline = Deadline::in(session_->settings.deadline);
    link.begin(FrameKind::restore).put(saved.handle).send(deadline);
    const Frame frame = session_->receive(link, deadline);
    expect(frame, FrameKind::reply);
    take_reply(frame);
  });
  outputs_fresh_ = false;
}

std::string RemoteSubsystem::call(const std::string& bytes) {
  receive_announced();
  return session_->guarded([&](FrameLink& link) {
    const Deadline deadline = Deadline::in(session_->settings.deadline);
    link.send_text(FrameKind::call, bytes, deadline);
    const Frame frame = session_->receive(link, deadline);
    expect(frame, FrameKind::result);
    return frame.text();
  });
}

void RemoteSubsystem::ping() {
  receive_announced();
  session_->guarded([&](FrameLink& link) {
    const Deadline deadline = Deadline::in(session_->settings.deadline);
    link.begin(FrameKind::ping).send(deadline);
    expect(session_->receive(link, deadline), FrameKind::pong);
  });
}

}  // namespace counterpoint::link
