#include "link/server.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "check.hpp"
#include "coupling/cancellation.hpp"
#include "numbers.hpp"

namespace counterpoint::link {

namespace {

constexpr std::size_t max_requested = 64;
constexpr double idle_seconds = 0.2;
constexpr int largest_denominator = 20;  ///< of shares that are tried: those of our solvers are below

/// A term of inputs needs an approximation; this one is never asked.
class NoApproximation final : public Approximation {
 public:
  void build(const Samples&, const ConsumerStep&, double, Polynomial&) const override {
    internal_error("inputs behind a link have no samples");
  }
  int points_behind() const override { return 1; }
  std::string name() const override { return "asked"; }
};

}  // namespace

void find_shares(double t, double t_end, const std::vector<double>& times, std::vector<double>& shares) {
  shares.clear();
  const auto reaches = [&](double share, double time) {
    bool found = false;
    for_times_of(share, t, t_end, [&](double reached) { found = found || reached == time; });
    return found;
  };
  const auto share_of = [&](double time) {
    for (const double share : {0.0, 1.0, 0.5}) {
      if (reaches(share, time)) return share;
    }
    const double about = (time - t) / (t_end - t);
    for (int q = 3; q <= largest_denominator; ++q) {
      const double share = std::round(about * q) / q;
      if (share > 0.0 && share < 1.0 && reaches(share, time)) return share;
    }
    return -1.0;
  };
  for (const double time : times) {
    const double share = share_of(time);
    if (share >= 0.0 && std::find(shares.begin(), shares.end(), share) == shares.end()) shares.push_back(share);
  }
}

/// Inputs whose values are at the other end: some came with the command, the others are requested when they are needed.
class LinkServer::RequestedInputs final : public Inputs {
 public:
  RequestedInputs(FrameLink& link, int width, double silence)
      : Inputs(std::vector<double>(width)), link_(link), silence_(silence) {
    if (width == 0) return;
    Connection all;
    all.approximation = std::make_shared<NoApproximation>();
    all.samples.width = width;
    add_connection(std::move(all));
    choose_fast_paths();
  }

  /// The values that came: rows of a time and all inputs at it.
  void set_known(const double* rows, std::size_t count) {
    rows_ = rows;
    count_ = count;
    asked_.clear();
    for (Connection& c : connections()) c.polynomial.invalidate();
  }

  const std::vector<double>& asked() const { return asked_; }
  bool come_from_elsewhere() const override { return true; }

 protected:
  void rebuild(Connection& c, double t) override {
    const double* const values = find(t);
    if (asked_.size() < max_requested) asked_.push_back(t);
    std::copy_n(values, width(), c.polynomial.coefficient(0));
    c.polynomial.degree = 0;
    c.polynomial.from = t;
    c.polynomial.to = std::nextafter(t, Polynomial::infinity);
  }

 private:
  const double* find(double t) {
    const auto row_size = static_cast<std::size_t>(width()) + 1;
    for (std::size_t k = 0; k < count_; ++k) {
      if (rows_[k * row_size] == t) return rows_ + k * row_size + 1;
    }
    return request(t);
  }

  const double* request(double t) {
    link_.begin(FrameKind::request).put(t).send(Deadline::from_first_wait(silence_));
    const Frame frame = next_answer();
    if (frame.kind == FrameKind::error)
      throw std::runtime_error("the master could not evaluate the inputs: " + frame.text());
    if (frame.kind != FrameKind::values) throw ProtocolFailure("a request for inputs was not answered by values");
    frame.numbers(values_, static_cast<std::size_t>(width()));
    return values_.data();
  }

  /// The master may be at work for as long as it likes, if it says so.
  Frame next_answer() {
    while (true) {
      const Frame frame = link_.receive(Deadline::from_first_wait(silence_));
      if (frame.kind != FrameKind::alive) return frame;
    }
  }

  FrameLink& link_;
  double silence_;
  const double* rows_ = nullptr;
  std::size_t count_ = 0;
  std::vector<double> asked_;
  std::vector<double> values_;
};

LinkServer::LinkServer(FrameLink& link, Subsystem& model, Ports ports)
    : link_(link),
      model_(model),
      ports_(std::move(ports)),
      silence_(ports_.silence > 0.0 ? ports_.silence : Polynomial::infinity),
      inputs_(std::make_unique<RequestedInputs>(link, model.input_width(), silence_)) {}

LinkServer::~LinkServer() = default;

void LinkServer::serve() {
  link_.send_text(FrameKind::ports, ports_.to_text(), Deadline::in(30.0));
  if (ports_.heartbeat > 0.0) heartbeat_ = std::make_unique<Heartbeat>(link_, ports_.heartbeat);
  while (true) {
    Cancellation::check();
    const Frame frame = next_command();
    if (frame.kind == FrameKind::bye) return;
    if (heartbeat_) heartbeat_->set_on(true);
    try {
      execute(frame);
    } catch (const ChannelClosed&) {
      throw;
    } catch (const ChannelTimeout&) {
      throw;
    } catch (const Cancelled&) {
      describe_failure();
      throw;
    } catch (...) {
      describe_failure();
    }
    if (heartbeat_) heartbeat_->set_on(false);
  }
}

/// Most commands come at once: then the clock is not asked.
Frame LinkServer::next_command() {
  const bool waits_for_ever = !idle_ && ports_.silence <= 0.0;
  std::optional<Deadline> silence;
  while (true) {
    try {
      const Frame frame = link_.receive(waits_for_ever ? Deadline::never() : Deadline::from_first_wait(idle_seconds));
      if (frame.kind != FrameKind::alive) return frame;
      silence.reset();
    } catch (const ChannelTimeout&) {
      if (!silence) silence = Deadline::in(silence_);
      if (silence->passed()) throw_silent();
      if (idle_) idle_();
      Cancellation::check();
    }
  }
}

void LinkServer::throw_silent() const {
  Text text;
  text << "sent no command and no sign of life for " << silence_ << " s";
  throw ChannelTimeout(text.str());
}

void LinkServer::execute(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::start:
    case FrameKind::begin:
    case FrameKind::step:
    case FrameKind::output:
    case FrameKind::finish:
      frame.numbers(command_, 4);
      return advance(frame.kind);
    case FrameKind::save:
      return save();
    case FrameKind::restore:
      frame.numbers(command_, 1);
      return restore();
    case FrameKind::forget:
      frame.numbers(command_, 1);
      saved_.erase(command_[0]);
      return;
    case FrameKind::ping:
      return link_.begin(FrameKind::pong).send(Deadline::from_first_wait(silence_));
    case FrameKind::call: {
      if (!calls_) throw ProtocolFailure("no calls are offered here");
      const std::string result = calls_(frame.text());
      return link_.send_text(FrameKind::result, result, Deadline::from_first_wait(silence_));
    }
    default:
      throw ProtocolFailure("a frame of kind " + std::to_string(static_cast<int>(frame.kind)) + " is not a command");
  }
}

/// t, t_end, whether derivatives are wanted, number of rows, rows of a time and the inputs at it.
void LinkServer::advance(FrameKind kind) {
  const double t = command_[0];
  const double t_end = command_[1];
  const auto row_size = static_cast<std::size_t>(model_.input_width()) + 1;
  const std::size_t rows = (command_.size() - 4) / row_size;
  if (command_[3] != static_cast<double>(rows) || command_.size() != 4 + rows * row_size) {
    throw ProtocolFailure("a command has a wrong number of inputs");
  }
  inputs_->set_known(command_.data() + 4, rows);
  input_shares_.clear();
  double reached = t;
  if (kind == FrameKind::start) model_.start(t);
  if (kind == FrameKind::begin) model_.begin(t, *inputs_);
  if (kind == FrameKind::finish) model_.finish();
  if (kind == FrameKind::step) reached = model_.step(t, t_end, *inputs_);
  reply(reached, kind == FrameKind::step || kind == FrameKind::output);
}

/// Time reached, preferred step, number of shares, shares of the step at which inputs were used, whether outputs before
/// an event follow, those, outputs, derivatives where they are wanted.
void LinkServer::reply(double reached, bool with_outputs) {
  const bool derivatives = with_outputs && ports_.derivatives && command_[2] != 0.0;
  const double* const y = with_outputs ? model_.output(reached, *inputs_) : nullptr;
  const double* const dy = derivatives ? model_.output_derivative(reached, *inputs_) : nullptr;
  if (with_outputs && command_[1] > command_[0]) find_shares(command_[0], command_[1], inputs_->asked(), input_shares_);
  const auto width = static_cast<std::size_t>(model_.output_width());
  link_.begin(FrameKind::reply).put(reached).put(ports_.paces ? model_.preferred_step() : 0.0);
  link_.put(static_cast<double>(input_shares_.size())).put(input_shares_.data(), input_shares_.size());
  if (ports_.jumps) {
    const double* const before = with_outputs && command_[1] > command_[0] ? model_.output_before_event() : nullptr;
    link_.put(before != nullptr ? 1.0 : 0.0);
    if (before != nullptr) link_.put(before, width);
  }
  if (y != nullptr) link_.put(y, width);
  if (dy != nullptr) link_.put(dy, width);
  link_.send(Deadline::from_first_wait(silence_));
}

void LinkServer::save() {
  std::unique_ptr<SavedState> state = model_.save();
  if (!state) throw ProtocolFailure("this subsystem cannot save its state");
  saved_[++last_handle_] = std::move(state);
  link_.begin(FrameKind::handle).put(last_handle_).send(Deadline::from_first_wait(silence_));
}

void LinkServer::restore() {
  const auto found = saved_.find(command_[0]);
  if (found == saved_.end()) throw ProtocolFailure("no saved state has this number");
  model_.restore(*found->second);
  input_shares_.clear();
  reply(0.0, false);
}

void LinkServer::describe_failure() {
  Failure failure;
  bool is_cancelled = Cancellation::is_requested();  // whatever a model made of it
  try {
    throw;
  } catch (const Cancelled&) {
    is_cancelled = true;
  } catch (const RunEnd& end) {
    link_.begin(FrameKind::error)
        .put("end\t" + number_text(end.time, 17) + "\t")
        .put(end.what())
        .send(Deadline::from_first_wait(silence_));
    return;
  } catch (const ProtocolFailure& error) {
    failure.kind = Failure::Kind::component;
    failure.reason = error.what();
  } catch (...) {
    failure = Failure::of(std::current_exception());
  }
  if (is_cancelled) {
    failure.kind = Failure::Kind::death;
    failure.reason = "the program that serves it was interrupted";
  }
  link_.begin(FrameKind::error)
      .put(word_of(failure.kind))
      .put("\t")
      .put(failure.reason)
      .send(Deadline::from_first_wait(silence_));
}

}  // namespace counterpoint::link
