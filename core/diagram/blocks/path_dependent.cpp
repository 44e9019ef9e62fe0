// Nonlinear characteristics that depend on the way taken: relay, backlash, rate limiter, hit crossing.

#include <algorithm>
#include <cmath>

#include "diagram/blocks/edge.hpp"
#include "diagram/blocks/elementwise.hpp"

namespace counterpoint::diagram {
namespace {

/// On above one threshold, off below another, in between as it was. z: whether it is on, by component. It changes at
/// accepted times only, also when events are not located: a trial state must not leave a trace.
class Relay final : public Elementwise {
 public:
  struct Settings {
    double switch_on, switch_off, output_on, output_off;
    bool starts_on;
  };
  explicit Relay(const Settings& settings) : Elementwise({"u"}), s_(settings) {
    if (s_.switch_on < s_.switch_off) {
      throw std::invalid_argument("\"switch_on\": " + shown(s_.switch_on) + " is below \"switch_off\", " +
                                  shown(s_.switch_off));
    }
  }
  int memory() const override { return width_; }
  int crossings() const override { return width_; }
  void start(const Context&) override { std::fill_n(z(), width_, s_.starts_on ? 1.0 : 0.0); }
  void output(const Context& context, int) override {
    for (int k = 0; k < width_; ++k) {
      const double u = u_[0][k];
      if (context.is_major) z()[k] = z()[k] != 0.0 ? u > s_.switch_off : u >= s_.switch_on;
      y_[k] = z()[k] != 0.0 ? s_.output_on : s_.output_off;
    }
  }
  void crossing(const Context&, double* g) override {
    for (int k = 0; k < width_; ++k) g[k] = u_[0][k] - (z()[k] != 0.0 ? s_.switch_off : s_.switch_on);
  }

 private:
  Settings s_;
};

/// Play: the output rests until the input has crossed the gap. y = clip(y before, u - w/2, u + w/2).
///
/// z, by component: the output at the last accepted time, and which side is in touch: -1, 0, 1. Where contact is made
/// is located; where it is lost (the input turns) is known at the end of the step, to the second order of its size.
class Backlash final : public Elementwise {
 public:
  Backlash(double width, double initial) : Elementwise({"u"}), half_(0.5 * width), initial_(initial) {
    if (!(width >= 0.0)) throw std::invalid_argument("\"width\": " + shown(width) + "; expected 0 or more");
  }
  int memory() const override { return 2 * width_; }
  int crossings() const override { return 2 * width_; }
  bool updates() const override { return true; }
  Notices notices() const override { return {.remembers = true}; }
  void start(const Context&) override {
    for (int k = 0; k < width_; ++k) {
      z()[2 * k] = initial_;
      z()[2 * k + 1] = 0.0;
    }
  }
  void output(const Context& context, int) override {
    for (int k = 0; k < width_; ++k) {
      const double low = u_[0][k] - half_, high = u_[0][k] + half_;
      const double before = z()[2 * k];
      double& side = z()[2 * k + 1];
      if (context.decides()) side = low >= before ? 1.0 : high <= before ? -1.0 : 0.0;
      y_[k] = side > 0.0 ? std::max(before, low) : side < 0.0 ? std::min(before, high) : before;
    }
  }
  /// The start is an instant without a step before it, so `accepted` has not seen it.
  bool update(const Context& context) override {
    if (context.step == 0.0) accepted(context);
    return false;
  }
  void accepted(const Context&) override {
    for (int k = 0; k < width_; ++k) z()[2 * k] = y_[k];
  }
  void crossing(const Context&, double* g) override {
    for (int k = 0; k < width_; ++k) {
      const bool is_free = z()[2 * k + 1] == 0.0;
      g[2 * k] = is_free ? u_[0][k] - half_ - z()[2 * k] : 1.0;
      g[2 * k + 1] = is_free ? u_[0][k] + half_ - z()[2 * k] : 1.0;
    }
  }

 private:
  double half_, initial_;
};

/// The output follows the input no faster than the limits allow.
///
/// z: time of the last accepted step; how far the start is behind (0: nothing known, 1: at the start, 2: later); by
/// component the output then, and whether the limit holds: 1 rising, -1 falling, 0 the input is followed. Where the
/// output catches up with the input is located; where it falls behind is known at the end of the step, to second order.
class RateLimiter final : public Elementwise {
 public:
  RateLimiter(double rising, double falling, bool has_initial, double initial)
      : Elementwise({"u"}), rising_(rising), falling_(falling), has_initial_(has_initial), initial_(initial) {
    if (!(rising > 0.0))
      throw std::invalid_argument("\"rising\": " + shown(rising) + " 1/s; expected a positive number");
    if (!(falling < 0.0))
      throw std::invalid_argument("\"falling\": " + shown(falling) + " 1/s; expected a negative number");
  }
  int memory() const override { return 2 + 2 * width_; }
  int crossings() const override { return width_; }
  bool updates() const override { return true; }
  Notices notices() const override { return {.remembers = true}; }
  void start(const Context& context) override {
    std::fill_n(y_, width_, initial_);
    z()[0] = context.time;
    z()[1] = has_initial_ ? 2.0 : 0.0;
    for (int k = 0; k < width_; ++k) {
      before(k) = initial_;
      side(k) = 0.0;
    }
  }
  /// At a located instant the output has just been computed from the left, with the side still as it was, and goes on
  /// from there, however the input jumps; the little that is allowed covers the tolerance of the location.
  void output(const Context& context, int) override {
    const bool goes_on = context.is_major && context.locates;
    const double dt = (goes_on ? 1e-8 : 1.0) * (context.time - z()[0]);
    const bool is_start = z()[1] < 2.0 && dt == 0.0;
    for (int k = 0; k < width_; ++k) {
      const double u = u_[0][k];
      const double from = goes_on ? y_[k] : before(k);
      const double high = is_start ? u : from + rising_ * dt;
      const double low = is_start ? u : from + falling_ * dt;
      if (context.decides()) side(k) = u > high ? 1.0 : u < low ? -1.0 : 0.0;
      y_[k] = side(k) > 0.0 ? high : side(k) < 0.0 ? low : std::clamp(u, low, high);
    }
  }
  bool update(const Context& context) override {
    if (z()[1] < 2.0 && context.time == z()[0]) remember(context.time, 1.0);
    return false;
  }
  void accepted(const Context& context) override { remember(context.time, 2.0); }
  void crossing(const Context& context, double* g) override {
    const double dt = context.time - z()[0];
    for (int k = 0; k < width_; ++k) {
      const double rate = side(k) > 0.0 ? rising_ : falling_;
      g[k] = side(k) == 0.0 ? 1.0 : u_[0][k] - (before(k) + rate * dt);
    }
  }

 private:
  double& before(int k) const { return z()[2 + 2 * k]; }
  double& side(int k) const { return z()[3 + 2 * k]; }
  void remember(double t, double stage) {
    z()[0] = t;
    z()[1] = stage;
    for (int k = 0; k < width_; ++k) before(k) = y_[k];
  }

  double rising_, falling_;
  bool has_initial_;
  double initial_;
};

/// 1 at the instant in which the input passes the offset, else 0.
///
/// z, by component: input at the last instant, whether there was one, whether it fires at the present one. The instant
/// may take several passes, all of which see 1; it is over when the next step begins.
class HitCrossing final : public Elementwise {
 public:
  HitCrossing(Edge edge, double offset) : Elementwise({"u"}), edge_(edge), offset_(offset) {}
  int memory() const override { return 3 * width_; }
  int crossings() const override { return width_; }
  bool updates() const override { return true; }
  Notices notices() const override { return {.remembers = true}; }
  void start(const Context&) override { std::fill_n(z(), 3 * width_, 0.0); }
  void output(const Context& context, int) override {
    for (int k = 0; k < width_; ++k) {
      const double* z_k = z() + 3 * k;
      const bool hits = z_k[2] != 0.0 || (z_k[1] != 0.0 && fires(edge_, z_k[0], u_[0][k] - offset_));
      y_[k] = context.is_major && hits ? 1.0 : 0.0;
    }
  }
  bool update(const Context&) override {
    for (int k = 0; k < width_; ++k) {
      double* z_k = z() + 3 * k;
      const double now = u_[0][k] - offset_;
      if (z_k[1] != 0.0 && fires(edge_, z_k[0], now)) z_k[2] = 1.0;
      z_k[0] = now;
      z_k[1] = 1.0;
    }
    return false;
  }
  void accepted(const Context&) override {
    for (int k = 0; k < width_; ++k) z()[3 * k + 2] = 0.0;
  }
  void crossing(const Context&, double* g) override {
    for (int k = 0; k < width_; ++k) g[k] = u_[0][k] - offset_;
  }

 private:
  Edge edge_;
  double offset_;
};

BlockPointer make_relay(ParameterReader& p) {
  return std::make_shared<Relay>(Relay::Settings{p.number("switch_on"), p.number("switch_off"),
                                                 p.finite("output_on", 1.0), p.finite("output_off", 0.0),
                                                 p.flag("starts_on", false)});
}

}  // namespace

void add_path_dependent(Registry& registry) {
  registry.add("relay", make_relay);
  registry.add("backlash", [](ParameterReader& p) {
    return std::make_shared<Backlash>(p.number("width"), p.finite("initial", 0.0));
  });
  registry.add("rate_limiter", [](ParameterReader& p) {
    const double rising = p.number("rising");
    const bool has_initial = p.has("initial");
    return std::make_shared<RateLimiter>(rising, p.finite("falling", -rising), has_initial, p.finite("initial", 0.0));
  });
  registry.add("hit_crossing", [](ParameterReader& p) {
    return std::make_shared<HitCrossing>(edge_from(p.word("edge", edge_words(), "either")), p.finite("offset", 0.0));
  });
}

}  // namespace counterpoint::diagram
