#include "coupling/fast/deferred_comparison.hpp"

#include <algorithm>

#include "check.hpp"
#include "coupling/network.hpp"
#include "signal/recipes.hpp"

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

constexpr int settings_version = 1;

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

bool DeferredComparison::can_be_written(const Participant& consumer, std::size_t connection) {
  recipe::Writer writer;
  writer(consumer.inputs->connections()[connection].approximation);
  return writer.problems().empty() && consumer.comparisons[connection].pending_rows() <= 1;
}

std::string DeferredComparison::settings(const Network& network, int connection) {
  const Network::ConnectionEnd& end = network.connection(connection);
  const Connection& c = end.connection();
  if (c.waits || c.watches) return {};
  recipe::Writer writer;
  writer(settings_version, c.source, end.consumer, c.number, c.samples.column, c.samples.width, c.samples.tolerance,
         c.gain, c.offset, c.scales, c.approximation);
  return writer.problems().empty() ? writer.bytes() : std::string();
}

DeferredComparison::DeferredComparison(const std::string& settings, const std::vector<double>& numbers) {
  recipe::Reader reader(settings, "comparison");
  int version = 0;
  Connection& c = connection_;
  reader(version);
  if (version != settings_version) reader.fail("it has version " + std::to_string(version));
  reader(c.source, consumer_, c.number, first_column_, c.samples.width, c.samples.tolerance, c.gain, c.offset, c.scales,
         c.approximation);
  reader.expect_end();
  const int width = c.samples.width;
  if (width < 1 || first_column_ < 0 || c.source < 0 || consumer_ < 0 || !c.approximation ||
      numbers.size() != number_count(width))
    reader.fail("its numbers are impossible");
  const double* next = numbers.data();
  const auto read = [&next] { return *next++; };
  from_ = read();
  following_ = read();
  before_.compared_for = read();
  Defect::Tally& tally = before_.tally;
  tally = {static_cast<long>(read()), read(), read(), read(), read()};
  before_.spreads.resize(static_cast<std::size_t>(width));
  for (Defect::Spread& spread : before_.spreads) spread = {read(), read(), read()};
  if (read() > 0.0) before_.pending.assign(next, next + 1 + width);
}

std::vector<double> DeferredComparison::numbers() const {
  const Defect::Tally& tally = before_.tally;
  std::vector<double> all{from_, following_, before_.compared_for};
  all.insert(all.end(), {static_cast<double>(tally.count), tally.sum_of_squares, tally.maximum_square,
                         tally.time_of_maximum, tally.magnitude});
  for (int j = 0; j < width(); ++j) {
    const std::size_t k = static_cast<std::size_t>(j);
    const Defect::Spread spread = k < before_.spreads.size() ? before_.spreads[k] : Defect::Spread{};
    all.insert(all.end(), {spread.about, spread.sum, spread.squares});
  }
  all.push_back(before_.pending.empty() ? 0.0 : 1.0);
  all.insert(all.end(), before_.pending.begin(), before_.pending.end());
  all.resize(std::max(all.size(), number_count(width())));
  if (all.size() > number_count(width())) internal_error("more is pending than can be written");
  return all;
}

bool DeferredComparison::is_needed(const Network& network, int connection) {
  const Network::ConnectionEnd& end = network.connection(connection);
  return end.connection().fast.deferred || end.comparison().keeps_assumed();
}

DeferredComparison::DeferredComparison(const Network& network, int connection)
    : connection_(network.connection(connection).connection()),
      first_column_(connection_.samples.column),
      consumer_(network.connection(connection).consumer),
      from_(connection_.fast.deferred ? connection_.fast.deferred_from : Polynomial::infinity),
      following_(network.participants[consumer_].t_next) {
  Comparison& comparison = network.connection(connection).comparison();
  comparison.save_for_defect(before_);
  kept_ = comparison.take_kept();
  keeps_times_ = comparison.keeps_times();
  connection_.fast = {};
  connection_.present = connection_.samples.history = nullptr;  // of the run, which is over
}

/// Rows (t, assumed), with the times of the samples where they were not kept.
std::vector<double> DeferredComparison::kept_rows(const Record& source) const {
  std::vector<double> made;
  std::size_t sample = 1;
  for (const Rows& rows : kept_) {
    if (keeps_times_) {
      made.insert(made.end(), rows.data.get(), rows.data.get() + rows.size);
      continue;
    }
    for (std::size_t k = 0; k < rows.size && sample < source.count; ++k, ++sample) {
      made.push_back(source.rows[source.columns * sample]);
      made.push_back(rows.data[static_cast<std::ptrdiff_t>(k)]);
    }
  }
  return made;
}

Defect DeferredComparison::compare(const Record& source, const Record& consumer) const {
  const std::size_t behind = static_cast<std::size_t>(connection_.approximation->points_behind()) + 8;
  Replay replay(source, connection_.samples);
  Comparison::Saved assumed = before_;
  const std::vector<double> kept = kept_rows(source);
  assumed.pending.insert(assumed.pending.end(), kept.begin(), kept.end());
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

DeferredComparisons::DeferredComparisons(const Network& network) {
  const int count = network.connection_count();
  connections_.reserve(count);
  comparisons_.reserve(count);
  for (int k = 0; k < count; ++k) {
    if (!DeferredComparison::is_needed(network, k)) continue;
    connections_.push_back(k);
    comparisons_.emplace_back(network, k);
  }
}

const DeferredComparison& DeferredComparisons::of(int connection) const {
  const auto found = std::lower_bound(connections_.begin(), connections_.end(), connection);
  COUNTERPOINT_ASSERT(found != connections_.end() && *found == connection);
  return comparisons_[found - connections_.begin()];
}

}  // namespace counterpoint::fast
