#include "coupling/input_events.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace counterpoint {

namespace {

constexpr double never = Polynomial::infinity;

/// SplitMix64 (Steele, Lea and Flood, 2014): well-mixed bits from any two numbers.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a + 0x9e3779b97f4a7c15ULL * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Above 0, at most 1.
double uniform(std::uint64_t bits) { return static_cast<double>((bits >> 11) + 1) * 0x1p-53; }

/// Normally distributed (Box and Muller, 1958).
double normal(std::uint64_t bits) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(mixed(bits, 1))));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(mixed(bits, 2)));
}

class Threshold final : public CouplingLaw {
 public:
  Threshold(std::vector<double> weights, double constant, bool or_equal)
      : weights_(std::move(weights)), constant_(constant), or_equal_(or_equal) {}
  void evaluate(double, const double* signals, double* out) const override {
    double sum = constant_;
    for (std::size_t j = 0; j < weights_.size(); ++j) sum += weights_[j] * signals[j];
    *out = sum > 0.0 || (or_equal_ && sum == 0.0) ? 1.0 : 0.0;
  }

 private:
  std::vector<double> weights_;
  double constant_;
  bool or_equal_;
};

}  // namespace

std::shared_ptr<CouplingLaw> make_threshold(std::vector<double> weights, double constant, bool or_equal) {
  return std::make_shared<Threshold>(std::move(weights), constant, or_equal);
}

TimedEvents::TimedEvents(const std::vector<InputEventSpec>& events, double tolerance) : tolerance_(tolerance) {
  for (const InputEventSpec& event : events) {
    if (event.condition < 0) times_.push_back(event.begin);
    times_.push_back(event.condition < 0 ? std::min(event.until, event.begin + event.lasting) : event.until);
  }
  std::erase_if(times_, [](double t) { return !std::isfinite(t); });
  std::sort(times_.begin(), times_.end());
}

double TimedEvents::next(double t) const {
  const auto found = std::upper_bound(times_.begin(), times_.end(), t + tolerance_);
  return found == times_.end() ? never : *found;
}

int InputEvents::add(const InputEventSpec& spec, int number, int condition, std::vector<double> constants) {
  const auto same = [&](const Target& t) {
    return t.connection == spec.connection && t.offset == spec.offset && t.width == spec.width;
  };
  const auto found = std::find_if(targets_.begin(), targets_.end(), same);
  const int target = static_cast<int>(found - targets_.begin());
  if (found == targets_.end()) targets_.push_back({spec.connection, spec.offset, spec.width, std::move(constants)});
  events_.push_back({spec, number, condition, target});
  return target;
}

int InputEvents::add(Condition condition) {
  conditions_.push_back(std::move(condition));
  return static_cast<int>(conditions_.size()) - 1;
}

void InputEvents::start(double t) {
  std::size_t outputs = 0;
  for (const Condition& condition : conditions_) outputs += condition.outputs.size();
  state_ = State{};
  state_.begun.assign(events_.size(), never);
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (events_[k].condition < 0) state_.begun[k] = events_[k].spec.begin;
  }
  state_.told.assign(events_.size(), 0);
  state_.holds.assign(conditions_.size(), 0);
  state_.places.assign(outputs, 0);
  state_.latest.assign(outputs, 0.0);
  state_.in_force.assign(targets_.size(), -1);
  state_.held.assign(targets_.size(), {});
  records_.clear();
  pass(t);
}

void InputEvents::look_at_conditions(double t) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < conditions_.size(); ++k) {
    look_at(k, first, t);
    first += conditions_[k].outputs.size();
  }
}

/// The time of the earliest sample that was not looked at.
double InputEvents::next_sample(const Condition& condition, std::size_t first) const {
  double earliest = never;
  for (std::size_t j = 0; j < condition.outputs.size(); ++j) {
    const Watched& output = condition.outputs[j];
    const History& history = *output.history;
    const std::size_t place = std::max(state_.places[first + j], history.begin());
    if (place < output.end()) earliest = std::min(earliest, history.time(place));
  }
  return earliest;
}

/// Samples in order of time; of outputs that have none at such a time the last one before counts.
void InputEvents::look_at(std::size_t k, std::size_t first, double t) {
  const Condition& condition = conditions_[k];
  for (double now = next_sample(condition, first); now <= t + tolerance_; now = next_sample(condition, first)) {
    for (std::size_t j = 0; j < condition.outputs.size(); ++j) {
      const Watched& output = condition.outputs[j];
      const History* history = output.history;
      std::size_t& place = state_.places[first + j];
      for (place = std::max(place, history->begin()); place < output.end() && history->time(place) <= now + tolerance_;
           ++place) {
        state_.latest[first + j] = history->value(place)[output.column];
      }
    }
    double value = 0.0;
    condition.law->evaluate(now, &state_.latest[first], &value);
    if (value > 0.0 && !state_.holds[k]) begin_events_of(static_cast<int>(k), now);
    state_.holds[k] = value > 0.0;
  }
}

double InputEvents::first_begin(double from, double to) const {
  double first = never;
  for (const Condition& condition : conditions_) {
    std::vector<double> begin, end, between(condition.outputs.size());
    for (const Watched& output : condition.outputs) {
      for (auto [time, values] : {std::pair{from, &begin}, std::pair{to, &end}})
        values->push_back(output.history->value(output.history->last_not_after(time + tolerance_))[output.column]);
    }
    const auto holds_at = [&](double share) {
      for (std::size_t j = 0; j < between.size(); ++j) between[j] = begin[j] + share * (end[j] - begin[j]);
      double value = 0.0;
      condition.law->evaluate(from + share * (to - from), between.data(), &value);
      return value > 0.0;
    };
    if (holds_at(0.0) || !holds_at(1.0)) continue;
    double outside = 0.0, inside = 1.0;
    for (int k = 0; k < 50; ++k) (holds_at(0.5 * (outside + inside)) ? inside : outside) = 0.5 * (outside + inside);
    first = std::min(first, from + inside * (to - from));
  }
  return first;
}

void InputEvents::begin_events_of(int condition, double t) {
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (events_[k].condition != condition || t < events_[k].spec.begin - tolerance_) continue;
    if (t >= events_[k].spec.until - tolerance_) continue;
    state_.begun[k] = t;
    state_.told[k] = 0;
    state_.next_change = -never;
  }
}

double InputEvents::end_of(std::size_t k) const {
  return std::min(events_[k].spec.until, state_.begun[k] + events_[k].spec.lasting);
}

/// The event in force for a target at t, or -1.
int InputEvents::chosen(int target, double t) const {
  int best = -1, release = -1;
  const auto is_later = [&](int a, int b) { return b < 0 || state_.begun[a] >= state_.begun[b]; };
  for (int k = 0; k < static_cast<int>(events_.size()); ++k) {
    if (events_[k].target != target || state_.begun[k] > t + tolerance_) continue;
    const bool releases = events_[k].spec.action.kind == Action::Kind::release;
    if (releases && is_later(k, release)) release = k;
    if (!releases && end_of(k) > t + tolerance_ && is_later(k, best)) best = k;
  }
  const bool released =
      best >= 0 && release >= 0 &&
      (state_.begun[release] > state_.begun[best] || (state_.begun[release] == state_.begun[best] && release > best));
  return released ? -1 : best;
}

void InputEvents::update(double t) {
  state_.next_change = never;
  for (std::size_t k = 0; k < events_.size(); ++k) {
    for (const double time : {state_.begun[k], end_of(k)}) {
      if (time > t + tolerance_) state_.next_change = std::min(state_.next_change, time);
    }
    tell(k, t);
  }
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    const int found = chosen(static_cast<int>(k), t);
    if (found != state_.in_force[k]) state_.held[k].clear();
    state_.in_force[k] = found;
    const bool sticks = found >= 0 && events_[found].spec.action.kind == Action::Kind::stuck;
    takes_values_ = takes_values_ || (sticks && state_.held[k].empty());
  }
}

void InputEvents::tell(std::size_t k, double t) {
  if (state_.told[k] == 0 && state_.begun[k] <= t + tolerance_) {
    records_.push_back({events_[k].number, true, state_.begun[k], t});
    state_.told[k] = 1;
  }
  if (state_.told[k] == 1 && end_of(k) <= t + tolerance_) {
    records_.push_back({events_[k].number, false, end_of(k), t});
    state_.told[k] = 2;
  }
}

double InputEvents::noise(const Planned& event, int component) const {
  const Action& action = event.spec.action;
  const double begun = state_.begun[static_cast<std::size_t>(&event - events_.data())];
  // Times that are the same but for their rounding are the same step.
  const double count = action.every > 0.0 ? std::floor((step_start_ - begun + tolerance_) / action.every)
                                          : std::round(step_start_ / tolerance_);
  const std::uint64_t drawn = mixed(action.seed, static_cast<std::uint64_t>(component));
  return action.values[component] * normal(mixed(drawn, static_cast<std::uint64_t>(static_cast<std::int64_t>(count))));
}

void InputEvents::disturb(int target, double* values) {
  const int found = state_.in_force[target];
  if (found < 0) return;
  const Planned& event = events_[found];
  const Action& action = event.spec.action;
  std::vector<double>& held = state_.held[target];
  if (action.kind == Action::Kind::stuck && held.empty()) held.assign(values, values + targets_[target].width);
  for (int j = 0; j < targets_[target].width; ++j) {
    switch (action.kind) {
      case Action::Kind::set:
        values[j] = action.values[j];
        break;
      case Action::Kind::scale:
        values[j] *= action.values[j];
        break;
      case Action::Kind::offset:
        values[j] += action.values[j];
        break;
      case Action::Kind::stuck:
        values[j] = held[j];
        break;
      case Action::Kind::noise:
        values[j] += noise(event, j);
        break;
      case Action::Kind::release:
        break;
    }
  }
}

void InputEvents::disturb_inputs(std::vector<double>& values) {
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    if (targets_[k].connection < 0) disturb(static_cast<int>(k), values.data() + targets_[k].offset);
  }
}

void InputEvents::restore_constants(std::vector<double>& values) const {
  for (const Target& target : targets_)
    std::copy(target.constants.begin(), target.constants.end(), values.begin() + target.offset);
}

void InputEvents::set_constant(int offset, double value) {
  for (Target& target : targets_) {
    const int place = offset - target.offset;
    if (place >= 0 && place < static_cast<int>(target.constants.size())) target.constants[place] = value;
  }
}

void InputEvents::save(State& into) const {
  into = state_;
  into.records = records_.size();
}

void InputEvents::restore(const State& saved) {
  state_ = saved;
  records_.resize(saved.records);
  takes_values_ = false;
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    const int found = state_.in_force[k];
    const bool sticks = found >= 0 && events_[found].spec.action.kind == Action::Kind::stuck;
    takes_values_ = takes_values_ || (sticks && state_.held[k].empty());
  }
}

}  // namespace counterpoint
