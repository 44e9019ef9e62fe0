#include "diagram/simulator.hpp"

#include <algorithm>

#include "ode/time_resolution.hpp"
#include "recipe/factory.hpp"

namespace counterpoint::diagram {

struct Simulator::Saved {
  std::shared_ptr<const Execution::Saved> execution;
  double time, reached;
  std::vector<double> slope, g;
  HybridIntegrator::Memory integrator;
};

Simulator::Simulator(FlatDiagram diagram, const SimulatorOptions& options)
    : locates_(options.locates),
      execution_(std::move(diagram), options.loops, options.locates),
      integrator_(*this, options),
      x_ahead_(execution_.states()),
      g_ahead_(execution_.crossings()) {
  integrator_.resize(execution_.states(), execution_.crossings());
  context_.locates = options.locates;
  context_.is_tentative = is_variable() || (options.locates && execution_.crossings() > 0);
}

void Simulator::set_instant(double t, Inputs* u) {
  context_.time = t;
  context_.step = 0.0;
  context_.stage = 0;
  context_.is_major = true;
  context_.inputs = u;
}

void Simulator::write_point(HybridPoint& point) {
  std::copy_n(execution_.x(), point.x.size(), point.x.data());
  execution_.crossing(context_, point.g.data());
  execution_.slopes(context_, point.slope.data());
}

void Simulator::start(double t, Inputs* u) {
  reached_ = t;
  set_instant(t, u);
  context_.attempt = 0;
  evaluations_ = 0;
  has_before_ = false;
  integrator_.start(t);
  execution_.start(context_);
  iterate_event(true);
  write_point(integrator_.point());
  execution_.check_finite(context_);
  integrator_.choose_first_step();
  execution_.accepted(context_);
  execution_.close_triggers();
}

void Simulator::probe(double t, const std::vector<double>& x, Inputs* u, std::vector<double>& dx) {
  set_instant(t, u);
  execution_.set_x(x.data());
  execution_.evaluate_major(context_);
  execution_.slopes(context_, dx.data());
}

void Simulator::evaluate_with(Inputs* u) {
  set_instant(reached_, u);
  context_.is_major = false;
  execution_.evaluate_minor(context_);
}

void Simulator::slopes_along_motion(double length, Inputs* u, std::vector<double>& dy) {
  const Context before = context_;
  context_.inputs = u;
  const std::vector<double> x(execution_.x(), execution_.x() + execution_.states());
  std::vector<double> slope(x.size()), moved(x.size());
  evaluate(reached_, 0, x.data(), slope.data());
  for (const double sign : {-1.0, 1.0}) {
    for (std::size_t j = 0; j < x.size(); ++j) moved[j] = x[j] + sign * length * slope[j];
    place(reached_ + sign * length, moved.data());
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const double y = execution_.output(static_cast<int>(i));
      dy[i] = sign < 0.0 ? y : (y - dy[i]) / (2.0 * length);
    }
  }
  place(reached_, x.data());
  context_ = before;
}

double Simulator::advance(double t_end, Inputs* u, bool stops_at_events) {
  context_.inputs = u;
  has_before_ = false;
  if (execution_.may_end_run()) execution_.check_end(time());
  check_resolution("sample_time", execution_.finest_sample(), time(), t_end);
  return integrator_.advance(t_end, stops_at_events);
}

/// Inputs may not be what they were when the last step ended, and blocks have remembered since.
void Simulator::begin_advance(HybridPoint& point) {
  if (!execution_.has_stale()) return;
  set_instant(reached_, context_.inputs);
  if (execution_.has_stale_gates()) {
    iterate_event(false);
  } else {
    execution_.evaluate_stale(context_);
    if (execution_.update(context_)) iterate_event(false);
  }
  execution_.close_triggers();
  write_point(point);
}

void Simulator::resume_advance(HybridPoint& point) {
  if (execution_.hears_steps()) begin_advance(point);
}

void Simulator::begin_attempt(double begin, double end, int number) {
  context_.attempt = number;
  if (number > 0) {
    context_.time = begin + context_.step;
    execution_.rejected(context_);
  }
  context_.step = end - begin;
}

void Simulator::evaluate(double t, int stage, const double* x, double* dx) {
  execution_.set_x(x);
  context_.time = t;
  context_.stage = stage;
  context_.is_major = false;
  execution_.evaluate_minor(context_);
  execution_.slopes(context_, dx);
  ++evaluations_;
}

void Simulator::place(double t, const double* x) {
  execution_.set_x(x);
  context_.time = t;
  context_.is_major = false;
  execution_.evaluate_minor(context_);
  ++evaluations_;
}

/// In more and more parts, until those who record their input know it to the tolerance.
void Simulator::pass(const StepInside& inside) {
  for (int parts = fewest_parts; parts <= most_parts; parts *= 2) {
    for (int k = 1; k < parts; ++k) show(inside, k, {k, parts});
    place(inside.end, inside.x_end.data());
    execution_.passes(context_, {parts, parts});
    show(inside, proof_instant, {parts + 1, parts});
    if (execution_.follows({inside.relative_tolerance, inside.absolute_tolerance})) return;
  }
}

void Simulator::show(const StepInside& inside, double k, Passing passing) {
  const double t = inside.begin + (inside.end - inside.begin) * k / passing.parts;
  x_inside_.resize(inside.x_end.size());
  inside.solution.interpolate(t, x_inside_.data());
  place(t, x_inside_.data());
  execution_.passes(context_, passing);
}

void Simulator::place_within(double t, const double* x) {
  execution_.rejected(context_);
  place(t, x);
}

bool Simulator::end_step(HybridPoint& point) {
  execution_.accepted(context_);
  execution_.slopes(context_, point.slope.data());
  execution_.close_triggers();
  return !execution_.ends_run();
}

/// The solver cannot know which block made it fail.
void Simulator::explain(const SolverFailure& failure) const {
  if (!dynamic_cast<const BlockFailure*>(&failure)) execution_.blame_not_finite(context_);
}

std::shared_ptr<const Simulator::Saved> Simulator::save() const {
  auto execution = execution_.save();
  if (!execution) return nullptr;
  const HybridPoint& point = integrator_.point();
  return std::make_shared<Saved>(
      Saved{std::move(execution), point.time, reached_, point.slope, point.g, integrator_.memory()});
}

void Simulator::restore(const Saved& saved) {
  execution_.restore(*saved.execution);
  reached_ = saved.reached;
  integrator_.set_memory(saved.integrator);
  HybridPoint& point = integrator_.point();
  point.time = saved.time;
  std::copy_n(execution_.x(), point.x.size(), point.x.data());
  point.slope = saved.slope;
  point.g = saved.g;
  has_before_ = false;
}

bool Simulator::write(const Saved& s, recipe::Writer& writer) {
  const HybridIntegrator::Memory& m = s.integrator;
  writer(s.time, s.reached, m.preferred_step, m.short_step, m.border_steps, s.slope, s.g, m.chatter.begins(),
         m.chatter.counts());
  return Execution::write(*s.execution, writer);
}

std::shared_ptr<const Simulator::Saved> Simulator::read_state(recipe::Reader& reader) const {
  const HybridPoint& point = integrator_.point();
  auto s = std::make_shared<Saved>(Saved{nullptr, 0.0, 0.0, point.slope, point.g, integrator_.memory()});
  HybridIntegrator::Memory& m = s->integrator;
  std::vector<double> begins = m.chatter.begins(), counts = m.chatter.counts();
  reader(s->time, s->reached, m.preferred_step, m.short_step, m.border_steps);
  reader.same_sizes(s->slope, s->g, begins, counts);
  m.chatter.set(std::move(begins), std::move(counts));
  s->execution = execution_.read_state(reader);
  return s;
}

}  // namespace counterpoint::diagram
