#include "coupling/fast/step_batch.hpp"

namespace counterpoint::fast {

void StepBatch::choose(Participant& p, const std::vector<Participant>& all) {
  p.fast.batches = dynamic_cast<BatchStepper*>(p.subsystem.get());
  const bool leaves_samples_only =
      p.fixed_ != nullptr && !p.history.has_derivatives() && !p.inputs->depends_on_step() && !p.fast.in_step;
  // One that extrapolates has to look at its source again as soon as that publishes.
  const bool steps_often =
      std::all_of(p.inputs->connections().begin(), p.inputs->connections().end(),
                  [&](const auto& c) { return c.waits || p.clock_.step() < all[c.source].clock_.step(); });
  const bool served =
      leaves_samples_only && steps_often && p.fast.batches != nullptr && p.fast.batches->makes_batches();
  if (!served) p.fast.batches = nullptr;
  p.fast.batch_step = served ? &p.fast.batches->batch_step() : nullptr;
}

void StepBatch::run_timed(Participant& p, const BatchLimits& limits) {
  const long before = p.steps;
  p.stopwatch.begin();
  run(p, limits);
  p.stopwatch.end(p.steps - before);
}

StepBatch::OpenSteps StepBatch::open(Participant& p, int most, double before) {
  OpenSteps made{p.history.next_time(), p.history.next_value(), nullptr, 0};
  // One of another length, at the end of the run, is left to a step by itself: some models refuse it.
  const auto allowed = [before, step = p.clock_.step(), tolerance = p.tolerance_](double begin, double end) {
    return begin < before && std::abs(end - begin - step) <= tolerance;
  };
  made.count = p.clock_.next_ends(p.t, most, allowed, p.history.next_time());
  if (p.records_ && made.count > 0) made.rows = p.rows_.extend(made.count);
  return made;
}

StepBatch::OpenSteps StepBatch::open_with(Participant& p, Participant& other, int count) {
  OpenSteps made{p.history.next_time(), p.history.next_value(), nullptr, count};
  std::copy_n(other.history.next_time(), count, p.history.next_time());
  p.clock_ = other.clock_;
  if (p.records_ && count > 0) made.rows = p.rows_.extend(count);
  return made;
}

void StepBatch::close(Participant& p, int made, int opened) {
  const double* ends = p.history.next_time();
  if (p.records_) p.rows_.give_back(opened - made);
  if (made == 0) return;
  const double begin = made > 1 ? ends[made - 2] : p.t;
  const std::size_t last = p.history.end() + static_cast<std::size_t>(made) - 2;
  p.history.advance_many(made);
  p.history.commit();
  p.t = ends[made - 1];
  p.t_next = made < opened ? ends[made] : p.clock_.next_fixed(p.t);
  p.horizon = std::max(p.horizon, p.t_next);
  p.steps += made;
  p.inputs->begin_step(begin, p.t);
  p.inputs->fast_paths().freeze_in_step(p.inputs->connections(), p.inputs->values(), last);
}

}  // namespace counterpoint::fast
