#include "ode/probed_subsystem.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"

namespace counterpoint {
namespace {

/// Times closer than this share of the shortest distance of samples are the same.
constexpr double same_time = 1e-6;

double shortest_distance(const std::vector<double>& times) {
  double shortest = times.size() > 1 ? times[1] - times[0] : 1.0;
  for (std::size_t i = 2; i < times.size(); ++i) shortest = std::min(shortest, times[i] - times[i - 1]);
  return shortest;
}

}  // namespace

struct ProbedSubsystem::Saved final : SavedState {
  std::unique_ptr<SavedState> model;
  double t = 0.0;
  double last_step = 0.0;
  bool has_begun = false;
};

ProbedSubsystem::ProbedSubsystem(std::shared_ptr<OdeSubsystem> model, Past past, Beginning beginning,
                                 std::vector<double> ends)
    : model_(std::move(model)),
      past_(std::move(past)),
      beginning_(std::move(beginning)),
      ends_(std::move(ends)),
      beginning_time_(past_.times.back()),
      tolerance_(same_time * shortest_distance(past_.times)),
      zeros_(model_->output_width()) {
  const std::size_t size = past_.times.size() * zeros_.size();
  COUNTERPOINT_ASSERT(past_.values.size() == size && past_.slopes.size() == size);
  COUNTERPOINT_ASSERT(beginning_.x.size() == model_->state().size());
}

void ProbedSubsystem::start(double t) {
  t_ = t;
  has_begun_ = gave_slopes_ = false;
  published_.clear();
}

double ProbedSubsystem::step(double t, double t_end, Inputs& u) {
  t_ = t_end;
  if (is_past(t_end)) {
    last_step_ = t_end - t;
    return t_end;
  }
  if (!has_begun_) begin_model();
  return model_->step(t, t_end, u);
}

void ProbedSubsystem::begin_model() {
  model_->start(beginning_time_);
  model_->put(beginning_.x, beginning_.earlier, last_step_);
  has_begun_ = true;
}

const double* ProbedSubsystem::output(double t, Inputs& u) {
  const double* y = is_past(t) ? row(past_.values, t) : model_->output(t, u);
  std::copy_n(y, zeros_.size(), kept(t) + 1);
  return y;
}

const double* ProbedSubsystem::output_derivative(double t, Inputs& u) {
  const double* slopes = is_past(t) ? row(past_.slopes, t) : model_->output_derivative(t, u);
  std::copy_n(slopes, zeros_.size(), kept(t) + 1 + zeros_.size());
  gave_slopes_ = true;
  return slopes;
}

const double* ProbedSubsystem::row(const std::vector<double>& table, double t) const {
  const auto next = std::lower_bound(past_.times.begin(), past_.times.end(), t - tolerance_);
  if (next == past_.times.end() || *next > t + tolerance_) return zeros_.data();
  return table.data() + (next - past_.times.begin()) * zeros_.size();
}

double* ProbedSubsystem::kept(double t) {
  const std::size_t width = 1 + 2 * zeros_.size();
  while (!published_.empty() && published_[published_.size() - width] > t + tolerance_)
    published_.resize(published_.size() - width);
  if (published_.empty() || published_[published_.size() - width] < t - tolerance_)
    published_.resize(published_.size() + width);
  double* last = published_.data() + published_.size() - width;
  *last = t;
  return last;
}

double ProbedSubsystem::preferred_step() const {
  const auto next = std::upper_bound(ends_.begin(), ends_.end(), t_ + tolerance_);
  return next == ends_.end() ? 0.0 : *next - t_;
}

std::unique_ptr<SavedState> ProbedSubsystem::save() const {
  auto saved = std::make_unique<Saved>();
  if (has_begun_) saved->model = model_->save();
  saved->t = t_;
  saved->last_step = last_step_;
  saved->has_begun = has_begun_;
  return saved;
}

void ProbedSubsystem::restore(const SavedState& state) {
  const Saved& saved = static_cast<const Saved&>(state);
  if (saved.model) model_->restore(*saved.model);
  t_ = saved.t;
  last_step_ = saved.last_step;
  has_begun_ = saved.has_begun;
}

}  // namespace counterpoint
