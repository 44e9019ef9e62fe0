#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "coupling/participant.hpp"
#include "coupling/wall_clock.hpp"

namespace counterpoint {

/// What a run needs to know about one subsystem.
struct ParticipantSpec {
  SubsystemPointer subsystem;
  double step = 0.0;              ///< fixed step in s; 0: the steps that the subsystem prefers
  std::vector<double> constants;  ///< one value per scalar input; used where nothing is connected
  std::vector<int> waits_for;     ///< participants this one waits for
  bool records = true;
  bool may_overrun = false;              ///< steps beyond the end of the run are allowed (served on demand)
  std::shared_ptr<Pace> pace = nullptr;  ///< how it steps, instead of `step`
  bool jumps = false;                    ///< its outputs may jump when events change its inputs
  bool sends_slopes = false;             ///< another program wants the derivatives of its outputs
  std::vector<char> unread = {};         ///< per output: one that nothing reads may be undefined; empty: none may be
};

/// One output entering one input; those with the same `law` enter it together.
struct ConnectionSpec {
  int source = 0;
  int source_offset = 0;
  int width = 1;
  int target = 0;
  int target_offset = 0;
  int target_width = 1;  ///< differs from `width` only where a law stands between
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

/// An input inside a loop of direct feedthrough that exists at the start only: its initial value is iterated for.
struct TornInput {
  int participant = 0;
  int offset = 0;
  int width = 1;
  std::string label;  ///< how messages call it
};

/// A call of a participant that has not come back.
struct CallUnderWay {
  int participant = 0;
  double t = 0.0;  ///< start of its step, s
};

struct RunSpec {
  std::vector<ParticipantSpec> participants;
  std::vector<ConnectionSpec> connections;
  std::vector<LawSpec> laws;
  double start = 0.0;                ///< s
  double until = 0.0;                ///< s; infinity when the end is not known
  double tolerance = 0.0;            ///< times closer than this are the same time, s
  int initial_passes = 1;            ///< how often initial outputs are read: 1 + longest chain of feedthrough
  std::vector<TornInput> torn = {};  ///< inputs that leave no loop when their values are known
  std::vector<std::shared_ptr<Indicator>> indicators = {};  ///< told what arrives, beside the defects
  std::vector<std::shared_ptr<Event>> events = {};
  std::shared_ptr<WallClock> wall_clock = nullptr;  ///< which the run keeps to
  std::vector<InputEventSpec> input_events = {};    ///< `events` has their times where steps end there
  std::vector<ConditionSpec> conditions = {};
  bool compares = true;          ///< false: defects are left out, to measure what they cost
  bool keeps_record = false;     ///< what is recorded: what follows from it need not be found during the run
  bool streams_record = false;   ///< it is kept elsewhere: what has to be kept beside it is small, and can be written
  fast::Choice fast_paths = {};  ///< `none()`: the definition alone, without what is faster and the same (for tests)
};

/// The participants of a run and the connections between them: what both drivers share.
class Network {
 public:
  /// The consumer's end of a connection.
  struct ConnectionEnd {
    int consumer;
    int index;                 ///< among the connections of the consumer
    Participant* participant;  ///< the consumer itself: it is looked at whenever the source has moved
    Connection& connection() const { return participant->inputs->connections()[index]; }
    Comparison& comparison() const { return participant->comparisons[index]; }
  };

  /// A driver may give one participant, the host, inputs of its own kind.
  explicit Network(const RunSpec& spec, int host = -1, std::unique_ptr<Inputs> host_inputs = nullptr);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Time that every participant has reached.
  double time() const;

  /// Put all subsystems at the start and find their initial outputs.
  void start();

  /// Tell all but one that the initial outputs are found; read them again where that may change them.
  void begin(int except);

  /// The run is over.
  void finish() noexcept;

  /// Tell events that all participants have come to them.
  void tell_events();

  /// Find the initial outputs of all but one, whose are given.
  void refresh_initial_outputs(int except);

  std::vector<Participant> participants;
  double tolerance;

  /// Make what participant `source` has published visible and compare it with what was assumed.
  void commit(int source) {
    Participant& p = participants[source];
    p.history.commit();
    for (const ConnectionEnd& out : outgoing_[source]) {
      const Comparison& comparison = out.comparison();
      if (comparison.pending() && p.t >= comparison.pending_time() - tolerance) out.participant->compare(out.index);
    }
  }

  /// Compare what was assumed of `source` with what it has made visible.
  void compare(int source) {
    for (const ConnectionEnd& out : outgoing_[source]) {
      if (out.comparison().pending() || out.connection().fast.compares_by_samples) out.participant->compare(out.index);
    }
  }

  /// Forget what no consumer needs any more and make room for `samples` more.
  void make_room(int source, std::size_t samples);
  /// The oldest sample that a consumer or a comparison may still look at.
  std::size_t first_needed(int source) const;
  /// Samples that are needed in any case: for the cubic of comparisons and for the next initial windows.
  static constexpr std::size_t always_kept = 6;
  /// Samples that a connection needs before the one where its consumer stands.
  static std::size_t kept_behind(const Connection& c) {
    return std::max<std::size_t>(c.approximation->points_behind(), 4);
  }

  /// Everything that lasts: subsystems, histories, inputs, comparisons, clocks, how much is recorded.
  using Saved = std::vector<Participant::Saved>;
  /// False when a subsystem cannot; `into` is then of no use. Its memory serves the next save as well.
  bool save(Saved& into) const;
  void restore(const Saved& saved);

  const std::vector<ConnectionEnd>& outgoing(int source) const { return outgoing_[source]; }
  int connection_count() const { return static_cast<int>(connections_.size()); }
  const ConnectionEnd& connection(int number) const { return connections_[number]; }

  /// Call `work`, and when it throws note where before the exception goes on.
  template <class Work>
  void guarded(int participant, Work&& work);
  /// Note a failure of a participant; to be called in a catch block.
  void note_failure(int participant);
  void forget_failure() {
    if (failure) failure = Failure{};
  }
  Failure failure;

  /// Marks that a participant is at work beside others, in a thread of its own, for as long as it lasts.
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
  /// A participant that has begun its work and not come back, the innermost where one calls another; to be asked from
  /// another thread while a call of the network does not end.
  std::optional<CallUnderWay> call_under_way() const;
  double time_of(int participant) const;

 private:
  void keep_last_sample(int participant);
  /// Where a connection enters a law: which one, and its first signal.
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
  std::vector<double> events_reached_;      ///< up to where each event was told, s
  std::vector<std::atomic<bool>> at_work_;  ///< per participant, for those that work at the same time
  std::atomic<int> guarded_{-1};            ///< the participant that one thread works for, if any
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
