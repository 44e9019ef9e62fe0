// Derivatives of an exported model: of outputs by time, and of outputs by inputs and parameters.

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "export/exported_model.hpp"

namespace counterpoint::exported {
namespace {

/// Of the values, to a power of two (which rounds nothing by itself): errors of truncation and of rounding of a central
/// difference are then alike, 1e-11 of a smooth function.
constexpr double difference = 0x1p-17;

/// Of the next step: a trial step as short as this shows what the solver's own steps would, and rounding does not count
/// yet.
constexpr double trial_share = 0x1p-6;

}  // namespace

void ExportedModel::output_slope(const Variable& v, double* values) {
  const Port* port = spec_.outputs.data();
  int first = 0;
  while (first + port->width <= v.offset) first += port++->width;
  if (v.offset + v.width > first + port->width) throw UserError("a variable lies in several ports");
  Participant& p = scheduler_->network().participants[port->participant];
  const int place = port->offset + (v.offset - first);
  if (std::abs(p.t - time_) > scheduler_->network().tolerance) return slope_between_samples(v, values);
  Inputs::Saved inputs;
  p.inputs->save(inputs);
  p.inputs->freeze(p.t, p.t_next);  // what is known now
  bool is_known = true;
  if (p.subsystem->offers_derivatives()) {
    std::copy_n(p.subsystem->output_derivative(p.t, *p.inputs) + place, v.width, values);
  } else {
    is_known = try_slope(p, place, v.width, values);
  }
  p.inputs->restore(inputs);
  if (!is_known) slope_between_samples(v, values);
}

/// By two short steps from here, which are taken back; false when the subsystem does not get that far, because of an
/// event.
bool ExportedModel::try_slope(Participant& p, int place, int width, double* values) {
  const double length = trial_share * (p.t_next - p.t);
  const std::unique_ptr<SavedState> state = p.subsystem->save();
  std::vector<double> one(width), two(width);
  const double* now = p.history.value(p.history.end() - 1) + place;
  bool got_there = false;
  try {
    const double middle = p.t + length, end = p.t + 2.0 * length;
    got_there = p.subsystem->step(p.t, middle, *p.inputs) == middle;
    std::copy_n(p.subsystem->output(middle, *p.inputs) + place, width, one.begin());
    got_there = got_there && p.subsystem->step(middle, end, *p.inputs) == end;
    std::copy_n(p.subsystem->output(end, *p.inputs) + place, width, two.begin());
    for (int k = 0; k < width; ++k) values[k] = (4.0 * (one[k] - now[k]) - (two[k] - now[k])) / (end - p.t);
  } catch (const std::exception&) {  // a subsystem that cannot continue fails in its next step
    got_there = false;
  }
  p.subsystem->restore(*state);
  return got_there;
}

/// Of what lies between the samples, backwards from here.
void ExportedModel::slope_between_samples(const Variable& v, double* values) {
  Inputs& sink = *scheduler_->network().participants.back().inputs;
  const double interval = 1e3 * std::max(spec_.tolerance, 1e-9 * std::abs(time_));
  std::copy_n(sink.at(time_) + v.offset, v.width, values);
  const double* before = sink.at(time_ - interval) + v.offset;
  for (int k = 0; k < v.width; ++k) values[k] = (values[k] - before[k]) / interval;
}

std::vector<double> ExportedModel::directional_derivative(const std::vector<Direction>& directions) {
  const StatePointer origin = save();
  std::vector<std::vector<double>> values;
  double largest = 0.0;
  for (const Direction& d : directions) {
    std::vector<double>& value = values.emplace_back(d.known->width);
    get(*d.known, value.data());
    for (int k = 0; k < d.known->width; ++k)
      largest = std::max(largest, std::abs(d.seed[k]) / std::max(std::abs(value[k]), 1.0));
  }
  std::vector<double> slope(outputs_.size(), 0.0);
  if (largest == 0.0) return slope;
  const double length = std::exp2(std::round(std::log2(difference / largest)));
  const auto outputs_at = [&](double distance) {
    for (std::size_t i = 0; i < directions.size(); ++i) {
      std::vector<double> moved = values[i];
      for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += distance * directions[i].seed[k];
      set(*directions[i].known, moved.data());
    }
    is_running_ ? evaluate_again() : initial_outputs();
    return outputs_;
  };
  try {
    const std::vector<double> ahead = outputs_at(length), behind = outputs_at(-length);
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] = (ahead[k] - behind[k]) / (2.0 * length);
  } catch (...) {
    restore(*origin);
    throw;
  }
  restore(*origin);
  return slope;
}

/// Outputs at this communication point with the inputs set since. A subsystem beyond it sees these from its next step
/// on.
void ExportedModel::evaluate_again() {
  publish_inputs();
  Network& network = scheduler_->network();
  for (int pass = 0; pass < spec_.initial_passes; ++pass) {
    for (std::size_t i = 0; i < spec_.participants.size(); ++i) {
      Participant& p = network.participants[i];
      if (std::abs(p.t - time_) > network.tolerance) continue;
      p.inputs->freeze(p.t, p.t_next);
      p.publish_again(p.subsystem->output_again(p.t, *p.inputs));
      for (Participant& consumer : network.participants) consumer.inputs->forget_polynomials_of(static_cast<int>(i));
    }
  }
  take_outputs();
}

}  // namespace counterpoint::exported
