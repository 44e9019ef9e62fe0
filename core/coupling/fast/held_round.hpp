#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "coupling/fast/many_rounds.hpp"
#include "coupling/participant.hpp"

namespace counterpoint::fast {

/// Fast path: many rounds in a row of participants that step together and hold their inputs.
///
///     repeat for as many rounds as there is room:
///       for each participant: read its inputs from the newest samples that all had before this round,
///                             make a step, check that its outputs are finite, record them
///
/// Serves a round (round.hpp) whose members are all `HeldStepper`s with held inputs. The data of a step are close
/// together in memory, and clocks, histories and records are accessed once for all rounds: with cheap steps these are
/// most of the cost of coupling. Bit-equal to one step after the other. Measured (`python -m benchmarks fast-paths`):
/// 20 FMUs take 0.7 of the time without this path, set-up included.
class HeldRound final : public ManyRounds {
 public:
  explicit HeldRound(std::vector<Participant*> members);

  /// Whether these participants are served.
  static bool serves(const std::vector<Participant*>& members);
  /// Whether they are still served. If a member changes the settings of the floating-point unit, they are not: from
  /// then on all members are checked in every step.
  bool still_serves() const override;

  long run(long most, double before) override;
  std::size_t failed() const override { return turn_.load(std::memory_order_relaxed); }
  std::optional<Call> call_under_way() const override;
  void abandon() override;

 private:
  struct HeldParticipant {
    void (*function)(void* model, double t, double t_end, const double* u, double* y);
    void* model;
    double* inputs;
    double* values;  ///< memory of its next sample
    double* row;     ///< memory of its next row; always the same if nothing is recorded
    int width;
    int row_width;  ///< 0 if nothing is recorded
    int input_count;
  };
  /// From the newest sample of a source to an input.
  struct HeldInput {
    const double* value;
    int width;  ///< of the source: distance to its next sample
    int target;
    bool scales;
    double gain;
    double offset;
  };

  void open(int count, double before);
  void close(int rounds, std::size_t stepped);
  void make_rounds();
  void make_round(double t, double t_end);
  void read_from(std::size_t sample);

  std::vector<Participant*> participants_;
  std::vector<HeldParticipant> members_;
  std::vector<HeldInput> held_inputs_;  ///< of the first member, then of the second, ...
  std::vector<double> unrecorded_;
  const double* ends_ = nullptr;
  int opened_ = 0;                    ///< number of rounds for which there is room
  std::atomic<int> round_{-1};        ///< present round; -1: none
  std::atomic<std::size_t> turn_{0};  ///< the member that steps
  Around around_ = nullptr;
  std::vector<void*> models_;  ///< of all members, for `around_`
  bool trusted_ = true;
};

}  // namespace counterpoint::fast
