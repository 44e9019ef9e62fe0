#include "coupling/fast/scheduling_paths.hpp"

#include "coupling/fast/deferred_comparison.hpp"
#include "coupling/fast/groups.hpp"

namespace counterpoint::fast {

namespace {

/// Whether a participant that others wait for waits itself. In a cycle with two such waits in a row the second rule may
/// exempt a participant: it then extrapolates from fewer samples than were published up to its time.
bool has_waits_in_a_row(const std::vector<Participant>& participants) {
  std::vector<char> waits(participants.size(), 0), awaited(participants.size(), 0);
  for (std::size_t i = 0; i < participants.size(); ++i) {
    for (const Connection& c : participants[i].inputs->connections()) {
      if (c.waits) waits[i] = awaited[c.source] = 1;
    }
  }
  for (std::size_t i = 0; i < participants.size(); ++i) {
    if (waits[i] != 0 && awaited[i] != 0) return true;
  }
  return false;
}

}  // namespace

SchedulingPaths::SchedulingPaths(const RunSpec& spec, int threads, Network& network, PrecedenceRule& rule)
    : network_(network),
      rule_(rule),
      allowed_(spec.fast_paths),
      enabled_(spec.fast_paths.any()),
      compares_at_once_(std::any_of(spec.participants.begin(), spec.participants.end(),
                                    [](const ParticipantSpec& p) { return p.pace != nullptr && p.pace->listens(); })),
      defers_comparisons_(spec.keeps_record && spec.fast_paths.deferred_comparisons),
      streams_record_(spec.streams_record),
      longest_((spec.until - spec.start) / 256.0) {
  if (!enabled_) return;
  const int useful = std::min<int>(threads, static_cast<int>(spec.participants.size()));
  if (useful > 1) {
    pool_ = make_worker_pool(useful);
    return;
  }
  if (allowed_.joint_steps && !spec.wall_clock && !compares_at_once_) joint_step_.emplace(network_, rule_);
  if (allowed_.joint_passes && !spec.wall_clock && !compares_at_once_) joint_pass_.emplace(network_, rule_);
  if (!allowed_.rounds) return;
  for (const std::vector<int>& group : groups_in_step(spec)) enter(rounds_.emplace_back(network_, group, allowed_));
}

void SchedulingPaths::enter(Round& round) {
  for (int i : round.members()) {
    rule_.candidate(i).round = &round;
    rule_.candidate(i).represented = i != round.members().front();
  }
}

void SchedulingPaths::suspend_rounds() {
  for (Round& round : rounds_) {
    for (int i : round.members()) {
      rule_.candidate(i).round = nullptr;
      rule_.candidate(i).represented = false;
    }
    round.leave();
  }
  suspended_ = true;
}

/// Rows of defects are stored: values assumed in repeats do not follow from samples.
void SchedulingPaths::resume_rounds() {
  undecided_ = false;
  if (!suspended_) return;
  suspended_ = false;
  defer_comparisons();
  for (Round& round : rounds_) {
    enter(round);
    round.join();
    round.choose_comparisons(Round::DefectRows::written);
    round.choose_steps();
  }
}

void SchedulingPaths::before_start() {
  if (!undecided_) defer_comparisons();
  if (!suspended_) {
    using DefectRows = Round::DefectRows;
    const DefectRows of_repeats = defers_comparisons_ && !streams_record_ ? DefectRows::deferred : DefectRows::assumed;
    for (Round& round : rounds_) round.choose_comparisons(repeated_ ? of_repeats : DefectRows::derived);
  }
  keep_assumed();
}

void SchedulingPaths::defer_comparisons() {
  if (!defers_comparisons_ || has_waits_in_a_row(network_.participants)) return;
  for (Participant& p : network_.participants) {
    const std::vector<Connection>& connections = p.inputs->connections();
    for (std::size_t k = 0; k < connections.size(); ++k) {
      if (DeferredComparison::can_defer(p, k, network_.participants[connections[k].source]) &&
          (!streams_record_ || DeferredComparison::can_be_written(p, k)))
        DeferredComparison::defer(p, k);
    }
    p.look_at_assumptions();
  }
}

/// While steps may be undone, only for connections that are deferred later; rounds compare the rest.
void SchedulingPaths::keep_assumed() {
  if (!defers_comparisons_ || streams_record_ || (undecided_ && has_waits_in_a_row(network_.participants))) return;
  for (Participant& p : network_.participants) {
    const std::vector<Connection>& connections = p.inputs->connections();
    for (std::size_t k = 0; k < connections.size(); ++k) {
      const Participant& source = network_.participants[connections[k].source];
      const bool served =
          DeferredComparison::can_keep(p, k, source) && (!undecided_ || DeferredComparison::can_defer(p, k, source));
      if (served) p.comparisons[k].keep_assumed();
    }
  }
}

void SchedulingPaths::after_start() {
  if (!enabled_) return;
  if (allowed_.polynomial_batches) {
    for (Participant& p : network_.participants) StepBatch::choose(p, network_.participants);
  }
  if (suspended_) return;
  for (Round& round : rounds_) round.choose_steps();
}

void SchedulingPaths::look_again() {
  for (Round& round : rounds_) round.start_over();
}

SchedulingPaths::Joint SchedulingPaths::run_jointly(double target) {
  const double reached = target - network_.tolerance;
  if (!rounds_.empty() && !suspended_) return run_whole_round(reached) ? Joint::pass : Joint::none;
  if (undecided_ && joint_pass_ && joint_pass_->run(target)) return Joint::pass;
  if (joint_step_ && joint_step_->run(reached)) return Joint::step;
  if (undecided_ && joint_pass_) joint_pass_->begin_to_note(target);
  return Joint::none;
}

/// Where all go in one round: what a call of it makes is most often the whole pass of a window.
bool SchedulingPaths::run_whole_round(double target) {
  Round& round = rounds_.front();
  if (!undecided_ || !allowed_.joint_passes || round.members().size() != network_.participants.size()) return false;
  round.run(target);
  const Participant& first = network_.participants[round.members().front()];
  return round.is_whole() && (first.finished() || first.t >= target);
}

[[gnu::noinline]] void SchedulingPaths::run_round(Candidate& first, long& steps_made) {
  Round& round = *first.round;
  steps_made += round.run(rule_.target());
  if (!round.is_whole()) return rule_.continues_round(first);
  for (int i : round.members()) rule_.has_published_in_round(rule_.candidate(i));
}

[[gnu::noinline]] void SchedulingPaths::run_together(Candidate& first, long& steps_made) {
  together_.assign(1, first.index);
  for (int i = rule_.take_first(); i >= 0; i = rule_.take_first()) together_.push_back(i);
  if (together_.size() == 1) return run_batch(first, steps_made);
  for (int i : together_) {
    if (network_.participants[i].history.room() < 16) network_.make_room(i, 64);
  }
  errors_.assign(together_.size(), nullptr);
  std::atomic<long> made{0};
  pool_->run(static_cast<int>(together_.size()), [this, &made, cancellation = Cancellation::current()](int k) {
    const Cancellation::Scope scope(cancellation);
    try {
      const Network::AtWork mark(network_, together_[k]);
      made += batch(rule_.candidate(together_[k]));
    } catch (...) {
      errors_[k] = std::current_exception();
    }
  });
  steps_made += made;
  for (std::size_t k = 0; k < together_.size(); ++k) {
    if (errors_[k]) network_.guarded(together_[k], [&] { std::rethrow_exception(errors_[k]); });
  }
  for (int i : together_) publish(rule_.candidate(i));
}

std::optional<CallUnderWay> SchedulingPaths::call_under_way() const {
  for (const Round& round : rounds_) {
    if (const auto found = round.call_under_way()) return found;
  }
  return std::nullopt;
}

void SchedulingPaths::abandon() {
  for (Round& round : rounds_) round.abandon();
}

}  // namespace counterpoint::fast
