#pragma once

#include <cstddef>
#include <optional>

namespace counterpoint::fast {

/// Many rounds in a row of participants that step together (round.hpp), made at once: held_round.hpp,
/// sampled_round.hpp.
class ManyRounds {
 public:
  virtual ~ManyRounds() = default;

  /// Whether the members can still be run like this.
  virtual bool still_serves() const = 0;
  /// Fewer are made step by step.
  virtual long fewest_rounds() const { return 1; }

  /// At most `most` rounds, for as long as a step begins before `before`; returns how many there were, 0 where the next
  /// one has to be made step by step. When a participant fails its number is `failed`, and all else is as if the steps
  /// had been made one by one.
  virtual long run(long most, double before) = 0;
  virtual std::size_t failed() const = 0;

  /// The member whose step has not come back, and where that began (s). From another thread, while a step does not end.
  struct Call {
    std::size_t member;
    double t;
  };
  virtual std::optional<Call> call_under_way() const { return std::nullopt; }
  /// That step will not come back: keep those before it.
  virtual void abandon() {}
};

}  // namespace counterpoint::fast
