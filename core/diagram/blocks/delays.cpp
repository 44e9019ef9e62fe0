// Delays: the value of the last accepted step, and transport delays with a memory of their own.

#include "diagram/blocks/signal_record.hpp"
#include "diagram/blocks/values.hpp"
#include "numbers.hpp"
#include "recipe/factory.hpp"

namespace counterpoint::diagram {
namespace {

/// During a step y is what u was when the step began. z: that value.
class MemoryBlock final : public Block {
 public:
  explicit MemoryBlock(std::vector<double> initial) : Block({"u"}, {"y"}), initial_(std::move(initial)) {}
  void shape(Shape& shape) const override { shape_with_initial(shape, initial_.size(), 0, "initial"); }
  bool feedthrough(int, int) const override { return false; }
  int memory() const override { return out_width(0); }
  Notices notices() const override { return {.remembers = true}; }
  void start(const Context&) override { expand(initial_, 1, out_width(0), z()); }
  void output(const Context&, int) override { std::copy_n(z(), out_width(0), out(0)); }
  void accepted(const Context&) override {
    for (int i = 0; i < out_width(0); ++i) z()[i] = in(0)[in_width(0) == 1 ? 0 : i];
  }

 private:
  std::vector<double> initial_;
};

struct DelayOptions {
  std::vector<double> initial;
  double longest;  ///< s, the delay itself when it is fixed
  bool is_variable;
  bool is_cubic;
};

/// y(t) = u(t - delay), the initial value before the start.
///
/// A jump of u is a jump of y one delay later: known in advance for a fixed delay, located for a variable one. No
/// step is longer than the delay, so that u is known wherever it is asked for; a variable delay that becomes shorter
/// than a thousandth of its maximum is the exception, where u is continued as a line. Between accepted times u is
/// what the solver says (variable-step solvers), or is interpolated.
class TransportDelay final : public Block {
 public:
  explicit TransportDelay(const DelayOptions& options)
      : Block(options.is_variable ? std::vector<std::string>{"u", "delay"} : std::vector<std::string>{"u"}, {"y"}),
        o_(options) {}

  void shape(Shape& shape) const override {
    shape_with_initial(shape, o_.initial.size(), 0, "initial");
    if (o_.is_variable && shape.inputs[1] > 1) throw ShapeError("the delay must be a scalar", 1);
  }
  bool feedthrough(int input, int) const override { return input == 1; }
  bool updates() const override { return true; }
  Notices notices() const override { return {.arrival = true, .passage = true}; }
  int crossings() const override { return o_.is_variable ? 2 : 0; }

  void start(const Context&) override {
    m_.record = SignalRecord(out_width(0));
    m_.jumps.clear();
    m_.passed = -infinity;
    m_.shortest = o_.is_variable ? 0.0 : o_.longest;
    inside_.clear();
  }

  void output(const Context& context, int) override {
    if (m_.record.size() == 0) {
      expand(o_.initial, 1, out_width(0), out(0));
      return;
    }
    const double delay = this->delay();
    if (context.decides()) m_.passed = last_jump(context.time, delay);
    look_up(context.time - delay);
  }

  /// The solver's own solution, so that what is delayed is as accurate as what is not.
  void passes(const Context&, Passing passing) override {
    if (passing.k == 1) inside_.clear();
    parts_ = passing.parts;
    for (int i = 0; i < out_width(0); ++i) inside_.push_back(in(0)[i * stride()]);
  }

  /// The value seen besides is compared with the polynomial through its neighbours; of many parts also every other
  /// value with polynomials through the rest, whose error is 32 times as large. A kink that no event tells of is not
  /// looked for longer than necessary: few parts are wrong then.
  bool follows(const Tolerance& tolerance) const override {
    if (inside_.empty() || m_.record.size() == 0) return true;
    if (!is_close(proof_instant, 0, 1, seen(parts_ + 1), tolerance)) return false;
    int wrong = 0;
    for (int k = 1; k < parts_ && parts_ > fewest_parts; k += 2) {
      const int first = k / 8 * 8;
      if (!is_close(0.5 * (k - first), first, 2, seen(k), {16.0 * tolerance.relative, 16.0 * tolerance.absolute}))
        ++wrong;
    }
    return wrong == 0 || (parts_ >= 64 && wrong <= parts_ / 16);
  }

  void arrives(const Context& context) override {
    const double t = context.time;
    const auto jump = next_jump(m_.passed);
    const bool jumps_itself = jump != m_.jumps.end() && *jump + delay() <= t;
    m_.record.add(t, in(0), stride(), jumps_itself);
    if (!inside_.empty()) {
      inside_.resize(static_cast<std::size_t>(parts_ - 1) * out_width(0));
      m_.record.set_inside(inside_);
      inside_.clear();
    }
    const double oldest = std::min(m_.passed, t - o_.longest);
    m_.jumps.erase(m_.jumps.begin(), std::lower_bound(m_.jumps.begin(), m_.jumps.end(), oldest));
    m_.record.forget(t - o_.longest, 3);
  }

  bool update(const Context& context) override {
    SignalRecord& record = m_.record;
    if (record.size() == 0) {
      std::vector<double> before(out_width(0));
      expand(o_.initial, 1, out_width(0), before.data());
      record.add(context.time, before.data(), 1, false);
    }
    // An instant without a step before it: the superblock around was just enabled.
    if (record.last_time() < context.time) record.add(context.time, in(0), stride(), true);
    record.set_right(in(0), stride());
    const bool was_jump = !m_.jumps.empty() && m_.jumps.back() == record.last_time();
    const bool is_jump = record.is_jump(record.size() - 1);
    if (is_jump && !was_jump) m_.jumps.push_back(record.last_time());
    if (was_jump && !is_jump) m_.jumps.pop_back();
    if (o_.is_variable) m_.shortest = delay();
    return false;
  }

  double next_event(double t) const override {
    const double longest_step = t + std::max(m_.shortest, 1e-3 * o_.longest);
    if (o_.is_variable) return longest_step;
    const auto jump = first_jump_after(t, o_.longest);
    return jump == m_.jumps.end() ? longest_step : std::min(longest_step, *jump + o_.longest);
  }

  void crossing(const Context& context, double* g) override {
    if (!o_.is_variable) return;
    const auto jump = next_jump(m_.passed);
    const double delay = this->delay();
    g[0] = jump == m_.jumps.end() ? -1.0 : context.time - (*jump + delay);
    g[1] = m_.passed == -infinity ? 1.0 : context.time - (m_.passed + delay);
  }

  std::unique_ptr<SavedState> save() const override { return std::make_unique<Saved>(m_); }
  void restore(const SavedState& saved) override { m_ = static_cast<const Saved&>(saved).memory; }
  std::unique_ptr<SavedState> read_state(recipe::Reader& reader) const override {
    auto made = std::make_unique<Saved>(m_);
    made->memory.record.read(reader);
    reader(made->memory.jumps, made->memory.passed, made->memory.shortest);
    return made;
  }

 private:
  struct Remembered {
    SignalRecord record;
    std::vector<double> jumps;  ///< times at which u jumped
    double passed = -infinity;  ///< the last jump that y has shown
    double shortest = 0.0;      ///< delay at the last instant, s
  };
  struct Saved final : SavedState {
    explicit Saved(const Remembered& m) : memory(m) {}
    bool write(recipe::Writer& writer) const override {
      memory.record.write(writer);
      writer(memory.jumps, memory.passed, memory.shortest);
      return true;
    }
    Remembered memory;
  };

  int stride() const { return in_width(0) == 1 ? 0 : 1; }
  double delay() const { return o_.is_variable ? std::clamp(*in(1), 0.0, o_.longest) : o_.longest; }
  std::vector<double>::const_iterator next_jump(double after) const {
    return std::upper_bound(m_.jumps.begin(), m_.jumps.end(), after);
  }
  /// The first jump that y shows after t.
  std::vector<double>::const_iterator first_jump_after(double t, double delay) const {
    return std::partition_point(m_.jumps.begin(), m_.jumps.end(), [&](double jump) { return jump + delay <= t; });
  }
  double last_jump(double t, double delay) const {
    const auto next = first_jump_after(t, delay);
    return next == m_.jumps.begin() ? -infinity : *(next - 1);
  }

  /// u at instant k within the step that is being accepted; 0: its beginning.
  const double* seen(int k) const {
    return k == 0 ? m_.record.right(m_.record.size() - 1)
                  : inside_.data() + static_cast<std::size_t>(k - 1) * out_width(0);
  }
  /// Whether the polynomial through five instants, every `stride`-th from `first` on, is at `p` what is expected there.
  bool is_close(double p, int first, int stride, const double* expected, const Tolerance& tolerance) const {
    const double* y[5];
    for (int k = 0; k < 5; ++k) y[k] = seen(first + stride * k);
    for (int i = 0; i < out_width(0); ++i) {
      const double found = SignalRecord::quartic(p, y[0][i], y[1][i], y[2][i], y[3][i], y[4][i]);
      double largest = std::abs(expected[i]);
      for (const double* value : y) largest = std::max(largest, std::abs(value[i]));
      if (std::abs(found - expected[i]) > tolerance.absolute + tolerance.relative * largest) return false;
    }
    return true;
  }

  /// u at time s, on the side of jumps that the mode says.
  void look_up(double s) {
    const SignalRecord& record = m_.record;
    const int from = m_.passed == -infinity ? 0 : record.find(m_.passed);
    const auto jump = next_jump(m_.passed);
    const bool has_end = jump != m_.jumps.end();
    const int to = has_end ? record.find(*jump) : record.size() - 1;
    if (from == to) {
      std::copy_n(has_end ? record.left(to) : record.right(to), out_width(0), out(0));
      return;
    }
    s = std::max(s, record.time(from));
    if (has_end) s = std::min(s, record.time(to));
    if (o_.is_cubic)
      record.cubic(s, from, to, out(0));
    else
      record.linear(s, from, to, out(0));
  }

  DelayOptions o_;
  Remembered m_;
  std::vector<double> inside_;  ///< values within the step that is being accepted, by instants
  int parts_ = 0;               ///< of the step between these instants
};

BlockPointer make_delay(ParameterReader& p, bool is_variable) {
  const std::string name = is_variable ? "maximum" : "delay";
  DelayOptions options{initial_from(p), p.number(name), is_variable,
                       p.word("interpolation", {"linear", "cubic"}, "linear") == "cubic"};
  if (options.longest > 0.0) return std::make_shared<TransportDelay>(options);
  Text text;
  text << "\"" << name << "\": " << options.longest << " s; expected a time greater than 0";
  throw std::invalid_argument(text.str());
}

}  // namespace

void add_delays(Registry& registry) {
  registry.add("memory", [](ParameterReader& p) { return std::make_shared<MemoryBlock>(initial_from(p)); });
  registry.add("transport_delay", [](ParameterReader& p) { return make_delay(p, false); });
  registry.add("variable_delay", [](ParameterReader& p) { return make_delay(p, true); });
}

}  // namespace counterpoint::diagram
