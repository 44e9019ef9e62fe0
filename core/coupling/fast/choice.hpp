#pragma once

#include <iterator>

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

  static constexpr Choice none();
  constexpr bool any() const;
};

struct NamedPath {
  const char* name;
  bool Choice::* allowed;
};

inline constexpr NamedPath every_path[] = {
    {"single_scalar", &Choice::single_scalar},
    {"newest_points", &Choice::newest_points},
    {"lines", &Choice::lines},
    {"rounds", &Choice::rounds},
    {"held_rounds", &Choice::held_rounds},
    {"sampled_rounds", &Choice::sampled_rounds},
    {"batches", &Choice::batches},
    {"polynomial_batches", &Choice::polynomial_batches},
    {"derived_comparisons", &Choice::derived_comparisons},
    {"derived_rows", &Choice::derived_rows},
    {"deferred_comparisons", &Choice::deferred_comparisons},
    {"joint_steps", &Choice::joint_steps},
    {"joint_passes", &Choice::joint_passes},
    {"newest_comparisons", &Choice::newest_comparisons},
};
static_assert(sizeof(Choice) == std::size(every_path), "every path has its name");

constexpr Choice Choice::none() {
  Choice made;
  for (const NamedPath& path : every_path) made.*path.allowed = false;
  return made;
}

constexpr bool Choice::any() const {
  for (const NamedPath& path : every_path) {
    if (this->*path.allowed) return true;
  }
  return false;
}
static_assert(!Choice::none().any());

}  // namespace counterpoint::fast
