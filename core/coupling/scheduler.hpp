#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "coupling/held_round.hpp"
#include "coupling/network.hpp"

namespace counterpoint {

class WorkerPool;

/// Applies the precedence rule to N subsystems (Counterpoint is master).
///
///     repeat until all have reached the end:
///       1. strict rule. Subsystem i at t_i, proposing t_i + h_i, may step when
///            every source s it waits for has         t_s >= t_i + h_i        (i interpolates s)
///            every other source s has                t_s + h_s > t_i         (i extrapolates s)
///            some consumer still needs samples after t_i, or i has no consumer
///          Of those that may, the one with the smallest t_i goes first, ties by rank, and goes on
///          for as long as the rule lets it (a burst).
///       2. second rule. In a group whose members are blocked by members of the group only, nobody can
///          go further. Somebody there is blocked merely by sources that he extrapolates: what they
///          have published so far is then enough. Of these the one with the smallest t_i makes one step.
///
/// Where all that are connected with each other step on the same grid, nobody can overtake anybody: they go in rounds,
/// one step each, those that are waited for first, and nothing has to be looked at in between. Where they hold their
/// inputs as well, many rounds are made at once (`HeldRound`).
///
/// Which samples a step uses follows from times alone (`Inputs::freeze`), so the order in which
/// allowed steps are made changes no bit. That is why a burst may run on, why several subsystems may
/// run at the same time (`threads`), and why the result does not depend on either.
class Scheduler {
 public:
  Scheduler(const RunSpec& spec, int threads);
  ~Scheduler();

  /// Before the start: nobody goes in rounds, so that a slice can end after every step.
  void leave_rounds();

  void start();

  /// Find out again who may step: somebody else has moved the participants, or changed what they read.
  void look_again();

  /// Step until every subsystem has reached `target`, or for a slice: until `wall_seconds` have passed
  /// or some hundred thousand steps are made, whose results should be taken away.
  /// Returns true when all have reached it. Throws what a model threw; see `network().failure`.
  bool advance(double target, double wall_seconds);

  /// For a master above: steps that subsystems choose by themselves do not go over its communication point at `time`.
  void stop_at(double time);

  Network& network() { return network_; }

 private:
  /// What a subsystem takes from another.
  struct Intake {
    Term* term;
    const Participant* source;
  };

  /// What the rule says about one subsystem. Pointers, since all of them are followed in every turn.
  struct Seat {
    Participant* participant = nullptr;
    double end = 0.0;      ///< its step may end here at the latest
    double begin = 0.0;    ///< its step must begin before this: from here on a sample is missing or nobody listens
    int index = 0;         ///< of the subsystem
    bool ready = false;    ///< it is among `ready_`
    bool reached = false;  ///< it has come to the target
    int round = -1;        ///< the round that it belongs to, or -1
    std::vector<Intake> intakes;
    const std::vector<Network::Place>* outgoing = nullptr;  ///< those who listen to it
    std::vector<Seat*> neighbours;                          ///< those whose permission may change when it moves
  };

  /// Those that go in rounds, those that are waited for first. The first one stands for all.
  struct Round {
    std::vector<Seat*> members;
    std::size_t next = 0;           ///< whose turn it is: after a costly step somebody may want to look at the clock
    std::optional<HeldRound> held;  ///< where all hold their inputs
    std::vector<Seat*> elsewhere;   ///< those whose steps can be sent off at the beginning of a round
  };

  void take_seats(const RunSpec& spec);
  void make_rounds(const RunSpec& spec);
  void update_limits(Seat& seat);
  static bool may_step(const Seat& seat);
  /// Steps of one subsystem as far as its limits allow; returns their number (more for costly ones).
  long burst(Seat& seat);
  /// The same with the stopwatch running.
  static long make_timed_steps(Participant& p, const BurstLimits& allowed);
  /// Whose turn it is.
  int choose();
  void run_alone(int i);
  void run_rounds(Round& round);
  void announce(const Round& round);
  /// Throw unless all stand at the same place: whoever moved one of them alone has made a mistake.
  void check_step(const Round& round) const;
  /// Returns false when it was a costly one.
  bool step_in_round(Seat& seat);
  /// What is held in a round need not be recorded a second time as an assumption.
  void leave_out_what_follows(const Round& round);
  /// Rounds one after the other, all together.
  void run_held(Round& round, long most);
  bool rests(const Seat& seat) const;
  void note_whether_reached(Seat& seat);
  void compare_all();
  /// `first` and all others that may step, at the same time.
  void run_together(int first);
  bool later(int a, int b) const;
  bool reached(const Participant& p) const;
  void go(double wall_seconds);
  void after_burst(Seat& seat);
  void offer(Seat& seat);
  void push_ready(Seat& seat);
  /// The earliest of those that may step, or -1.
  int pop_ready();
  void sift_last_in();
  void sift_earliest_out();
  void set_aside(int i);
  int exempt_by_the_second_rule() const;
  bool is_blocked(int i) const;
  bool is_blocked_by_extrapolation_only(int i) const;
  std::vector<int> blocked_through(int i) const;
  bool blocks(int i, const Term& term) const;
  double publishes_after(const Term& term, const Participant& source) const;

  Network network_;
  std::vector<Seat> seats_;
  std::vector<Round> rounds_;
  std::vector<int> ready_;  ///< heap by time, then rank
  std::vector<int> batch_;
  long choices_ = 0;        ///< since the second rule was looked at
  long patience_;           ///< choices before it is looked at again
  std::vector<int> aside_;  ///< have reached the target and are listened to by nobody
  std::vector<std::exception_ptr> errors_;
  std::unique_ptr<WorkerPool> pool_;
  double burst_length_;
  double target_ = 0.0;  ///< who stands here has reached it, and begins no step for its sake
  long steps_made_ = 0;  ///< in this slice
  int behind_ = 0;       ///< how many have not reached the target
};

}  // namespace counterpoint
