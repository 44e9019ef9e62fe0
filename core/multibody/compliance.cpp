// How soft constraints may be. What a constraint on its own moves is J M^-1 J^T: a compliance well below that leaves
// next to nothing of a violation. But a light point that is held by more equations than it has coordinates cannot give
// way: what these equations move together are its heavy neighbours, and a compliance chosen by the light mass would be
// soft for them.
#include <algorithm>
#include <limits>
#include <numeric>

#include "multibody/stepper.hpp"

namespace counterpoint::multibody {

namespace {

// Up to this contrast of masses the compliance, 1e-7 of what the light mass makes of it, is 1e-2 or less for the heavy
// one.
constexpr double light_share = 1e-5;
// What is left of a violation where only heavy coordinates can give way. Smaller would cost digits of light ones that
// can.
constexpr double left_share = 1e-4;
constexpr double vanishing_share = 1e-6;  ///< of J^2, which is of order 1 elsewhere

/// Light coordinates that share equations, with all equations that touch one of them.
class LightGroups {
 public:
  LightGroups(const Model& model, const double* mass, const double* J)
      : model_(model), J_(J), light_(model.coordinates()), leader_(model.coordinates()) {
    const SparsePattern& pattern = model.mass_pattern();
    for (int c = 0; c < model.coordinates(); ++c) mass_.push_back(mass[pattern.find(c, c)]);
    std::iota(leader_.begin(), leader_.end(), 0);
    for (int row = 0; row < model.equations(); ++row) mark(row);
    if (std::find(light_.begin(), light_.end(), true) == light_.end()) return;
    for (int row = 0; row < model.equations(); ++row) join(row);
    groups_.resize(light_.size());
    for (std::size_t c = 0; c < light_.size(); ++c) {
      if (light_[c]) ++groups_[leader(static_cast<int>(c))].coordinates;
    }
    for (int row = 0; row < model.equations(); ++row) count(row);
  }

  /// Least of what the equations of a row's group move of heavy coordinates, if the light ones are held; infinity if
  /// not.
  double held_by(int row) const {
    const int c = groups_.empty() ? -1 : first_light(row);
    if (c < 0) return std::numeric_limits<double>::infinity();
    const Group& group = groups_[leader(c)];
    return group.equations > group.coordinates ? group.heavy : std::numeric_limits<double>::infinity();
  }

 private:
  struct Group {
    int coordinates = 0, equations = 0;
    double heavy = std::numeric_limits<double>::infinity();
  };

  template <typename Action>
  void for_free(int row, Action action) const {
    const SparsePattern& jacobian = model_.jacobian_pattern();
    for (int k = jacobian.row_start[row]; k < jacobian.row_start[row + 1]; ++k) {
      if (jacobian.column[k] < model_.coordinates()) action(jacobian.column[k], J_[k]);
    }
  }

  void mark(int row) {
    double heaviest = 0.0;
    for_free(row, [&](int c, double) { heaviest = std::max(heaviest, mass_[c]); });
    for_free(row, [&](int c, double) { light_[c] = light_[c] || mass_[c] < light_share * heaviest; });
  }

  void join(int row) {
    const int first = first_light(row);
    for_free(row, [&](int c, double) {
      if (light_[c]) leader_[leader(c)] = leader(first);
    });
  }

  void count(int row) {
    const int first = first_light(row);
    if (first < 0) return;
    double heavy = 0.0;
    for_free(row, [&](int c, double j) { heavy += light_[c] ? 0.0 : j * j / mass_[c]; });
    Group& group = groups_[leader(first)];
    ++group.equations;
    if (heavy > 0.0) group.heavy = std::min(group.heavy, heavy);
  }

  int first_light(int row) const {
    int first = -1;
    for_free(row, [&](int c, double) { first = first < 0 && light_[c] ? c : first; });
    return first;
  }

  int leader(int c) const { return leader_[c] == c ? c : leader(leader_[c]); }

  const Model& model_;
  const double* J_;
  std::vector<double> mass_;
  std::vector<bool> light_;
  std::vector<int> leader_;
  std::vector<Group> groups_;  ///< at the place of their leader
};

}  // namespace

std::vector<double> compliance_from_mass(const Model& model, const double* mass, const double* J, double ratio) {
  const SparsePattern &jacobian = model.jacobian_pattern(), &pattern = model.mass_pattern();
  const LightGroups light(model, mass, J);
  std::vector<double> compliance;
  for (int row = 0; row < model.equations(); ++row) {
    double moved = 0.0, movable = 0.0;
    for (int k = jacobian.row_start[row]; k < jacobian.row_start[row + 1]; ++k) {
      const int column = jacobian.column[k];
      if (column >= model.coordinates()) continue;
      const double inverse = 1.0 / mass[pattern.find(column, column)];
      moved += J[k] * J[k] * inverse;
      movable += inverse;
    }
    // A row may vanish where the run begins (a singular position) and matter later.
    const double alone = movable > 0.0 ? std::max(moved, vanishing_share * movable) : 1.0;
    compliance.push_back(std::min(ratio * alone, left_share * light.held_by(row)));
  }
  return compliance;
}

}  // namespace counterpoint::multibody
