#pragma once

#include <cstddef>
#include <optional>

namespace counterpoint::fast {

/// Many rounds in a row of participants that step together (round.hpp), made in one call: held_round.hpp,
/// sampled_round.hpp.
class ManyRounds {
 public:
  virtual ~ManyRounds() = default;

  /// Whether it still serves the members.
  virtual bool still_serves() const = 0;
  /// Fewer rounds than this are made step by step.
  virtual long fewest_rounds() const { return 1; }

  /// Make at most `most` rounds of steps that begin before `before`. Returns their number; 0: the next round has to be
  /// made step by step. If a member fails, `failed` is its number, and everything else is as after steps made one by
  /// one.
  virtual long run(long most, double before) = 0;
  virtual std::size_t failed() const = 0;

  /// The member whose step has not returned, and the start of this step (s). Called from another thread.
  struct Call {
    std::size_t member;
    double t;
  };
  virtual std::optional<Call> call_under_way() const { return std::nullopt; }
  /// That step will never return: keep the steps before it.
  virtual void abandon() {}
};

}  // namespace counterpoint::fast
