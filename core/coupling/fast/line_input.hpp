#pragma once

#include "coupling/connection.hpp"
#include "signal/newton.hpp"

namespace counterpoint::fast {

/// A scalar of an input that is held, or extrapolated by a straight line. Contains what every step reads, close
/// together in memory.
struct LineInput {
  const History* history = nullptr;
  double gain = 1.0;
  double offset = 0.0;
  int column = 0;
  int target = 0;
  bool scales = false;
  bool sloped = false;    ///< a line, not held
  bool adds = false;      ///< it is added to earlier values of the same input
  std::size_t ahead = 0;  ///< first sample of a step, counted from the present one of the consumer
  Line line;

  explicit LineInput(const Connection& c)
      : history(c.samples.history),
        gain(c.gain),
        offset(c.offset),
        column(c.samples.column),
        target(c.target_offset),
        scales(c.scales),
        sloped(c.fast.newest_points > 1),
        adds(c.adds) {}

  static bool serves(const Connection& c) {
    const bool short_enough = c.fast.newest_points == 1 || c.fast.newest_points == 2;
    return short_enough && c.samples.width == 1 && c.law < 0;
  }

  void put(double value, std::vector<double>& inputs) const { inputs[target] = adds ? inputs[target] + value : value; }

  double scaled(double value) const { return scales ? value * gain + offset : value; }

  /// The input from sample `last` on, while that is the newest.
  Line from_sample(std::size_t last) const {
    Line made;
    made.value = history->value(last)[column];
    if (sloped && last > history->begin()) {
      made = line_through(history->time(last), made.value, history->time(last - 1), history->value(last - 1)[column]);
    }
    made.value = scaled(made.value);
    if (scales) made.slope *= gain;
    return made;
  }
};

}  // namespace counterpoint::fast
