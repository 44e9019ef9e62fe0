#pragma once

#include <vector>

#include "coupling/fed.hpp"
#include "coupling/network.hpp"

namespace counterpoint {

namespace fast {
class Round;
}

/// Decides which participants may step, and which of these goes first.
///
///     1. strict rule. Participant i at t_i, proposing t_i + h_i, may step when
///          every source s it waits for has         t_s >= t_i + h_i        (i interpolates s)
///          every other source s has                t_s + h_s > t_i         (i extrapolates s)
///          some consumer still needs samples after t_i, or i has no consumer
///        Of those that may, the one with the smallest t_i goes first, ties by rank.
///     2. second rule. In a group whose members are blocked only by members of the group, none can step by the strict
///        rule. At least one of them is blocked only by sources that it extrapolates: the samples they have published
///        so far are then enough. Of these members the one with the smallest t_i makes one step.
///     3. A participant stepped by another program is skipped until its next sample has arrived. If no other may
///        step by the first two rules, the run waits for that sample.
class PrecedenceRule {
 public:
  /// One participant in the eyes of the rule. Pointers, because all of them are followed in every turn.
  struct Candidate {
    /// A connection that enters it.
    struct Incoming {
      Connection* connection;
      const Participant* source;
    };
    Participant* participant = nullptr;
    double end = 0.0;          ///< its step may end here at the latest
    double begin = 0.0;        ///< its step must begin before this: later, a sample is missing or no consumer needs one
    int index = 0;             ///< of the participant
    bool ready = false;        ///< it is among those that may step
    bool reached = false;      ///< it has reached the target
    bool represented = false;  ///< another member represents it in `round`
    FedSubsystem* fed = nullptr;   ///< stepped by another program: it steps when a sample has arrived
    fast::Round* round = nullptr;  ///< it steps in rounds (fast/round.hpp)
    std::vector<Incoming> incoming;
    const std::vector<Network::ConnectionEnd>* outgoing = nullptr;  ///< its consumers
    std::vector<Candidate*> neighbours;  ///< candidates whose permission may change when it steps
  };

  PrecedenceRule(Network& network, const RunSpec& spec);

  /// Determine again which participants may step: they were moved, or what they read was changed.
  void look_again();
  /// All participants have to reach `target`.
  void aim_at(double target);
  double target() const { return target_; }
  /// Number of participants that have not reached the target.
  int behind() const { return behind_; }
  /// Participants that were set aside because they had reached the target may step again.
  void wake_resting();

  /// The participant that steps next. There always is one, because the waits-for relation has no cycle; otherwise an
  /// internal error is thrown.
  Candidate& choose() {
    int i = -1;
    // Otherwise a blocked group would wait until all others have finished.
    if (++choices_ > patience_) {
      choices_ = 0;
      i = exempt_by_the_second_rule();
    }
    if (i < 0) i = take_first();
    if (i < 0) i = exempt_by_the_second_rule();
    if (i < 0) i = await_samples();
    return candidates_[i];
  }
  /// The earliest of those that may step by the strict rule, or -1.
  [[gnu::always_inline]] int take_first() {
    while (!ready_.empty()) {
      const int i = pop_ready();
      Candidate& c = candidates_[i];
      if (c.fed != nullptr && c.fed->waiting() == 0) {
        without_sample_.push_back(i);  // it stays ready: it is not offered again before samples have arrived
        continue;
      }
      c.ready = false;
      if (!reached(*c.participant) || !unblocks_none(c)) return i;
      set_aside(i);
    }
    return -1;
  }
  Candidate& candidate(int i) { return candidates_[i]; }

  /// It has published: update which participants may step.
  void has_published(Candidate& c) {
    note_whether_reached(c);
    offer(c);
    for (Candidate* neighbour : c.neighbours) {
      update_limits(*neighbour);
      offer(*neighbour);
    }
  }
  /// The same for a participant that steps together with all its neighbours.
  void has_published_in_round(Candidate& c) {
    note_whether_reached(c);
    if (!c.represented) offer(c);
  }
  /// The round that it represents is not finished: others have their turns.
  void continues_round(Candidate& c) { offer(c); }

 private:
  static bool may_step(const Candidate& c) { return c.participant->t_next <= c.end && c.participant->t < c.begin; }
  bool reached(const Participant& p) const { return p.finished() || p.t >= target_; }
  void note_whether_reached(Candidate& c) {
    if (c.reached || !reached(*c.participant)) return;
    c.reached = true;
    --behind_;
  }
  void offer(Candidate& c) {
    if (c.ready) return;
    if (c.round != nullptr ? !c.represented : may_step(c)) push_ready(c);
  }
  void push_ready(Candidate& c) {
    c.ready = true;
    ready_.push_back(c.index);
    if (ready_.size() == 2) {
      const int first = ready_[0];
      if (!later(first, c.index)) return;
      ready_[0] = c.index;
      ready_[1] = first;
    } else if (ready_.size() > 2) {
      sift_last_in();
    }
  }
  /// The earliest one. Two are kept in order, without a heap.
  int pop_ready() {
    if (ready_.size() > 2) sift_earliest_out();
    const int earliest = ready_.size() == 2 ? ready_[0] : ready_.back();
    if (ready_.size() == 2) ready_[0] = ready_[1];
    ready_.pop_back();
    return earliest;
  }
  void update_limits(Candidate& c) {
    const double tolerance = network_.tolerance;
    double end = latest;
    double begin = Polynomial::infinity;
    for (const auto& [connection, source] : c.incoming) {
      if (connection->waits) {
        if (!connection->reads_earlier && !source->finished())
          end = connection->sees_window() ? -latest : std::min(end, source->t + tolerance);
      } else {
        connection->source_next = source->t_next;
        begin = std::min(begin, publishes_after(*connection, *source));
      }
    }
    if (!c.outgoing->empty()) {
      double need = -Polynomial::infinity;
      for (const Network::ConnectionEnd& out : *c.outgoing) need = std::max(need, out.participant->horizon);
      // Half the tolerance: if a consumer is blocked by a missing sample, even by rounding, its source must be allowed.
      begin = std::min(begin, need - 0.5 * tolerance);
    }
    c.end = end;
    c.begin = begin;
  }
  /// The next sample of the source is certainly later than this: the end of its proposed step, or, if it may stop
  /// early, its present time.
  double publishes_after(const Connection& c, const Participant& source) const {
    if (source.finished()) return Polynomial::infinity;
    return c.source_stops_early ? source.t + network_.tolerance : source.t_next - network_.tolerance;
  }
  /// A participant that has reached the target and has no consumer unblocks no other: it is set aside.
  static bool unblocks_none(const Candidate& c);
  bool later(int a, int b) const {
    const double ta = network_.participants[a].t;
    const double tb = network_.participants[b].t;
    return ta != tb ? ta > tb : a > b;
  }
  void sift_last_in();
  void sift_earliest_out();
  void set_aside(int i);
  /// Wait for other programs until one of the permitted participants can step; throws if there is nothing to wait for.
  int await_samples();
  int exempt_by_the_second_rule() const;
  bool is_blocked(int i) const;
  bool is_blocked_by_extrapolation_only(int i) const;
  std::vector<int> blocked_through(int i) const;
  bool blocks(int i, const Connection& c) const;

  static constexpr double latest =
      std::numeric_limits<double>::max();  ///< end of a step; finished participants propose infinity

  Network& network_;
  std::vector<Candidate> candidates_;
  std::vector<int> ready_;           ///< heap by time, then rank
  std::vector<int> aside_;           ///< have reached the target and have no consumer
  std::vector<int> without_sample_;  ///< may step, but their samples have not arrived from another program
  long choices_ = 0;                 ///< since the second rule was last tried
  long patience_;                    ///< choices before it is tried again
  double target_ = 0.0;              ///< target minus the tolerance; a participant at this time has reached it
  int behind_ = 0;
};

}  // namespace counterpoint
