#pragma once

#include "coupling/known_events.hpp"
#include "coupling/subsystem.hpp"

namespace counterpoint {

/// A source whose outputs are tabulated over time. At its own pace it steps from row to row, so
/// straight lines between rows are exact; beyond the last row the last value stays. Rows of the same time are a jump,
/// from the first of them to the last.
class Table final : public Subsystem, public KnowsEvents {
 public:
  enum class Kind { linear, hold };

  /// `times` do not decrease; `values` has one row of `width` per time.
  Table(std::vector<double> times, std::vector<double> values, int width, Kind kind);

  int input_width() const override { return 0; }
  int output_width() const override { return width_; }
  void start(double t) override { time_ = t; }
  double step(double, double t_end, Inputs&) override { return time_ = t_end; }
  const double* output(double t, Inputs&) override;
  bool stops_early() const override { return jumps_; }
  const double* output_before_event() override;
  double preferred_step() const override;
  double next_known_event(double t, double step) const override;
  std::unique_ptr<SavedState> save() const override;
  void restore(const SavedState& state) override;
  std::unique_ptr<SavedState> read_state(recipe::Reader& reader) const override;

 private:
  struct Saved;
  std::size_t row(double t) const;
  std::size_t first_row_of_its_time(std::size_t k) const;

  std::vector<double> times_;
  std::vector<double> values_;
  std::vector<double> y_;
  int width_;
  Kind kind_;
  bool jumps_;
  double time_ = 0.0;
};

}  // namespace counterpoint
