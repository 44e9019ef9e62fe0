#include "coupling/interface_model.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "linear/decompositions.hpp"

namespace counterpoint {

namespace {

constexpr double same_length = 1e-9;  ///< of steps, in windows: one decomposition serves them

/// Times at which some signal has a sample, each once, without the beginning.
std::vector<double> all_places(const Waveform& waveform, std::size_t signals) {
  std::vector<double> all;
  for (std::size_t k = 0; k < signals; ++k) {
    for (Eigen::Index j = 0; j < waveform.count(k); ++j) all.push_back(waveform.place(k, j));
  }
  std::sort(all.begin(), all.end());
  const auto same = [](double a, double b) { return b - a <= same_length; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

/// Values and slopes of the trials, one column each.
Eigen::MatrixXd changes(const std::vector<ModelResponse::Trial>& trials, Eigen::Index signals, double place,
                        bool slopes) {
  Eigen::MatrixXd made = Eigen::MatrixXd::Zero(signals, static_cast<Eigen::Index>(trials.size()));
  for (std::size_t k = 0; k < trials.size(); ++k) {
    const auto& [signal, power, size] = trials[k];
    made(static_cast<Eigen::Index>(signal), static_cast<Eigen::Index>(k)) =
        slopes ? size * power * std::pow(place, power - 1) : size * std::pow(place, power);
  }
  return made;
}

}  // namespace

ModelResponse::ModelResponse(const InterfaceModel& model, const std::vector<std::pair<int, int>>& names)
    : model_(model) {
  model_.signals = names;
  const auto count = static_cast<Eigen::Index>(names.size());
  model_.b.resize(model.b.rows(), count);
  model_.c.resize(count, model.c.cols());
  model_.d.resize(count, count);
  std::vector<Eigen::Index> places;
  for (const std::pair<int, int>& name : names) {
    const auto found = std::find(model.signals.begin(), model.signals.end(), name);
    if (found == model.signals.end()) internal_error("the derivatives of a window lack a signal");
    places.push_back(found - model.signals.begin());
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    model_.b.col(k) = model.b.col(places[static_cast<std::size_t>(k)]);
    model_.c.row(k) = model.c.row(places[static_cast<std::size_t>(k)]);
    for (Eigen::Index j = 0; j < count; ++j)
      model_.d(j, k) = model.d(places[static_cast<std::size_t>(j)], places[static_cast<std::size_t>(k)]);
  }
}

std::vector<Eigen::VectorXd> ModelResponse::of(const std::vector<Trial>& trials, const Waveform& waveform) const {
  const auto count = static_cast<Eigen::Index>(model_.signals.size()), states = model_.a.rows();
  const double length = waveform.length();
  std::vector<Eigen::VectorXd> made(trials.size(), Eigen::VectorXd::Zero(waveform.size()));
  Eigen::MatrixXd z = Eigen::MatrixXd::Zero(states, static_cast<Eigen::Index>(trials.size()));
  linear::RowMatrix inverse;  // of I - h/2 A
  double inverted = 0.0, place = 0.0;
  std::vector<Eigen::Index> next(model_.signals.size());
  for (const double end : all_places(waveform, model_.signals.size())) {
    const double h = (end - place) * length;
    if (std::abs(h - inverted) > same_length * length) {
      inverse = linear::inverse(linear::RowMatrix::Identity(states, states) - 0.5 * h * model_.a);
      inverted = h;
    }
    const Eigen::MatrixXd in_the_middle = changes(trials, count, 0.5 * (place + end), false);
    z = (2.0 * inverse * (z + 0.5 * h * model_.b * in_the_middle) - z).eval();
    place = end;
    const Eigen::MatrixXd w = changes(trials, count, place, false);
    const Eigen::MatrixXd y = model_.c * z + model_.d * w;
    const Eigen::MatrixXd slopes =
        model_.c * (model_.a * z + model_.b * w) + model_.d * changes(trials, count, place, true) / length;
    for (std::size_t k = 0; k < next.size(); ++k) {
      if (next[k] == waveform.count(k) || waveform.place(k, next[k]) > place + same_length) continue;
      for (std::size_t trial = 0; trial < trials.size(); ++trial) {
        const auto column = static_cast<Eigen::Index>(trial), row = static_cast<Eigen::Index>(k);
        made[trial][waveform.begin(k) + next[k]] = y(row, column);
        if (waveform.distance(k) > 0.0)
          made[trial][waveform.begin(k) + waveform.count(k) + next[k]] = waveform.distance(k) * slopes(row, column);
      }
      ++next[k];
    }
  }
  return made;
}

}  // namespace counterpoint
