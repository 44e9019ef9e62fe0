#include "coupling/fast/input_paths.hpp"

#include <algorithm>

#include "coupling/fast/newest_comparison.hpp"

namespace counterpoint::fast {

void InputPaths::choose(std::vector<Connection>& connections, const SetUp& set_up) {
  leave_lines(connections);
  line_inputs_.clear();
  sloped_ = sums_ = single_ = false;
  disturbed_ = set_up.is_disturbed;
  const bool asked = set_up.approximations_asked;
  for (Connection& c : connections) {
    c.fast.newest_points = asked || !allowed_.newest_points ? 0 : newest_points_of(c);
    c.fast.is_line = allowed_.lines && !c.watches && LineInput::serves(c);
    c.fast.compares_newest = allowed_.newest_comparisons && NewestComparison::serves(c);
    c.fast.interpolates = c.approximation->covers_intervals();
  }
  if (disturbed_) return;
  single_ = allowed_.single_scalar && connections.size() == 1 && set_up.scalars == 1 && !set_up.has_laws &&
            connections.front().samples.width == 1;
  const bool lines = std::all_of(connections.begin(), connections.end(),
                                 [](const Connection& c) { return c.fast.is_line && !c.waits; });
  if (!lines) return;
  for (const Connection& c : connections) line_inputs_.emplace_back(c);
  interpolate_ =
      std::all_of(connections.begin(), connections.end(), [](const Connection& c) { return c.fast.interpolates; });
  sloped_ = std::any_of(line_inputs_.begin(), line_inputs_.end(), [](const LineInput& input) { return input.sloped; });
  sums_ = std::any_of(line_inputs_.begin(), line_inputs_.end(), [](const LineInput& input) { return input.adds; });
}

void InputPaths::tell(std::vector<Connection>& connections) {
  lines_ = false;
  for (Connection& c : connections) {
    c.samples.end = last_ + 1;
    c.polynomial.invalidate();
  }
}

}  // namespace counterpoint::fast
