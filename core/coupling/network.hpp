#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "coupling/participant.hpp"
#include "coupling/wall_clock.hpp"

namespace counterpoint {

/// Specification of one subsystem in a run.
struct ParticipantSpec {
  SubsystemPointer subsystem;
  double step = 0.0;              ///< fixed step in s; 0: the steps preferred by the subsystem
  std::vector<double> constants;  ///< one value per scalar input, used if nothing is connected
  std::vector<int> waits_for;     ///< participants this one waits for
  bool records = true;
  bool may_overrun = false;              ///< steps beyond the end of the run are allowed (served on demand)
  std::shared_ptr<Pace> pace = nullptr;  ///< how it steps, instead of `step`
  bool jumps = false;                    ///< its outputs may jump when events change its inputs
  bool sends_slopes = false;             ///< another program needs the derivatives of its outputs
  std::vector<char> unread = {};         ///< per output: nothing reads it, so it may be NaN; empty: none may be
};

/// Specification of a connection; those with the same `law` enter one input together.
struct ConnectionSpec {
  int source = 0;
  int source_offset = 0;
  int width = 1;
  int target = 0;
  int target_offset = 0;
  int target_width = 1;  ///< differs from `width` only if there is a law
  ApproximationPointer approximation;
  double gain = 1.0;
  double offset = 0.0;
  std::optional<double> initial = std::nullopt;  ///< value of the input while initial outputs are found
  int law = -1;
};

struct LawSpec {
  std::shared_ptr<const CouplingLaw> law;
  int target = 0;
  int target_offset = 0;
};

/// An input in a loop of direct feedthrough that exists only at the start; its initial value is found by iteration.
struct TornInput {
  int participant = 0;
  int offset = 0;
  int width = 1;
  std::string label;  ///< its name in messages
};

/// A call of a participant that has not returned.
struct CallUnderWay {
  int participant = 0;
  double t = 0.0;  ///< start of its step, s
};

struct RunSpec {
  std::vector<ParticipantSpec> participants;
  std::vector<ConnectionSpec> connections;
  std::vector<LawSpec> laws;
  double start = 0.0;      ///< s
  double until = 0.0;      ///< s; infinity if the end is unknown
  double tolerance = 0.0;  ///< times closer than this are equal, s
  int initial_passes = 1;  ///< number of times that initial outputs are read: 1 + longest chain of feedthrough
  std::vector<TornInput> torn = {};                         ///< with these values known, no loop is left
  std::vector<std::shared_ptr<Indicator>> indicators = {};  ///< told of arrived samples, like the defects
  std::vector<std::shared_ptr<Event>> events = {};
  std::shared_ptr<WallClock> wall_clock = nullptr;  ///< clock that the run follows
  std::vector<InputEventSpec> input_events = {};    ///< `events` contains their times if steps end there
  std::vector<ConditionSpec> conditions = {};
  bool compares = true;       ///< false: no defects, to measure their cost
  bool keeps_record = false;  ///< the record is kept: what can be computed from it later is not computed during the run
  bool streams_record = false;   ///< the record goes to a file: additional data must be small and writable
  fast::Choice fast_paths = {};  ///< `none()`: the generic route alone (for tests)
};

/// The participants of a run and the connections between them; used by both drivers.
class Network {
 public:
  /// The consumer's end of a connection.
  struct ConnectionEnd {
    int consumer;
    int index;                 ///< among the connections of the consumer
    Participant* participant;  ///< the consumer; read whenever the source has stepped
    Connection& connection() const { return participant->inputs->connections()[index]; }
    Comparison& comparison() const { return participant->comparisons[index]; }
  };

  /// A driver may give one participant, the host, a special kind of inputs.
  explicit Network(const RunSpec& spec, int host = -1, std::unique_ptr<Inputs> host_inputs = nullptr);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// The time that every participant has reached.
  double time() const;

  /// Start all subsystems and find their initial outputs.
  void start();

  /// Call `begin` of all subsystems but one; read initial outputs again if they may have changed.
  void begin(int except);

  /// The run is over.
  void finish() noexcept;

  /// Tell events that all participants have reached them.
  void tell_events();

  /// Find the initial outputs of all participants but one, whose outputs are given.
  void refresh_initial_outputs(int except);

  std::vector<Participant> participants;
  double tolerance;

  /// Make the samples published by `source` visible and compare them with the assumed values.
  void commit(int source) {
    Participant& p = participants[source];
    p.history.commit();
    for (const ConnectionEnd& out : outgoing_[source]) {
      const Comparison& comparison = out.comparison();
      if (comparison.pending() && p.t >= comparison.pending_time() - tolerance) out.participant->compare(out.index);
    }
  }

  /// Compare the values assumed for `source` with its visible samples.
  void compare(int source) {
    for (const ConnectionEnd& out : outgoing_[source]) {
      if (out.comparison().pending() || out.connection().fast.compares_by_samples) out.participant->compare(out.index);
    }
  }

  /// Delete samples that no consumer needs any more, and make room for `samples` more.
  void make_room(int source, std::size_t samples);
  /// The oldest sample that a consumer or a comparison may still need.
  std::size_t first_needed(int source) const;
  /// Samples that are always kept: for the cubic of comparisons and for the first windows.
  static constexpr std::size_t always_kept = 6;
  /// Samples that a connection needs before the present time of its consumer.
  static std::size_t kept_behind(const Connection& c) {
    return std::max<std::size_t>(c.approximation->points_behind(), 4);
  }

  /// The complete state: subsystems, histories, inputs, comparisons, clocks, length of the record.
  using Saved = std::vector<Participant::Saved>;
  /// False if a subsystem cannot save; `into` is then invalid. The memory of `into` is reused.
  bool save(Saved& into) const;
  void restore(const Saved& saved);

  const std::vector<ConnectionEnd>& outgoing(int source) const { return outgoing_[source]; }
  int connection_count() const { return static_cast<int>(connections_.size()); }
  const ConnectionEnd& connection(int number) const { return connections_[number]; }

  /// Call `work`. If it throws, note the participant and rethrow.
  template <class Work>
  void guarded(int participant, Work&& work);
  /// Note a failure of a participant; call it in a catch block.
  void note_failure(int participant);
  void forget_failure() {
    if (failure) failure = Failure{};
  }
  Failure failure;

  /// During its lifetime, marks a participant that works in a thread of its own.
  class AtWork {
   public:
    AtWork(Network& network, int participant) : mark_(network.at_work_[participant]) {
      mark_.store(true, std::memory_order_relaxed);
    }
    ~AtWork() { mark_.store(false, std::memory_order_relaxed); }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

   private:
    std::atomic<bool>& mark_;
  };
  /// A participant whose work has begun and not returned (the innermost if one calls another). For another thread,
  /// while a call of the network hangs.
  std::optional<CallUnderWay> call_under_way() const;
  double time_of(int participant) const;

 private:
  void keep_last_sample(int participant);
  /// The place where a connection enters a law: the law and the first signal.
  struct LawPlace {
    int index = -1;
    int offset = 0;
  };
  void connect(const ConnectionSpec& connection, LawPlace law, bool waits);
  void plan_events();
  void watch(int participant, int source);
  InputEvents::Condition condition_of(const ConditionSpec& spec, int participant);
  std::vector<double> own_constants(const InputEventSpec& event) const;
  void forget_polynomials();
  void fix_initial_values();
  void release_initial_values();

  RunSpec spec_;
  std::vector<std::vector<ConnectionEnd>> outgoing_;
  std::vector<ConnectionEnd> connections_;
  std::vector<double> events_reached_;      ///< time up to which each event was told, s
  std::vector<std::atomic<bool>> at_work_;  ///< per participant, for threads
  std::atomic<int> guarded_{-1};            ///< the participant at work in a run with one thread, or -1
};

template <class Work>
void Network::guarded(int participant, Work&& work) {
  const int around = guarded_.load(std::memory_order_relaxed);
  guarded_.store(participant, std::memory_order_relaxed);
  try {
    work();
  } catch (...) {
    guarded_.store(around, std::memory_order_relaxed);
    note_failure(participant);
    throw;
  }
  guarded_.store(around, std::memory_order_relaxed);
}

}  // namespace counterpoint
