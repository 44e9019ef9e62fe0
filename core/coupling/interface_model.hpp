#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "coupling/waveform.hpp"

namespace counterpoint {

/// What a pass publishes when that which it reads is changed a little, by derivatives of the subsystems:
///
///     dz/dt = A z + B w,   y = C z + D w,   z = 0 at the beginning of the window
///
/// w: changes of the signals that are read from the pass before, y: those of the same signals in this pass. z are the
/// states of all subsystems, and what waits for others in the same pass is inside of A to D.
struct InterfaceModel {
  Eigen::MatrixXd a, b, c, d;
  std::vector<std::pair<int, int>> signals;  ///< participant and column of w and y, in their order

  bool is_given() const { return !signals.empty(); }
};

/// Changes of single signals of a waveform, each a power of time, and what a pass makes of them.
class ModelResponse {
 public:
  struct Trial {
    std::size_t signal;  ///< of the waveform
    int power;           ///< of the time, from 0 at the beginning of the window to 1 at its end
    double size;         ///< at the end
  };

  /// `names`: participant and column of the signals of the waveform.
  ModelResponse(const InterfaceModel& model, const std::vector<std::pair<int, int>>& names);

  /// One vector of the waveform for each trial. By the implicit midpoint rule from sample to sample, of whatever
  /// signal: damped subsystems stay so, and the derivatives of an iteration need not be more exact than its steps.
  std::vector<Eigen::VectorXd> of(const std::vector<Trial>& trials, const Waveform& waveform) const;

 private:
  InterfaceModel model_;  ///< its signals are those of the waveform
};

}  // namespace counterpoint
