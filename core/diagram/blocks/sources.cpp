// Sources: signals that depend on time alone. Jumps and corners are known in advance, so that a step ends at each.
// Where events are not located, jumps wait, like all events, for the end of the step in which they fall.

#include "diagram/blocks/source_block.hpp"

#include <algorithm>

namespace counterpoint::diagram {
namespace {

class Constant final : public SourceBlock {
 public:
  explicit Constant(std::vector<double> value)
      : SourceBlock(static_cast<int>(value.size())), value_(std::move(value)) {}
  bool is_pure() const override { return true; }
  void output(const Context&, int) override { std::copy(value_.begin(), value_.end(), out(0)); }

 private:
  std::vector<double> value_;
};

/// `before` until `time`, `after` from then on.
class StepSource final : public SourceBlock {
 public:
  StepSource(Spread time, Spread before, Spread after)
      : SourceBlock(common_width({{"time", &time}, {"before", &before}, {"after", &after}})),
        time_(std::move(time)),
        before_(std::move(before)),
        after_(std::move(after)) {}
  int memory() const override { return width_; }
  bool holds_between_events() const override { return true; }
  double next_event(double t) const override {
    double next = infinity;
    for (int k = 0; k < time_.width(); ++k) {
      if (time_[k] > t) next = std::min(next, time_[k]);
    }
    return next;
  }
  void output(const Context& context, int) override {
    for (int k = 0; k < width_; ++k) {
      if (context.is_major) z()[k] = context.time >= time_[k] ? 1.0 : 0.0;
      out(0)[k] = z()[k] != 0.0 ? after_[k] : before_[k];
    }
  }

 private:
  Spread time_, before_, after_;
};

/// `initial` until `start`, then rising with `slope` until `end`. Continuous, so no piece has to be remembered.
class Ramp final : public SourceBlock {
 public:
  Ramp(double slope, double start, double end, double initial)
      : SourceBlock(1), slope_(slope), start_(start), end_(end), initial_(initial) {
    if (!(end > start)) {
      throw std::invalid_argument("\"end\": " + shown(end) + " s; expected a time after \"start\", " + shown(start) +
                                  " s");
    }
  }
  double next_event(double t) const override { return t < start_ ? start_ : t < end_ ? end_ : infinity; }
  void output(const Context& context, int) override {
    *out(0) = initial_ + slope_ * (std::clamp(context.time, start_, end_) - start_);
  }

 private:
  double slope_, start_, end_, initial_;
};

class Sine final : public SourceBlock {
 public:
  Sine(Spread amplitude, Spread frequency, Spread phase, Spread bias)
      : SourceBlock(
            common_width({{"amplitude", &amplitude}, {"frequency", &frequency}, {"phase", &phase}, {"bias", &bias}})),
        amplitude_(std::move(amplitude)),
        frequency_(std::move(frequency)),
        phase_(std::move(phase)),
        bias_(std::move(bias)) {}
  bool bends_with_time() const override { return true; }
  void output(const Context& context, int) override {
    for (int k = 0; k < width_; ++k) {
      out(0)[k] = bias_[k] + amplitude_[k] * std::sin(frequency_[k] * context.time + phase_[k]);
    }
  }

 private:
  Spread amplitude_, frequency_, phase_, bias_;
};

/// `high` for the first part of each period, `low` for the rest and before the start. z: whether it is high.
///
/// Edges are counted, 2 a period: edge 2c rises, 2c + 1 falls. The same function gives their times to the clock and to
/// the output, so that rounding cannot put them at odds.
class Pulse final : public SourceBlock {
 public:
  Pulse(double period, double width, double start, double low, double high)
      : SourceBlock(1), period_(period), width_of_pulse_(width), start_(start), low_(low), high_(high) {
    if (!(period > 0.0)) throw std::invalid_argument("\"period\": " + shown(period) + " s; expected a positive number");
    if (!(width > 0.0 && width < 1.0)) {
      throw std::invalid_argument("\"width\": " + shown(width) + "; expected a part of the period between 0 and 1");
    }
  }
  int memory() const override { return 1; }
  double next_event(double t) const override { return edge(edges_until(t) + 1.0); }
  void output(const Context& context, int) override {
    if (context.is_major) {
      const double count = edges_until(context.time);
      *z() = count >= 0.0 && std::fmod(count, 2.0) == 0.0 ? 1.0 : 0.0;
    }
    *out(0) = *z() != 0.0 ? high_ : low_;
  }

 private:
  double edge(double number) const {
    const double cycle = std::floor(0.5 * number);
    return start_ + (cycle + (number > 2.0 * cycle ? width_of_pulse_ : 0.0)) * period_;
  }
  /// Number of the last edge not after t, -1 when there is none.
  double edges_until(double t) const {
    if (t < start_) return -1.0;
    double number = 2.0 * std::max(0.0, std::floor((t - start_) / period_) - 1.0);
    while (edge(number + 1.0) <= t) number += 1.0;
    return number;
  }

  double period_, width_of_pulse_, start_, low_, high_;
};

class ClockSource final : public SourceBlock {
 public:
  ClockSource() : SourceBlock(1) {}
  bool bends_with_time() const override { return true; }  // with what is made of it
  void output(const Context& context, int) override { *out(0) = context.time; }
};

/// A sine whose frequency goes from one value to another, by a straight line or by equal factors in equal times; then
/// it stays. The phase is the integral of the frequency in closed form.
class Chirp final : public SourceBlock {
 public:
  Chirp(double amplitude, double first, double last, double duration, double phase, bool is_exponential)
      : SourceBlock(1),
        amplitude_(amplitude),
        first_(first),
        last_(last),
        duration_(duration),
        phase_(phase),
        is_exponential_(is_exponential && first != last) {
    if (!(duration > 0.0))
      throw std::invalid_argument("\"duration\": " + shown(duration) + " s; expected a positive number");
    if (is_exponential && !(first * last > 0.0)) {
      throw std::invalid_argument("\"first_frequency\" and \"last_frequency\": " + shown(first) + " and " +
                                  shown(last) + " rad/s; an exponential sweep needs both positive");
    }
  }
  double next_event(double t) const override { return t < duration_ ? duration_ : infinity; }
  bool bends_with_time() const override { return true; }
  void output(const Context& context, int) override {
    const double swept = std::min(context.time, duration_);
    *out(0) = amplitude_ * std::sin(phase_ + angle(swept) + last_ * (context.time - swept));
  }

 private:
  double angle(double t) const {
    if (!is_exponential_) return t * (first_ + 0.5 * (last_ - first_) * t / duration_);
    const double rate = std::log(last_ / first_) / duration_;
    return first_ * std::expm1(rate * t) / rate;
  }

  double amplitude_, first_, last_, duration_, phase_;
  bool is_exponential_;
};

BlockPointer make_constant(ParameterReader& p) {
  std::vector<double> value = p.vector("value");
  if (value.empty()) throw std::invalid_argument("\"value\": expected at least one number");
  return std::make_shared<Constant>(std::move(value));
}

BlockPointer make_pulse(ParameterReader& p) {
  return std::make_shared<Pulse>(p.number("period"), p.finite("width", 0.5), p.finite("start", 0.0),
                                 p.finite("low", 0.0), p.finite("high", 1.0));
}

BlockPointer make_chirp(ParameterReader& p) {
  const bool is_exponential = p.word("sweep", {"linear", "exponential"}, "linear") == "exponential";
  return std::make_shared<Chirp>(p.finite("amplitude", 1.0), p.number("first_frequency"), p.number("last_frequency"),
                                 p.number("duration"), p.finite("phase", 0.0), is_exponential);
}

}  // namespace

void add_sources(Registry& registry) {
  registry.add("constant", make_constant);
  registry.add("step", [](ParameterReader& p) {
    return std::make_shared<StepSource>(p.vector("time"), p.vector("before", {0.0}), p.vector("after", {1.0}));
  });
  registry.add("ramp", [](ParameterReader& p) {
    return std::make_shared<Ramp>(p.finite("slope", 1.0), p.finite("start", 0.0), p.number("end", infinity),
                                  p.finite("initial", 0.0));
  });
  registry.add("sine", [](ParameterReader& p) {
    return std::make_shared<Sine>(p.vector("amplitude", {1.0}), p.vector("frequency"), p.vector("phase", {0.0}),
                                  p.vector("bias", {0.0}));
  });
  registry.add("pulse", make_pulse);
  registry.add("clock", [](ParameterReader&) { return std::make_shared<ClockSource>(); });
  registry.add("chirp", make_chirp);
  add_table_source(registry);
  add_noise(registry);
}

}  // namespace counterpoint::diagram
