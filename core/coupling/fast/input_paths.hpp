#pragma once

#include <vector>

#include "coupling/fast/choice.hpp"
#include "coupling/fast/line_input.hpp"
#include "coupling/fast/newest_points.hpp"

namespace counterpoint::fast {

/// Fast paths of the inputs of one participant, each bit-equal to `Inputs::made_from_connections`:
///
/// 1. Lines. In a round (round.hpp) all sources are at the same sample number, so inputs that are held or lines need no
///    polynomial, no search and no frozen samples: some numbers are copied. Serves participants whose connections are
///    all of this kind (`LineInput::serves`) and wait for no source. In repeats of a window, which interpolate, the
///    lines go through the sample one step ahead, if the approximations allow it.
/// 2. Single scalar. The only input is one scalar connection: while its polynomial is valid, it is evaluated in place.
///    Solvers may use the polynomial itself (`Inputs::single_polynomial`).
/// 3. Newest points (newest_points.hpp), per connection.
///
/// Measured (`python -m benchmarks fast-paths`), time of a step with the path and without it: lines 0.8, single scalar
/// 0.22 (it carries the batches of step_batch.hpp).
class InputPaths {
 public:
  /// What the inputs contain besides connections.
  struct SetUp {
    std::size_t scalars = 0;  ///< inputs
    bool has_laws = false;
    bool is_disturbed = false;          ///< some are fixed to a value, or changed by events
    bool approximations_asked = false;  ///< the owner of the inputs builds all polynomials
  };

  explicit InputPaths(Choice allowed) : allowed_(allowed) {}

  /// Choose the paths; called again whenever the set-up changes.
  void choose(std::vector<Connection>& connections, const SetUp& set_up);

  /// If a path serves the inputs at t, write them and return true.
  bool make(double t, double step_start, std::vector<Connection>& connections, std::vector<double>& values) {
    if (lines_ && t >= step_start) {
      if (sloped_) {
        for (const LineInput& input : line_inputs_) input.put(input.line.at(t), values);
      }
      return true;
    }
    if (!single_) return false;
    Connection& c = connections.front();
    if (!c.polynomial.covers(t)) return false;
    values[c.target_offset] = c.polynomial.scalar(t);
    return true;
  }

  /// Freeze for a round: the consumer is at its sample number `last`, and so are its sources; those that it waits for
  /// are one step ahead.
  void freeze_in_step(std::vector<Connection>& connections, std::vector<double>& values, std::size_t last) {
    if (line_inputs_.empty() || apart_) {
      for (Connection& c : connections)
        c.use_samples_before(c.sees_window() ? c.samples.history->end() : last + (c.waits ? 2 : 1));
      return;
    }
    lines_ = true;
    last_ = last + (repeats_ ? 1 : 0);
    for (LineInput& input : line_inputs_) {
      if (sloped_) {
        input.line = input.from_sample(last_);
      } else {  // the same, short
        input.put(input.scaled(input.history->value(last_)[input.column]), values);
      }
    }
  }

  /// More is needed than the lines contain: update the connections.
  void leave_lines(std::vector<Connection>& connections) {
    if (lines_) tell(connections);
  }
  void forget_lines() { lines_ = false; }
  /// The connections read other histories from now on, those of the pass before (in which the end of a step is known)
  /// or the present ones.
  void follow(const std::vector<Connection>& connections, bool repeats) {
    repeats_ = repeats;
    apart_ = repeats && !interpolate_;
    for (std::size_t k = 0; k < line_inputs_.size(); ++k) {
      line_inputs_[k].history = connections[k].samples.history;
      line_inputs_[k].ahead = repeats && connections[k].fast.interpolates ? 1 : 0;
    }
  }

  /// Whether all inputs are held from the newest samples of one source each, or constant.
  bool are_held(bool has_connections) const { return may_be_lines(has_connections) && !sloped_ && !sums_; }
  /// Whether all inputs are lines or held from the newest samples of one source each, sums of such, or constant.
  bool may_be_lines(bool has_connections) const {
    return allowed_.lines && !disturbed_ && (!has_connections || !line_inputs_.empty());
  }
  /// Whether they are made from the pass before.
  bool repeats() const { return repeats_; }
  const std::vector<LineInput>& line_inputs() const { return line_inputs_; }
  bool is_single() const { return single_; }

 private:
  void tell(std::vector<Connection>& connections);

  Choice allowed_;
  bool disturbed_ = false;
  bool single_ = false;       ///< one scalar connection and no other input
  bool lines_ = false;        ///< the lines describe the frozen step completely; the connections are not up to date
  bool sloped_ = false;       ///< some line is not held
  bool sums_ = false;         ///< several lines enter one input
  bool apart_ = false;        ///< the lines do not serve at present
  bool interpolate_ = false;  ///< they serve repeats as well
  bool repeats_ = false;
  std::size_t last_ = 0;                ///< sample at which the lines begin
  std::vector<LineInput> line_inputs_;  ///< of all connections, or none
};

}  // namespace counterpoint::fast
