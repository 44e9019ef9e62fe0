#pragma once

#include <array>
#include <vector>

#include "coupling/fast/step_batch.hpp"
#include "coupling/precedence_rule.hpp"

namespace counterpoint::fast {

/// Fast path: the steps of a whole pass of a window, in the order in which the precedence rule allowed them in a pass
/// like it before.
///
///     first pass of a kind:  the precedence rule chooses; note who made how many steps
///     the next ones:         check that all stand as they stood then, and make the same steps
///
/// Serves windows, with one thread, of participants with fixed steps that begin and end together, each a whole number
/// of steps, as long as steps are cheap. Saves finding out which participants may step, before and after each batch.
///
/// Bit-equal: the order of allowed steps changes no bit, and which are allowed follows from differences of times. Of
/// whole numbers of steps in the same length each difference is a multiple of that length divided by the numbers of
/// steps of two participants: where that is far above the tolerance, a rounding changes no answer. Measured (`python -m
/// benchmarks fast-paths`), two oscillators, each step repeated once: see there.
class JointPass {
 public:
  JointPass(Network& network, PrecedenceRule& rule);

  /// Make the pass, from where all stand to `target`; false where that is left to the precedence rule, perhaps after
  /// some steps.
  bool run(double target);

  /// Note the steps of the pass that the precedence rule is about to make, if the next ones may be made like it.
  void begin_to_note(double target);
  bool notes() const { return noted_ != nullptr; }
  void note(int participant, long steps);
  /// The pass that was noted has come to its end.
  void end_noting();

 private:
  struct Turn {
    int participant;
    long steps;
  };
  struct Order {
    double length = 0.0;  ///< of the window, s; 0: not known
    bool serves = true;
    std::vector<Turn> turns;
  };
  static constexpr std::size_t most_turns = 4096;
  static constexpr long most_steps = 1 << 14;  ///< no slice ends within a pass

  /// The order of passes in which the same is read.
  Order& order();
  bool stand_together(double target) const;
  bool is_far_from_roundings() const;
  void make(const Turn& turn);

  Network& network_;
  PrecedenceRule& rule_;
  double close_;  ///< times that are closer are equal but for roundings, s
  bool serves_;   ///< all have fixed steps
  std::array<Order, 4> orders_;
  Order* noted_ = nullptr;  ///< that is being noted
  std::vector<Turn> turns_;
  long steps_ = 0;       ///< of these turns
  double length_ = 0.0;  ///< s
};

}  // namespace counterpoint::fast
