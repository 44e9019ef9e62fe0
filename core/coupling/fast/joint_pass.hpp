#pragma once

#include <array>
#include <vector>

#include "coupling/fast/step_batch.hpp"
#include "coupling/precedence_rule.hpp"

namespace counterpoint::fast {

/// Fast path: the steps of a whole pass of a window, in the order that the precedence rule found in an earlier pass of
/// the same kind.
///
///     first pass of a kind:  the precedence rule chooses; record who makes how many steps
///     later passes:          check that all are at the same place as then, and make the same steps
///
/// Serves windows, with one thread, of participants with fixed steps that begin and end together, each a whole number
/// of steps, as long as steps are cheap. Saves the precedence rule before and after each batch.
///
/// Bit-equal: the order of allowed steps changes no bit, and differences of times decide which steps are allowed. If
/// two participants make m and n equal steps in a window of length L, each difference is a multiple of L/(m n). Where
/// that is far above the tolerance, rounding errors of times cannot change a decision. Measured (`python -m benchmarks
/// fast-paths`): 0.88 of the time without it, two oscillators with steps of 1 : 10, each window repeated once.
class JointPass {
 public:
  JointPass(Network& network, PrecedenceRule& rule);

  /// Make the pass from the present time to `target`. False: the precedence rule has to make it, or the rest of it.
  bool run(double target);

  /// Begin to record the pass that the precedence rule is about to make, if later passes may repeat its order.
  void begin_to_note(double target);
  bool notes() const { return noted_ != nullptr; }
  void note(int participant, long steps);
  /// The recorded pass is complete.
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

  /// The order of the passes in which connections read the same samples.
  Order& order();
  bool stand_together(double target) const;
  bool is_far_from_roundings() const;
  void make(const Turn& turn);

  Network& network_;
  PrecedenceRule& rule_;
  double close_;  ///< times closer than this differ by rounding only, s
  bool serves_;   ///< all have fixed steps
  std::array<Order, 4> orders_;
  Order* noted_ = nullptr;  ///< being recorded; null: none
  std::vector<Turn> turns_;
  long steps_ = 0;       ///< of these turns
  double length_ = 0.0;  ///< s
};

}  // namespace counterpoint::fast
