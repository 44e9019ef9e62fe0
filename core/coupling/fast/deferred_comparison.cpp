#include "coupling/fast/deferred_comparison.hpp"

#include <algorithm>

#include "coupling/network.hpp"

namespace counterpoint::fast {

namespace {

/// The record of a source, as a history that knows only what is near a time.
class Replay {
 public:
  Replay(const DeferredComparison::Record& record, const Samples& samples)
      : history(samples.width, false), record_(record), column_(1 + static_cast<std::size_t>(samples.column)) {}

  /// Begin so that this many samples before t are known.
  void begin_before(double t, std::size_t samples) {
    std::size_t first = 0;
    for (std::size_t half = record_.count; half > 0;) {  // the first row after t
      const std::size_t step = half / 2;
      if (time(first + step) <= t) {
        first += step + 1;
        half -= step + 1;
      } else {
        half = step;
      }
    }
    next_ = first > samples ? first - samples : 0;
  }

  /// Read on until a sample reaches t; false when there is none. `keep`: the oldest sample that is needed.
  bool read_to(double t, std::size_t keep) {
    while (history.appended() == 0 || history.time(history.appended() - 1) < t) {
      if (next_ == record_.count) return false;
      if (history.room() == 0) history.make_room(keep, history.mask() / 2);
      const double* row = record_.rows + record_.columns * next_++;
      history.append(row[0], row + column_, nullptr);
      history.commit();
    }
    return true;
  }

  History history;

 private:
  double time(std::size_t row) const { return record_.rows[record_.columns * row]; }

  const DeferredComparison::Record& record_;
  std::size_t column_;
  std::size_t next_ = 0;
};

}  // namespace

namespace {

/// Whether what arrives at a connection that extrapolates can be found in the record.
bool is_recorded(const Connection& c, const Participant& source) {
  return !c.waits && !c.watches && !c.fast.compares_by_samples && source.records() && !source.history.may_jump();
}

}  // namespace

bool DeferredComparison::can_keep(const Participant& consumer, std::size_t connection, const Participant& source) {
  return is_recorded(consumer.inputs->connections()[connection], source) &&
         !consumer.comparisons[connection].has_more_indicators();
}

bool DeferredComparison::can_defer(const Participant& consumer, std::size_t connection, const Participant& source) {
  const Connection& c = consumer.inputs->connections()[connection];
  const bool by_samples =
      !c.approximation->depends_on_step() && !c.approximation->wants_derivatives() && !source.history.has_derivatives();
  const bool ends_known = consumer.records() && !consumer.history.may_jump() && !consumer.may_stop_early();
  return is_recorded(c, source) && by_samples && ends_known && !c.source_stops_early;
}

void DeferredComparison::defer(Participant& consumer, std::size_t connection) {
  ConnectionPath& path = consumer.inputs->connections()[connection].fast;
  path.deferred = true;
  path.deferred_from = consumer.t;
  Comparison& comparison = consumer.comparisons[connection];
  if (comparison.has_more_indicators()) {
    comparison.leave_defect();
  } else {
    path.compares_by_samples = true;
  }
}

bool DeferredComparison::is_needed(const Network& network, int connection) {
  const Network::ConnectionEnd& end = network.connection(connection);
  return end.connection().fast.deferred || end.comparison().keeps_assumed();
}

DeferredComparison::DeferredComparison(const Network& network, int connection)
    : connection_(network.connection(connection).connection()),
      consumer_(network.connection(connection).consumer),
      from_(connection_.fast.deferred ? connection_.fast.deferred_from : Polynomial::infinity),
      following_(network.participants[consumer_].t_next) {
  Comparison& comparison = network.connection(connection).comparison();
  comparison.save_for_defect(before_);
  kept_ = comparison.take_kept();
  connection_.fast = {};
  connection_.present = connection_.samples.history = nullptr;  // of the run, which is over
}

Defect DeferredComparison::compare(const Record& source, const Record& consumer) const {
  const std::size_t behind = static_cast<std::size_t>(connection_.approximation->points_behind()) + 8;
  Replay replay(source, connection_.samples);
  Comparison::Saved assumed = before_;
  for (const Rows& rows : kept_)
    assumed.pending.insert(assumed.pending.end(), rows.data.get(), rows.data.get() + rows.size);
  replay.begin_before(assumed.pending.empty() ? from_ : std::min(from_, assumed.pending.front()), behind);
  const double tolerance = connection_.samples.tolerance;

  Comparison comparison(connection_.number, connection_.samples.width);
  comparison.restore(assumed, from_);
  Inputs inputs(std::vector<double>(connection_.samples.width));
  inputs.add_connection(connection_);
  Connection& c = inputs.connections().front();
  c.present = c.samples.history = &replay.history;
  c.samples.column = 0;
  c.samples.begin = 0;
  c.samples.end = 1;
  inputs.choose_fast_paths();

  const auto near_end = [&] { return replay.history.appended() > behind ? replay.history.appended() - behind : 0; };
  while (comparison.pending() && replay.read_to(comparison.pending_time() - tolerance, near_end()))
    comparison.arrive(c);
  c.samples.end = replay.history.begin() + 1;

  double t = from_;
  for (std::size_t k = 0; k < consumer.count; ++k) {
    const double end = consumer.rows[consumer.columns * k];
    if (end <= t) continue;
    const double following = k + 1 < consumer.count ? consumer.rows[consumer.columns * (k + 1)] : following_;
    if (!replay.read_to(end - tolerance, c.samples.end > behind ? c.samples.end - behind : 0)) break;
    comparison.arrive(c);
    inputs.freeze(t, end);
    const double source_next = replay.history.time(c.samples.end);
    t = end;
    if (!comparison.wants(following, source_next, tolerance)) continue;
    comparison.assume(inputs.polynomial(c, end), end, source_next);
    comparison.arrive(c);
  }
  return std::move(comparison.defect);
}

}  // namespace counterpoint::fast
