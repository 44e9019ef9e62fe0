#pragma once

namespace counterpoint::fast {

/// The fast paths that a run may use: all, except in tests that compare a path with the generic route and in benchmarks
/// that measure what a path saves.
struct Choice {
  bool single_scalar = true;         ///< input_paths.hpp
  bool newest_points = true;         ///< newest_points.hpp
  bool lines = true;                 ///< line_input.hpp; needs newest points and rounds
  bool rounds = true;                ///< round.hpp
  bool held_rounds = true;           ///< held_round.hpp; needs derived comparisons
  bool sampled_rounds = true;        ///< sampled_round.hpp; needs lines and derived comparisons
  bool batches = true;               ///< step_batch.hpp: several steps in a row
  bool polynomial_batches = true;    ///< step_batch.hpp: several steps in one call; needs single_scalar
  bool derived_comparisons = true;   ///< derived_comparison.hpp; needs lines
  bool derived_rows = true;          ///< derived_rows.hpp; needs derived comparisons
  bool deferred_comparisons = true;  ///< deferred_comparison.hpp; needs a kept record
  bool joint_steps = true;           ///< joint_step.hpp
  bool joint_passes = true;          ///< joint_pass.hpp
  bool newest_comparisons = true;    ///< newest_comparison.hpp

  static constexpr Choice none() {
    return {false, false, false, false, false, false, false, false, false, false, false, false, false};
  }
  bool any() const {
    return single_scalar || newest_points || lines || rounds || held_rounds || sampled_rounds || batches ||
           polynomial_batches || derived_comparisons || derived_rows || deferred_comparisons || joint_steps ||
           joint_passes || newest_comparisons;
  }
};

}  // namespace counterpoint::fast
