#include "coupling/inputs.hpp"

#include <algorithm>
#include <cmath>

#include "signal/smooth_stretch.hpp"

namespace counterpoint {

void Inputs::add_connection(Connection c) {
  const int width = c.samples.width;
  c.polynomial = Polynomial(width);
  c.scratch.resize(width);
  c.scales = c.gain != 1.0 || c.offset != 0.0;
  c.per_step = c.approximation->depends_on_step();
  c.uses_both_sides = c.approximation->uses_both_sides();
  per_step_ = per_step_ || c.per_step;
  connections_.push_back(std::move(c));
}

bool Inputs::adds_to_another(int offset) { return !summed_.insert(offset).second; }

int Inputs::add_law(std::shared_ptr<const CouplingLaw> law, int target_offset, int signal_count) {
  laws_.push_back({std::move(law), target_offset, std::vector<double>(signal_count)});
  return static_cast<int>(laws_.size()) - 1;
}

void Inputs::choose_fast_paths() {
  fast_.choose(connections_, {values_.size(), !laws_.empty(), !fixed_.empty() || events_ != nullptr, asked_always_});
}

void Inputs::set_events(std::unique_ptr<InputEvents> events) {
  events_ = std::move(events);
  for (std::size_t k = 0; k < events_->targets().size(); ++k) {
    for (Connection& c : connections_) {
      if (c.number == events_->targets()[k].connection) c.event_target = static_cast<int>(k);
    }
  }
}

void Inputs::fix(int offset, std::vector<double> values) {
  const bool first = fixed_.empty();
  fixed_.insert_or_assign(offset, std::move(values));
  if (first) choose_fast_paths();
}

void Inputs::release_fixed() {
  fixed_.clear();
  choose_fast_paths();
}

void Inputs::made_from_connections(double t) {
  if (fast_.is_single()) {
    Connection& c = connections_.front();
    values_[c.target_offset] = polynomial(c, t).scalar(t);
    return;
  }
  if (events_ && events_->takes_values()) make(events_->step_start());  // a value that is stuck is that of this time
  make(t);
}

void Inputs::make(double t) {
  if (events_) events_->restore_constants(values_);
  for (Connection& c : connections_) {
    if (c.watches) continue;
    polynomial(c, t);
    put(c, t);
  }
  if (!laws_.empty()) apply_laws(t);
  if (events_) events_->disturb_inputs(values_);
  for (const auto& [offset, given] : fixed_) std::copy(given.begin(), given.end(), values_.begin() + offset);
}

void Inputs::put(Connection& c, double t) {
  double* target = values_.data() + c.target_offset;
  double* place = c.law >= 0 ? laws_[c.law].signals.data() + c.law_offset : c.adds ? c.scratch.data() : target;
  c.polynomial.evaluate(t, place);
  if (c.event_target >= 0) events_->disturb(c.event_target, place);
  if (c.law >= 0 || !c.adds) return;
  for (int j = 0; j < c.polynomial.width; ++j) target[j] += c.scratch[j];
}

void Inputs::apply_laws(double t) {
  for (LawPort& port : laws_) {
    if (!fixed_.contains(port.target_offset)) apply(port, t);
  }
}

void Inputs::apply(LawPort& port, double t) {
  evaluate(port, t, port.signals.data(), values_.data() + port.target_offset);
}

void Inputs::evaluate(const LawPort& port, double t, const double* signals, double* out) const {
  try {
    port.law->evaluate(t, signals, out);
  } catch (SignalFailure& failure) {
    failure.input = port.target_offset;
    throw;
  }
}

const double* Inputs::slopes_at(double t) {
  slopes_.assign(values_.size(), 0.0);
  if (events_) return slopes_by_differences(t);  // what is overridden, scaled or stuck has a slope of its own
  std::vector<std::vector<double>> signal_slopes;
  for (LawPort& port : laws_) signal_slopes.emplace_back(port.signals.size());
  for (Connection& c : connections_) {
    if (c.watches) continue;
    polynomial(c, t);
    if (c.law >= 0) put(c, t);  // the law is looked at around the values of its signals
    find_slope(c, t);
    double* target = c.law >= 0 ? signal_slopes[c.law].data() + c.law_offset : slopes_.data() + c.target_offset;
    for (int j = 0; j < c.polynomial.width; ++j) target[j] += c.scratch[j];
  }
  for (std::size_t k = 0; k < laws_.size(); ++k) find_law_slope(laws_[k], signal_slopes[k], t);
  for (const auto& [offset, given] : fixed_) std::fill_n(slopes_.begin() + offset, given.size(), 0.0);
  return slopes_.data();
}

double Inputs::difference_length(double t) const {
  return std::max(1e-4 * (step_.end - step_.start), 1e-8 * std::max(std::abs(t), 1e-3));
}

const double* Inputs::slopes_by_differences(double t) {
  const double h = difference_length(t);
  for (const double sign : {1.0, -1.0}) {
    made_from_connections(t + sign * h);
    for (std::size_t j = 0; j < slopes_.size(); ++j) slopes_[j] += sign * values_[j] / (2.0 * h);
  }
  made_from_connections(t);
  return slopes_.data();
}

void Inputs::find_slope(Connection& c, double t) {
  const Samples& s = c.samples;
  if (s.history == nullptr || s.count() > 1 || !s.has_derivative(s.last())) {
    return c.polynomial.slope(t, c.scratch.data());
  }
  for (int j = 0; j < s.width; ++j) c.scratch[j] = c.gain * s.derivative(s.last())[j];
}

/// By a central difference along the signals.
void Inputs::find_law_slope(const LawPort& port, const std::vector<double>& signal_slopes, double t) {
  const double h = difference_length(t);
  const auto first = static_cast<std::size_t>(port.target_offset);
  std::vector<double> moved(port.signals), inputs(slopes_.size());  // the law writes its own inputs, the others stay 0
  for (const double sign : {1.0, -1.0}) {
    for (std::size_t j = 0; j < moved.size(); ++j) moved[j] = port.signals[j] + sign * h * signal_slopes[j];
    evaluate(port, t + sign * h, moved.data(), inputs.data() + first);
    for (std::size_t j = first; j < slopes_.size(); ++j) slopes_[j] += sign * inputs[j] / (2.0 * h);
  }
}

const double* Inputs::driven(int offset, double t) {
  for (Connection& c : connections_) {
    if (c.watches) continue;
    polynomial(c, t);
    put(c, t);
  }
  for (LawPort& port : laws_) {
    if (port.target_offset == offset) apply(port, t);
  }
  if (events_) events_->disturb_inputs(values_);
  return values_.data() + offset;
}

/// Flattened, see Scheduler::go.
[[gnu::flatten]] void Inputs::freeze_connections() {
  window_from_ = per_step_ ? Polynomial::infinity : -Polynomial::infinity;
  window_until_ = Polynomial::infinity;
  for (Connection& c : connections_) {
    if (step_.end > c.window_until || step_.end <= c.window_from || per_step_) freeze(c);
    window_from_ = std::max(window_from_, c.window_from);
    window_until_ = std::min(window_until_, c.window_until);
  }
}

void Inputs::freeze_whole(Connection& c) {
  c.window_from = -Polynomial::infinity;
  c.window_until = Polynomial::infinity;
  c.use_samples_before(c.samples.history->end());
}

void Inputs::freeze(Connection& c) {
  if (c.sees_window()) return freeze_whole(c);
  const Samples& s = c.samples;
  const History& h = *s.history;
  std::size_t k = std::max(s.end - 1, h.begin());
  const std::size_t last = h.end() - 1;
  if (c.waits) {
    while (k < last && h.time(k) < step_.end - s.tolerance) ++k;
    // After a step that stopped early the next one may end before samples that were in use.
    while (k > h.begin() && h.time(k - 1) >= step_.end - s.tolerance) --k;
    c.window_from = k > h.begin() ? h.time(k - 1) + s.tolerance : -Polynomial::infinity;
    c.window_until = h.time(k) + s.tolerance;
  } else if (h.time(last) <= step_.start + s.tolerance) {
    k = last;
  } else {
    while (k < last && h.time(k + 1) <= step_.start + s.tolerance) ++k;
  }
  c.use_samples_before(k + 1);
}

void Inputs::freeze_with_all_of(int source, double start, double end) {
  begin_step(start, end);
  fast_.leave_lines(connections_);
  for (Connection& c : connections_) {
    if (c.source == source) {
      c.use_samples_before(c.samples.history->end());
    } else {
      freeze(c);
    }
  }
}

void Inputs::rebuild(Connection& c, double t) {
  step_.last_input = c.last_input.empty() ? nullptr : c.last_input.data();
  // Older samples may have been forgotten since the window was set.
  c.samples.begin = c.samples.history->begin();
  try {
    build_smooth(c, t);
  } catch (SignalFailure& failure) {
    failure.input = c.target_offset;
    throw;
  }
  if (c.scales) c.polynomial.scale_and_shift(c.gain, c.offset);
}

void Inputs::build_smooth(Connection& c, double t) {
  const Approximation& approximation = *c.approximation;
  if (!c.samples.history->may_jump() || approximation.reaches_across_jumps()) {
    return approximation.build(c.samples, step_, t, c.polynomial);
  }
  const int most = approximation.points_behind() + 1;
  if (c.per_step && !approximation.piece_by_piece()) {  // one polynomial for the whole step, which looks at its end
    return approximation.build(smooth_stretch(c.samples, step_, step_.end, most).samples, step_, t, c.polynomial);
  }
  const SmoothStretch stretch = smooth_stretch(c.samples, step_, t, most);
  approximation.build(stretch.samples, step_, t, c.polynomial);
  c.polynomial.from = std::max(c.polynomial.from, stretch.from);
  c.polynomial.to = std::min(c.polynomial.to, stretch.to);
}

void Inputs::remember_end(double t) {
  for (Connection& c : connections_) {
    if (!c.per_step || c.gain == 0.0) continue;
    c.last_input.resize(c.polynomial.width);
    polynomial(c, t).evaluate(t, c.last_input.data());
    for (double& value : c.last_input) value = (value - c.offset) / c.gain;
  }
}

void Inputs::save(Saved& into) const {
  into.connections.resize(connections_.size());
  for (std::size_t k = 0; k < connections_.size(); ++k) {
    const Connection& c = connections_[k];
    Saved::ConnectionState& state = into.connections[k];
    state.begin = c.samples.begin;
    state.end = c.samples.end;
    state.window_from = c.window_from;
    state.window_until = c.window_until;
    state.source_next = c.source_next;
    state.polynomial = c.polynomial;
    state.last_input = c.last_input;
  }
  into.values = values_;
  into.step = step_;
  into.window_from = window_from_;
  into.window_until = window_until_;
  if (events_) events_->save(into.events);
}

void Inputs::restore(const Saved& saved) {
  fast_.forget_lines();
  for (std::size_t k = 0; k < connections_.size(); ++k) {
    const Saved::ConnectionState& state = saved.connections[k];
    Connection& c = connections_[k];
    c.samples.begin = state.begin;
    c.samples.end = state.end;
    c.window_from = state.window_from;
    c.window_until = state.window_until;
    c.source_next = state.source_next;
    c.polynomial = state.polynomial;
    c.last_input = state.last_input;
  }
  std::copy(saved.values.begin(), saved.values.end(), values_.begin());
  step_ = saved.step;
  window_from_ = saved.window_from;
  window_until_ = saved.window_until;
  if (events_) events_->restore(saved.events);
}

void Inputs::mark_more(Mark& into) const {
  into.last_inputs.resize(per_step_ ? connections_.size() : 0);
  for (std::size_t k = 0; k < into.last_inputs.size(); ++k) into.last_inputs[k] = connections_[k].last_input;
  if (events_) events_->save(into.events);
}

void Inputs::return_more(const Mark& mark) {
  for (std::size_t k = 0; k < mark.last_inputs.size(); ++k) connections_[k].last_input = mark.last_inputs[k];
  if (events_) events_->restore(mark.events);
}

void Inputs::read_earlier(const std::vector<History>& earlier, bool centred) {
  fast_.leave_lines(connections_);
  for (Connection& c : connections_) {
    if (c.watches) continue;
    if (centred && c.uses_both_sides) {
      c.samples.both_sides = true;
      c.look_up_again();  // what was frozen in the first pass ends before
    }
    if (c.waits) continue;
    c.reads_earlier = c.waits = true;
    c.samples.history = &earlier[c.source];
    c.look_up_again();
  }
  window_until_ = -Polynomial::infinity;
  fast_.follow(connections_, true);
}

void Inputs::read_present() {
  for (Connection& c : connections_) {
    if (!c.reads_earlier && !c.sees_window()) continue;
    if (c.reads_earlier) c.reads_earlier = c.waits = false;
    c.samples.both_sides = false;
    c.samples.history = c.present;
    c.samples.end = c.present->end();  // the passes may have had different numbers of samples
    c.look_up_again();
  }
  window_until_ = -Polynomial::infinity;
  fast_.follow(connections_, false);
}

void Inputs::forget_polynomials_of(int source) {
  for (Connection& c : connections_) {
    if (c.source == source) c.polynomial.invalidate();
  }
}

}  // namespace counterpoint
