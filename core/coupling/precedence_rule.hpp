#pragma once

#include <vector>

#include "coupling/fed.hpp"
#include "coupling/network.hpp"

namespace counterpoint {

namespace fast {
class Round;
}

/// Which participants may step, and which of these goes first.
///
///     1. strict rule. Participant i at t_i, proposing t_i + h_i, may step when
///          every source s it waits for has         t_s >= t_i + h_i        (i interpolates s)
///          every other source s has                t_s + h_s > t_i         (i extrapolates s)
///          some consumer still needs samples after t_i, or i has no consumer
///        Of those that may, the one with the smallest t_i goes first, ties by rank.
///     2. second rule. In a group whose members are blocked by members of the group only, none can go further. At
///        least one of them is blocked merely by sources that it extrapolates: what they have published so far is then
///        enough. Of these the one with the smallest t_i makes one step.
///     3. A participant that another program steps is passed over until a sample of it has come. When no other may step
///        by the first two rules, what has not come is waited for.
class PrecedenceRule {
 public:
  /// What the rule says about one participant. Pointers, since all of them are followed in every turn.
  struct Candidate {
    /// What it takes from another participant.
    struct Incoming {
      Connection* connection;
      const Participant* source;
    };
    Participant* participant = nullptr;
    double end = 0.0;             ///< its step may end here at the latest
    double begin = 0.0;           ///< its step must begin before this: from here on a sample is missing or none is used
    int index = 0;                ///< of the participant
    bool ready = false;           ///< it is among those that may step
    bool reached = false;         ///< it has come to the target
    bool represented = false;     ///< another member stands for it in `round`
    FedSubsystem* fed = nullptr;  ///< another program steps it: it steps when a sample has come
    fast::Round* round = nullptr;  ///< it goes in rounds (fast/round.hpp)
    std::vector<Incoming> incoming;
    const std::vector<Network::ConnectionEnd>* outgoing = nullptr;  ///< its consumers
    std::vector<Candidate*> neighbours;                             ///< those whose permission may change when it moves
  };

  PrecedenceRule(Network& network, const RunSpec& spec);

  /// Find out again which participants may step: they were moved, or what they read was changed.
  void look_again();
  /// All have to come to `target`.
  void aim_at(double target);
  double target() const { return target_; }
  /// How many have not come to the target.
  int behind() const { return behind_; }
  /// Those that rested because they had come to the target may step again.
  void wake_resting();

  /// The participant that steps next. Throws when the rule finds none, which cannot be: the waits-for relation has no
  /// cycle.
  Candidate& choose() {
    int i = -1;
    // A group that is stuck would otherwise wait until all others have finished.
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
        without_sample_.push_back(i);  // it stays among the ready: it is not offered again before samples have come
        continue;
      }
      c.ready = false;
      if (!reached(*c.participant) || !unblocks_none(c)) return i;
      set_aside(i);
    }
    return -1;
  }
  Candidate& candidate(int i) { return candidates_[i]; }

  /// It has published: which participants may step now?
  void has_published(Candidate& c) {
    note_whether_reached(c);
    offer(c);
    for (Candidate* neighbour : c.neighbours) {
      update_limits(*neighbour);
      offer(*neighbour);
    }
  }
  /// The same for one that steps together with all its neighbours.
  void has_published_in_round(Candidate& c) {
    note_whether_reached(c);
    if (!c.represented) offer(c);
  }
  /// The round that it stands for is not finished: the others have their turns.
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
  /// The earliest one. Of two it is the first: no heap is needed.
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
      // Half the tolerance: one that is blocked for want of samples, by a rounding even, must find its source willing.
      begin = std::min(begin, need - 0.5 * tolerance);
    }
    c.end = end;
    c.begin = begin;
  }
  /// The source's next sample surely comes after this: where it has proposed to step to, or, when it may
  /// stop early, where it stands.
  double publishes_after(const Connection& c, const Participant& source) const {
    if (source.finished()) return Polynomial::infinity;
    return c.source_stops_early ? source.t + network_.tolerance : source.t_next - network_.tolerance;
  }
  /// One that is far enough and has no consumer can unblock none: it rests.
  static bool unblocks_none(const Candidate& c);
  bool later(int a, int b) const {
    const double ta = network_.participants[a].t;
    const double tb = network_.participants[b].t;
    return ta != tb ? ta > tb : a > b;
  }
  void sift_last_in();
  void sift_earliest_out();
  void set_aside(int i);
  /// Wait for other programs until one of those that may step can; throws when there is nothing to wait for.
  int await_samples();
  int exempt_by_the_second_rule() const;
  bool is_blocked(int i) const;
  bool is_blocked_by_extrapolation_only(int i) const;
  std::vector<int> blocked_through(int i) const;
  bool blocks(int i, const Connection& c) const;

  static constexpr double latest =
      std::numeric_limits<double>::max();  ///< end of a step; finished ones propose infinity

  Network& network_;
  std::vector<Candidate> candidates_;
  std::vector<int> ready_;           ///< heap by time, then rank
  std::vector<int> aside_;           ///< have come to the target and have no consumer
  std::vector<int> without_sample_;  ///< may step, but another program has not sent their samples
  long choices_ = 0;                 ///< since the second rule was looked at
  long patience_;                    ///< choices before it is looked at again
  double target_ = 0.0;              ///< less the tolerance; one that stands here begins no step for its sake
  int behind_ = 0;
};

}  // namespace counterpoint
