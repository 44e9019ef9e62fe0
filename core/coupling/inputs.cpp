#include "coupling/inputs.hpp"

#include <algorithm>

#include "signal/smooth_stretch.hpp"

namespace counterpoint {

void Inputs::add_term(Term term) {
  const int width = term.samples.width;
  term.polynomial = Polynomial(width);
  term.scratch.resize(width);
  term.scales = term.gain != 1.0 || term.offset != 0.0;
  const bool may_jump = term.samples.history != nullptr && term.samples.history->may_jump();
  term.newest_points = asked_always_ || may_jump ? 0 : term.approximation->newest_points();
  term.simple = width == 1 && term.law < 0 && !term.adds && (term.newest_points == 1 || term.newest_points == 2);
  per_step_ = per_step_ || term.approximation->depends_on_step();
  terms_.push_back(std::move(term));
  choose_short_way();
}

void Inputs::choose_short_way() {
  if (lines_) leave_lines();
  scalars_ = laws_.empty() && held_.empty() && std::all_of(terms_.begin(), terms_.end(), [](const Term& term) {
               return term.samples.width == 1 && !term.adds;
             });
  single_scalar_ = scalars_ && terms_.size() == 1 && values_.size() == 1;
  wires_.clear();
  const bool simple = held_.empty() && std::all_of(terms_.begin(), terms_.end(),
                                                   [](const Term& term) { return term.simple && !term.waits; });
  if (!simple) return;
  for (const Term& term : terms_) wires_.push_back(wire(term));
  sloped_ = std::any_of(wires_.begin(), wires_.end(), [](const Wire& one) { return one.sloped; });
}

void Inputs::update_in_step(std::size_t last) {
  for (Term& term : terms_) update(term, last + (term.waits ? 2 : 1));
}

/// Somebody asks for more than the lines say: the terms are told what they stand for.
void Inputs::leave_lines() {
  lines_ = false;
  for (Term& term : terms_) {
    term.samples.end = last_ + 1;
    term.polynomial.invalidate();
  }
}

void Inputs::hold(int offset, std::vector<double> values) {
  std::erase_if(held_, [&](const Held& h) { return h.offset == offset; });
  held_.push_back({offset, std::move(values)});
  choose_short_way();
}

const double* Inputs::driven(int offset, double t) {
  if (lines_) leave_lines();
  for (Term& term : terms_) {
    polynomial(term, t);
    put(term, t);
  }
  for (LawPort& port : laws_) {
    if (port.target_offset == offset) apply(port, t);
  }
  return values_.data() + offset;
}

void Inputs::release_all() {
  held_.clear();
  choose_short_way();
}

bool Inputs::is_held(int offset) const {
  return std::any_of(held_.begin(), held_.end(), [&](const Held& h) { return h.offset == offset; });
}

int Inputs::add_law(std::shared_ptr<const CouplingLaw> law, int target_offset, int signal_count) {
  laws_.push_back({std::move(law), target_offset, std::vector<double>(signal_count)});
  return static_cast<int>(laws_.size()) - 1;
}

/// Flat for the same reason as Scheduler::go.
[[gnu::flatten]] void Inputs::freeze_terms() {
  window_from_ = per_step_ ? Polynomial::infinity : -Polynomial::infinity;
  window_until_ = Polynomial::infinity;
  for (Term& term : terms_) {
    if (step_.end > term.window_until || step_.end <= term.window_from || per_step_) freeze(term);
    window_from_ = std::max(window_from_, term.window_from);
    window_until_ = std::min(window_until_, term.window_until);
  }
}

void Inputs::freeze(Term& term) {
  const Samples& s = term.samples;
  const History& h = *s.history;
  std::size_t k = std::max(s.end - 1, h.begin());
  const std::size_t last = h.end() - 1;
  if (term.waits) {
    while (k < last && h.time(k) < step_.end - s.tolerance) ++k;
    // After a step that stopped early the next one may end before samples that were in use.
    while (k > h.begin() && h.time(k - 1) >= step_.end - s.tolerance) --k;
    term.window_from = k > h.begin() ? h.time(k - 1) + s.tolerance : -Polynomial::infinity;
    term.window_until = h.time(k) + s.tolerance;
  } else if (h.time(last) <= step_.start + s.tolerance) {
    k = last;
  } else {
    while (k < last && h.time(k + 1) <= step_.start + s.tolerance) ++k;
  }
  update(term, k + 1);
}

void Inputs::freeze_with_all_of(int source, double start, double end) {
  if (lines_) leave_lines();
  step_.previous_start = step_.start;
  step_.start = start;
  step_.end = end;
  for (Term& term : terms_) {
    if (term.source == source) {
      update(term, term.samples.history->end());
    } else {
      freeze(term);
    }
  }
}

void Inputs::rebuild(Term& term, double t) {
  step_.last_input = term.last_input.empty() ? nullptr : term.last_input.data();
  // Older samples may have been forgotten since the window was set.
  term.samples.begin = term.samples.history->begin();
  try {
    build_smooth(term, t);
  } catch (SignalFailure& failure) {
    failure.input = term.target_offset;
    throw;
  }
  if (term.scales) term.polynomial.scale_and_shift(term.gain, term.offset);
}

void Inputs::build_smooth(Term& term, double t) {
  const Approximation& approximation = *term.approximation;
  if (!term.samples.history->may_jump() || approximation.reaches_across_jumps()) {
    return approximation.build(term.samples, step_, t, term.polynomial);
  }
  const int most = approximation.points_behind() + 1;
  if (approximation.depends_on_step()) {  // one polynomial for the whole step, which looks at its end
    return approximation.build(smooth_stretch(term.samples, step_, step_.end, most).samples, step_, t, term.polynomial);
  }
  const SmoothStretch stretch = smooth_stretch(term.samples, step_, t, most);
  approximation.build(stretch.samples, step_, t, term.polynomial);
  term.polynomial.from = std::max(term.polynomial.from, stretch.from);
  term.polynomial.to = std::min(term.polynomial.to, stretch.to);
}

void Inputs::remember_end(double t) {
  for (Term& term : terms_) {
    if (!term.approximation->depends_on_step() || term.gain == 0.0) continue;
    term.last_input.resize(term.polynomial.width);
    polynomial(term, t).evaluate(t, term.last_input.data());
    for (double& value : term.last_input) value = (value - term.offset) / term.gain;
  }
}

void Inputs::save(Saved& into) const {
  into.terms.resize(terms_.size());
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const Term& term = terms_[k];
    Saved::TermState& state = into.terms[k];
    state.begin = term.samples.begin;
    state.end = term.samples.end;
    state.window_from = term.window_from;
    state.window_until = term.window_until;
    state.source_next = term.source_next;
    state.polynomial = term.polynomial;
    state.last_input = term.last_input;
  }
  into.values = values_;
  into.step = step_;
  into.window_from = window_from_;
  into.window_until = window_until_;
}

void Inputs::restore(const Saved& saved) {
  lines_ = false;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const Saved::TermState& state = saved.terms[k];
    Term& term = terms_[k];
    term.samples.begin = state.begin;
    term.samples.end = state.end;
    term.window_from = state.window_from;
    term.window_until = state.window_until;
    term.source_next = state.source_next;
    term.polynomial = state.polynomial;
    term.last_input = state.last_input;
  }
  std::copy(saved.values.begin(), saved.values.end(), values_.begin());
  step_ = saved.step;
  window_from_ = saved.window_from;
  window_until_ = saved.window_until;
}

void Inputs::read_earlier(const std::vector<History>& earlier) {
  if (lines_) leave_lines();
  for (Term& term : terms_) {
    if (term.waits) continue;
    term.known = term.waits = true;
    term.samples.history = &earlier[term.source];
    term.polynomial.invalidate();
  }
  window_until_ = -Polynomial::infinity;
  choose_short_way();
}

void Inputs::read_present() {
  for (Term& term : terms_) {
    if (!term.known) continue;
    term.known = term.waits = false;
    term.samples.history = term.present;
    term.samples.end = term.present->end();  // the passes may have had different numbers of samples
    term.window_from = Polynomial::infinity;
    term.window_until = -Polynomial::infinity;
    term.polynomial.invalidate();
  }
  window_until_ = -Polynomial::infinity;
  choose_short_way();
}

void Inputs::forget_polynomials_of(int source) {
  for (Term& term : terms_) {
    if (term.source == source) term.polynomial.invalidate();
  }
}

const double* Inputs::at_any(double t) {
  if (lines_) leave_lines();
  if (scalars_) {
    double* values = values_.data();
    for (Term& term : terms_) values[term.target_offset] = polynomial(term, t).scalar(t);
    return values;
  }
  for (Term& term : terms_) {
    polynomial(term, t);
    put(term, t);
  }
  if (!laws_.empty()) apply_laws(t);
  for (const Held& h : held_) std::copy(h.values.begin(), h.values.end(), values_.begin() + h.offset);
  return values_.data();
}

void Inputs::put(Term& term, double t) {
  if (term.law >= 0) return term.polynomial.evaluate(t, laws_[term.law].signals.data() + term.law_offset);
  double* target = values_.data() + term.target_offset;
  if (!term.adds) return term.polynomial.evaluate(t, target);
  term.polynomial.evaluate(t, term.scratch.data());
  for (int j = 0; j < term.polynomial.width; ++j) target[j] += term.scratch[j];
}

void Inputs::apply_laws(double t) {
  for (LawPort& port : laws_) {
    if (!is_held(port.target_offset)) apply(port, t);
  }
}

void Inputs::apply(LawPort& port, double t) {
  try {
    port.law->evaluate(t, port.signals.data(), values_.data() + port.target_offset);
  } catch (SignalFailure& failure) {
    failure.input = port.target_offset;
    throw;
  }
}

}  // namespace counterpoint
