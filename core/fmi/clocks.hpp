#pragma once

#include <vector>

#include "fmi/instance.hpp"

namespace counterpoint::fmi {

/// When a clock of FMI 3 ticks.
enum class ClockKind {
  periodic,   ///< an input clock; its interval is constant after initialisation
  changing,   ///< an input clock; the FMU knows the next interval when it has ticked
  countdown,  ///< an input clock; the FMU may know the next interval after any event
  output,     ///< the FMU ticks it in event mode
  triggered,  ///< an input clock that another model ticks: here none does
};

struct ClockSetup {
  ValueReference reference = 0;
  ClockKind kind = ClockKind::periodic;
  double interval = 0.0;  ///< s, of a periodic clock; 0: the FMU is asked, for its shift, too
  double shift = 0.0;     ///< s from the start to the first tick of a periodic clock
};

/// The clocks of one FMU: the importer ticks those that are inputs when it is time, and looks after those that are
/// outputs.
///
///     initialization mode    `initialize`: intervals and shifts that the description leaves open
///     event mode, first      `tick`: input clocks that are due
///     before every update    `look`: output clocks that the FMU has ticked; intervals
///     after an update        `rest`: no clock is active any more
///
/// Ticks of periodic clocks are counted, never summed up.
class Clocks {
 public:
  explicit Clocks(std::vector<ClockSetup> clocks);

  bool empty() const { return clocks_.empty(); }
  void initialize(Instance& instance, double t);
  /// Time of the next tick that is known, s; infinity when there is none.
  double next() const;
  void tick(Instance& instance, double t);
  void look(Instance& instance, double t);
  void rest();
  /// Whether one of these clocks is active.
  bool is_active(const std::vector<int>& clocks) const;

  void add_memory(std::vector<double>& to) const;
  void set_memory(const double* memory);
  std::size_t memory_size() const { return 1 + 4 * clocks_.size(); }

 private:
  double time_of(std::size_t k) const;
  void ask_interval(Instance& instance, std::size_t k, double t);

  std::vector<ClockSetup> clocks_;
  double start_ = 0.0;
  std::vector<double> interval_, shift_;  ///< of periodic clocks, s
  std::vector<double> count_;             ///< ticks of periodic clocks so far, whole numbers
  std::vector<double> next_;              ///< tick of the others, s
  std::vector<char> active_;
};

}  // namespace counterpoint::fmi
