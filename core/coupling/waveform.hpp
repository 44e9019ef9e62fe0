#pragma once

#include <Eigen/Core>
#include <vector>

#include "coupling/window.hpp"

namespace counterpoint {

/// Of what a pass has published of a signal since sample `first`: the largest absolute value, and the largest
/// difference from the pass before; where that has no sample at the same time, it is interpolated.
struct SignalChange {
  double size = 0.0;
  double change = 0.0;
};
SignalChange change_of(const InterfaceSignal& signal, std::size_t first, double tolerance);

/// The interface over a window as one vector: of each signal the values at the times that the first pass had and,
/// where they are published, the slopes times the distance of samples.
///
/// All vectors of a window have the same length. What a later pass publishes at other times is interpolated, so that
/// subsystems that choose their steps take part.
class Waveform {
 public:
  enum class Pass { now, before };

  explicit Waveform(double tolerance) : tolerance_(tolerance) {}

  /// What follows the last samples belongs to the window.
  void open(const std::vector<InterfaceSignal>& interface);
  /// The times of the pass that has ended are those of the vectors until the next window opens.
  void take_times(const std::vector<InterfaceSignal>& interface);

  Eigen::VectorXd values(const std::vector<InterfaceSignal>& interface, Pass pass) const;
  /// One factor for each number, so that signals count alike whatever their sizes and numbers of samples are.
  Eigen::VectorXd weights(const std::vector<double>& sizes) const;
  /// Move what the next pass will read by a vector.
  void shift(const Eigen::VectorXd& by, const std::vector<InterfaceSignal>& interface,
             std::vector<History>& read) const;

  std::size_t first(std::size_t signal) const { return signals_[signal].first; }
  Eigen::Index size() const { return size_; }
  /// Numbers of each signal, values and slopes: vectors of windows with equal ones can be compared.
  std::vector<Eigen::Index> shape() const;
  /// Where the numbers of a signal begin, and how many of them are values.
  Eigen::Index begin(std::size_t signal) const { return signals_[signal].begin; }
  Eigen::Index count(std::size_t signal) const { return static_cast<Eigen::Index>(signals_[signal].times.size()); }
  /// Of the window, s.
  double length() const;
  /// Mean distance of the samples of a signal, s; 0: it has no slopes.
  double distance(std::size_t signal) const { return signals_[signal].distance; }
  /// Times of a signal, from 0 at the beginning of the window to 1 at its end.
  double place(std::size_t signal, Eigen::Index sample) const;

 private:
  struct Signal {
    std::size_t first = 0;      ///< sample of the window
    double from = 0.0;          ///< where the window begins, s
    std::vector<double> times;  ///< s
    double distance = 0.0;      ///< of samples, mean, s; 0: without slopes
    Eigen::Index begin = 0;
    Eigen::Index size() const { return static_cast<Eigen::Index>(distance > 0.0 ? 2 * times.size() : times.size()); }
  };
  double shift_at(const Signal& signal, const double* by, double t) const;

  double tolerance_;  ///< times closer than this are the same time, s
  std::vector<Signal> signals_;
  Eigen::Index size_ = 0;
};

}  // namespace counterpoint
