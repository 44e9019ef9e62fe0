#include "coupling/fast/sampled_round.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "coupling/cancellation.hpp"
#include "coupling/fast/step_batch.hpp"

namespace counterpoint::fast {

namespace {

constexpr std::size_t line = 8;                ///< doubles in a line of the caches
constexpr std::size_t page = 512;              ///< and in a page
constexpr std::size_t most_samples = 1 << 19;  ///< doubles: more would leave the caches before they are written
constexpr long fewest_fitting = 8;             ///< rounds, however many members there are

std::size_t whole_doubles(std::size_t bytes) { return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double); }

/// The samples of one member are one row apart; rows of whole pages would all share few lines of the first cache.
std::size_t row_length(std::size_t samples) {
  const std::size_t whole_lines = (samples + line - 1) / line * line;
  return whole_lines % page == 0 ? whole_lines + line : whole_lines;
}

}  // namespace

SampledRound::SampledRound(std::vector<Participant*> members) : participants_(std::move(members)) {
  std::map<const History*, int> column_of;
  int column = 0;
  std::size_t memory = 0;
  for (Participant* p : participants_) {
    add(*p);
    columns_.push_back(column);
    column_of[&p->history] = column;
    column += p->history.width();
    memory += whole_doubles(p->fast.sampled->sampled_step().bytes);
  }
  row_length_ = row_length(static_cast<std::size_t>(column));
  memory_ = std::make_unique<std::byte[]>(memory);
  std::byte* next = memory_.get();
  Input* entering = inputs_.data();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].memory = next;
    next += whole_doubles(participants_[i]->fast.sampled->sampled_step().bytes);
    for (const LineInput& input : participants_[i]->inputs->fast_paths().line_inputs())
      (entering++)->source = column_of.at(input.history) + input.column;
  }
}

void SampledRound::add(Participant& p) {
  const SampledStepper::SampledStep step = p.fast.sampled->sampled_step();
  const std::vector<LineInput>& lines = p.inputs->fast_paths().line_inputs();
  const int width = p.inputs->width();
  std::vector<char> driven(width, 0);
  for (const LineInput& input : lines) {
    driven[input.target] = 1;
    inputs_.push_back({0, input.target, input.gain, input.offset, input.scales, input.sloped, input.adds});
  }
  const bool all_driven = std::find(driven.begin(), driven.end(), 0) == driven.end();
  members_.push_back({step.function, nullptr, all_driven ? nullptr : p.inputs->values().data(),
                      schedule_of(step.fractions), static_cast<int>(lines.size()), width, p.history.width()});
  const std::size_t entered = step.fractions.size() * static_cast<std::size_t>(width);
  entered_.resize(std::max(entered_.size(), entered));
}

int SampledRound::schedule_of(const std::vector<double>& fractions) {
  const auto known = std::find_if(schedules_.begin(), schedules_.end(),
                                  [&](const Schedule& schedule) { return schedule.fractions == fractions; });
  const auto number = static_cast<int>(known - schedules_.begin());
  if (known == schedules_.end()) schedules_.push_back({fractions, std::vector<double>(fractions.size())});
  return number;
}

bool SampledRound::serves(const std::vector<Participant*>& members) {
  return std::all_of(members.begin(), members.end(), [](const Participant* p) {
    const std::vector<Connection>& connections = p->inputs->connections();
    // Assumed values are not stored here: they have to follow from samples.
    const bool compares = std::all_of(connections.begin(), connections.end(),
                                      [](const Connection& c) { return c.fast.compares_by_samples; });
    return p->fast.sampled != nullptr && p->fast.sampled->sampled_step().function != nullptr &&
           !p->history.has_derivatives() && !p->history.may_jump() && compares &&
           p->inputs->fast_paths().may_be_lines(!connections.empty());
  });
}

/// The computation of inputs may change: events begin, and repeats read the pass before.
bool SampledRound::still_serves() const {
  return std::all_of(participants_.begin(), participants_.end(), [](const Participant* p) {
    const InputPaths& paths = p->inputs->fast_paths();
    return paths.may_be_lines(!p->inputs->connections().empty()) && !paths.repeats();
  });
}

void SampledRound::Schedule::set(double t, double t_end) {
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k] = fractions[k] == 1.0 ? t_end : t + fractions[k] * (t_end - t);
}

/// Lines go through the last two samples; they must have the same times in all histories.
bool SampledRound::have_two_equal_times() const {
  const History& first = participants_.front()->history;
  return std::all_of(participants_.begin(), participants_.end(), [&](const Participant* p) {
    const History& h = p->history;
    return h.end() >= h.begin() + 2 && h.time(h.end() - 2) == first.time(first.end() - 2) &&
           h.time(h.end() - 1) == first.time(first.end() - 1);
  });
}

void SampledRound::open(int count, double before) {
  for (const Participant* p : participants_) count = std::min<int>(count, static_cast<int>(p->history.room_in_a_row()));
  rows_.resize(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Participant& p = *participants_[i];
    const StepBatch::OpenSteps opened =
        i == 0 ? StepBatch::open(p, count, before) : StepBatch::open_with(p, *participants_.front(), opened_);
    opened_ = opened.count;
    if (i == 0) ends_ = opened.ends;  // the same for all
    rows_[i] = opened.rows;
  }
}

void SampledRound::make_room(int rounds) {
  const std::size_t needed = static_cast<std::size_t>(rounds + 2) * row_length_;
  if (samples_.size() < needed) samples_.resize(needed);
}

void SampledRound::load() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const History& h = participants_[i]->history;
    double* const sample = samples_.data() + columns_[i];
    std::copy_n(h.value(h.end() - 2), h.width(), sample);
    std::copy_n(h.value(h.end() - 1), h.width(), sample + row_length_);
    participants_[i]->fast.sampled->load(members_[i].memory);
  }
}

long SampledRound::run(long most, double before) {
  if (!have_two_equal_times()) return 0;
  const long fitting = std::max(static_cast<long>(most_samples / row_length_), fewest_fitting);
  const int wanted = static_cast<int>(std::min(most, fitting));
  make_room(wanted);  // may fail for lack of memory: nothing is open yet
  open(wanted, before);
  if (opened_ == 0) return 0;
  load();
  try {
    make_rounds();
  } catch (...) {
    close(round_, turn_);
    throw;
  }
  close(opened_, 0);
  return opened_;
}

void SampledRound::make_rounds() {
  const History& first = participants_.front()->history;
  double t_before = first.time(first.end() - 2), t = first.time(first.end() - 1);
  for (round_ = 0; round_ < opened_; ++round_) {
    turn_ = 0;
    Cancellation::check();
    make_round(samples_.data() + static_cast<std::size_t>(round_) * row_length_, t_before, t, ends_[round_]);
    t_before = t;
    t = ends_[round_];
  }
}

/// Compute the inputs of a member at its times, as LineInput does.
inline void SampledRound::enter(const ParticipantStep& m, const Input* entering, const double* before, double t_before,
                                double t) {
  const std::vector<double>& times = schedules_[m.schedule].times;
  const std::size_t count = times.size(), width = m.input_width;
  double* const u = entered_.data();
  if (m.inputs != nullptr) {
    for (std::size_t k = 0; k < count; ++k) std::copy_n(m.inputs, width, u + k * width);
  }
  const double* const newest = before + row_length_;
  for (int j = 0; j < m.entering; ++j, ++entering) {
    Line made;
    made.value = newest[entering->source];
    if (entering->sloped) made = line_through(t, made.value, t_before, before[entering->source]);
    if (entering->scales) {
      made.value = made.value * entering->gain + entering->offset;
      made.slope *= entering->gain;
    }
    double* target = u + entering->target;
    for (std::size_t k = 0; k < count; ++k, target += width)
      *target = entering->adds ? *target + made.at(times[k]) : made.at(times[k]);
  }
}

void SampledRound::make_round(const double* before, double t_before, double t, double t_end) {
  for (Schedule& schedule : schedules_) schedule.set(t, t_end);
  double* made = samples_.data() + (before - samples_.data()) + 2 * row_length_;
  const Input* entering = inputs_.data();
  for (const ParticipantStep& m : members_) {
    enter(m, entering, before, t_before, t);
    entering += m.entering;
    m.function(m.memory, t, t_end, entered_.data(), made);
    double probe = 0.0;  // stays zero as long as everything is finite
    for (int j = 0; j < m.width; ++j) probe += made[j] - made[j];
    if (probe != 0.0) participants_[turn_]->not_finite(t_end, made);
    made += m.width;
    ++turn_;
  }
}

/// Samples of the rounds into history and record.
void SampledRound::write(std::size_t member, int made) {
  History& history = participants_[member]->history;
  const int width = members_[member].width;
  const double* sample = samples_.data() + 2 * row_length_ + columns_[member];
  double* value = history.next_value();
  double* row = rows_[member];
  for (int round = 0; round < made; ++round, sample += row_length_, value += width) {
    std::copy_n(sample, width, value);
    if (row == nullptr) continue;
    *row++ = ends_[round];
    row = std::copy_n(sample, width, row);
  }
}

/// `stepped`: how many members have made one step more than `rounds`. All samples are written before inputs read
/// them.
void SampledRound::close(int rounds, std::size_t stepped) {
  const double start = participants_.front()->t;
  const auto made = [&](std::size_t i) { return rounds + (i < stepped ? 1 : 0); };
  for (std::size_t i = 0; i < members_.size(); ++i) write(i, made(i));
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const int steps = made(i);
    const double begin = steps > 1 ? ends_[steps - 2] : start;
    const bool has_failed = i == stepped && rounds < opened_;  // its state is that after the step
    if (steps > 0 || has_failed)
      participants_[i]->fast.sampled->store(members_[i].memory, begin, ends_[std::max(steps, 1) - 1]);
    StepBatch::close(*participants_[i], steps, opened_);
  }
}

}  // namespace counterpoint::fast
