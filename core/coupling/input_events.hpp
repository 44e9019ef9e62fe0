#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "coupling/coupling_law.hpp"
#include "coupling/event.hpp"
#include "signal/history.hpp"

namespace counterpoint {

/// What an event does to an input, or to the value of one connection, while it is in force.
struct Action {
  enum class Kind {
    set,     ///< replaced by these values
    scale,   ///< times these values
    offset,  ///< plus these values
    stuck,   ///< the value at the moment of the event
    noise,   ///< plus normally distributed numbers with these standard deviations, drawn for each step
    release  ///< no change: earlier actions end
  };
  Kind kind = Kind::set;
  std::vector<double> values;  ///< one per scalar
  std::uint64_t seed = 0;      ///< of noise
  double every = 0.0;          ///< noise: drawn at this interval instead, s
};

/// An action on an input, at a time or when a condition becomes true.
struct InputEventSpec {
  int participant = 0;
  int offset = 0;  ///< first scalar of the input
  int width = 1;
  int connection = -1;                    ///< changes the value of this connection only; -1: the input
  double begin = -Polynomial::infinity;   ///< s; with a condition: earliest time
  double until = Polynomial::infinity;    ///< s
  double lasting = Polynomial::infinity;  ///< s, from its begin
  int condition = -1;                     ///< its number in the run, or -1: at `begin`
  Action action;
};

/// A function of published outputs; the condition is true while the function is above 0.
struct ConditionSpec {
  struct Output {
    int participant = 0;
    int column = 0;
  };
  std::vector<Output> outputs;
  std::shared_ptr<const CouplingLaw> law;
};

/// 1 if the weighted sum of the signals plus a constant is above 0 (or equal to it), otherwise 0.
std::shared_ptr<CouplingLaw> make_threshold(std::vector<double> weights, double constant, bool or_equal);

/// Times that are known before the run; where participants choose the length of their steps, these end there.
class TimedEvents final : public Event {
 public:
  TimedEvents(const std::vector<InputEventSpec>& events, double tolerance);
  double next(double t) const override;

 private:
  std::vector<double> times_;
  double tolerance_;
};

/// The events that change the inputs of one participant.
///
///     begin_step(t):  evaluate conditions, with samples up to t; find the actions in force
///     disturb(k, u):  apply the action in force to the values of target k
///
/// 1. The action in force does not change within a step: an event acts on steps that begin at its time or later.
/// 2. Of several actions on one target, the one that began last is in force; when it ends, the previous one is in force
///    again. A release ends all earlier ones.
/// 3. A condition is evaluated for every sample of its outputs; it acts each time it becomes true.
/// 4. All of this depends on times and published samples alone, so it is the same for any order of steps.
class InputEvents {
 public:
  /// An output in a condition.
  struct Watched {
    const History* history;
    int column;
    bool own;  ///< of the participant itself: samples that are not committed count as well
    std::size_t end() const { return own ? history->begin() + history->mask() + 1 - history->room() : history->end(); }
  };
  struct Condition {
    std::vector<Watched> outputs;
    std::shared_ptr<const CouplingLaw> law;
  };
  /// An event of this participant: the number of its condition here, and of its target.
  struct Planned {
    InputEventSpec spec;
    int number = 0;  ///< in the run
    int condition = -1;
    int target = 0;
  };
  /// What an event changes.
  struct Target {
    int connection = -1;  ///< number in the run
    int offset = 0;
    int width = 1;
    std::vector<double> constants;  ///< of an input that nothing drives; else empty
  };

  explicit InputEvents(double tolerance) : tolerance_(tolerance) {}

  /// Add an event; returns its target. `constants` as in Target.
  int add(const InputEventSpec& spec, int number, int condition, std::vector<double> constants);
  int add(Condition condition);

  /// The run starts at t.
  void start(double t);
  void begin_step(double t) {
    if (!conditions_.empty()) look_at_conditions(t);
    if (changes_at(t)) update(t);
    step_start_ = t;
  }
  /// Whether an event that was known before begins or ends at t.
  bool changes_at(double t) const { return t >= state_.next_change - tolerance_; }
  /// The next such time, if it is known, s.
  double next_change() const { return state_.next_change; }
  /// The first time after `from` at which a condition becomes true and is true at `to`, with straight lines between
  /// these times; infinity if there is none.
  double first_begin(double from, double to) const;
  /// The step ends at t; from now on the values after t apply.
  void pass(double t) {
    update(t);
    step_start_ = t;
  }

  /// Whether a value has still to be stored for `stuck`: then inputs are first computed at `step_start`.
  bool takes_values() {
    const bool wanted = takes_values_;
    takes_values_ = false;
    return wanted;
  }
  double step_start() const { return step_start_; }
  void disturb(int target, double* values);
  /// The inputs as a whole, after all connections.
  void disturb_inputs(std::vector<double>& values);
  void restore_constants(std::vector<double>& values) const;
  void set_constant(int offset, double value);
  const std::vector<Target>& targets() const { return targets_; }

  /// An event came into force, or ended.
  struct Record {
    int event;         ///< number in the run
    bool begins;       ///< else it ended by itself
    double time;       ///< when it happened, s
    double effective;  ///< start of the first step that it changes, s
  };
  const std::vector<Record>& records() const { return records_; }

  /// The complete state.
  struct State {
    std::vector<double> begun;              ///< by event, s; infinity: not yet
    std::vector<char> told;                 ///< by event: 0 nothing, 1 that it began, 2 that it ended
    std::vector<char> holds;                ///< by condition
    std::vector<std::size_t> places;        ///< by output of all conditions: the sample that is looked at next
    std::vector<double> latest;             ///< and its value before that
    std::vector<int> in_force;              ///< by target: an event, or -1
    std::vector<std::vector<double>> held;  ///< by target: what is stuck; empty: nothing yet
    double next_change = -Polynomial::infinity;
    std::size_t records = 0;
  };
  void save(State& into) const;
  void restore(const State& saved);

 private:
  void look_at_conditions(double t);
  void look_at(std::size_t condition, std::size_t first, double t);
  double next_sample(const Condition& condition, std::size_t first) const;
  void begin_events_of(int condition, double t);
  void update(double t);
  int chosen(int target, double t) const;
  double end_of(std::size_t event) const;
  void tell(std::size_t event, double t);
  double noise(const Planned& event, int component) const;

  double tolerance_;
  double step_start_ = 0.0;
  bool takes_values_ = false;
  std::vector<Planned> events_;
  std::vector<Condition> conditions_;
  std::vector<Target> targets_;
  State state_;
  std::vector<Record> records_;
};

}  // namespace counterpoint
