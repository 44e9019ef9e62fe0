#pragma once

#include <vector>

#include "coupling/fast/steppers.hpp"

namespace counterpoint::fast {

class DerivedDefectRows;

/// Which fast paths serve a participant; set once, when a driver sets up its run.
struct ParticipantPaths {
  BatchStepper* batches = nullptr;  ///< its own way to make several steps in a row (step_batch.hpp)
  const BatchStepper::EqualSteps* batch_step = nullptr;  ///< of `batches`
  HeldStepper* held = nullptr;                           ///< its own way to step on held inputs (held_round.hpp)
  SampledStepper* sampled = nullptr;                     ///< the same on inputs at given times (sampled_round.hpp)
  bool in_step = false;                                  ///< it goes in rounds (round.hpp)
  bool assumes_later = false;  ///< what it assumed is asked for when all have stepped (joint_step.hpp)
  std::vector<DerivedDefectRows*> derive_from_rows;  ///< defects that are made from what it records (derived_rows.hpp)
};

}  // namespace counterpoint::fast
