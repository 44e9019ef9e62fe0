#pragma once

#include "multibody/stepper.hpp"

namespace counterpoint::multibody {

/// Makes a step as two, step(t_end) each, of which each may be made as two again; counts it as one. Where one fails,
/// the state is as it was.
template <typename Step>
void make_in_halves(State& state, double t_end, int& halvings, Statistics& statistics, Step step) {
  const State before = state;
  const Statistics counted = statistics;
  ++halvings;
  try {
    step(before.t + 0.5 * (t_end - before.t));
    step(t_end);
  } catch (...) {
    --halvings;
    state = before;
    throw;
  }
  --halvings;
  statistics.steps = counted.steps + 1;
  statistics.halved_steps = counted.halved_steps + 1;
}

}  // namespace counterpoint::multibody
