#pragma once

#include <vector>

#include "coupling/abilities.hpp"

namespace counterpoint::fast {

class DerivedDefectRows;

/// The fast paths that serve a participant, set once when a driver sets up its run.
struct ParticipantPaths {
  BatchStepper* batches = nullptr;                       ///< it can make several steps in a row (step_batch.hpp)
  const BatchStepper::EqualSteps* batch_step = nullptr;  ///< of `batches`
  StateRewriter* rewriter = nullptr;                     ///< it can save into an existing state (Participant::mark)
  HeldStepper* held = nullptr;                           ///< it can step with held inputs (held_round.hpp)
  SampledStepper* sampled = nullptr;                     ///< the same with inputs at given times (sampled_round.hpp)
  bool in_step = false;                                  ///< it steps in rounds (round.hpp)
  bool assumes_later = false;                            ///< it assumes values when all have stepped (joint_step.hpp)
  std::vector<DerivedDefectRows*> derive_from_rows;      ///< defects computed from its record (derived_rows.hpp)
};

}  // namespace counterpoint::fast
