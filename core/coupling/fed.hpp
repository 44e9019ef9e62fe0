#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "coupling/subsystem.hpp"

namespace counterpoint {

/// A subsystem that another program steps: its samples are handed in, and enter its history as they are.
///
/// The driver steps it when a sample is there. When nothing else may step either it asks `more`, which waits for other
/// programs and feeds what has arrived, or throws. At the start `initial` is asked each time initial outputs are read,
/// so that the programs can agree on them.
class FedSubsystem final : public Subsystem {
 public:
  using Ask = std::function<void()>;
  struct Kind {
    int outputs = 0;
    bool derivatives = false;  ///< samples have dy/dt
    bool stops_early = false;  ///< samples may come before their proposed time
  };

  FedSubsystem(Kind kind, Ask more, Ask initial);

  /// Values at the start, and when the next sample is proposed to come, s.
  void feed_initial(double next, const double* y, const double* slopes);
  /// The next sample: its time and that of the one after it (s), values and, where it has them, slopes.
  void feed(double t, double next, const double* y, const double* slopes);
  /// Let other programs send more; throws when none will come.
  void await_sample() { more_(); }
  /// How many samples wait to enter the history.
  std::size_t waiting() const { return queue_.size(); }

  int input_width() const override { return 0; }
  int output_width() const override { return kind_.outputs; }
  void start(double t) override;
  bool begin(double, Inputs&) override {
    has_begun_ = true;
    return false;
  }
  double step(double t, double t_end, Inputs& u) override;
  const double* output(double t, Inputs& u) override;
  bool stops_early() const override { return kind_.stops_early; }
  bool offers_derivatives() const override { return kind_.derivatives; }
  const double* output_derivative(double, Inputs&) override { return now_.slopes.data(); }
  double preferred_step() const override { return now_.next - now_.t; }

 private:
  struct Sample {
    double t, next;
    std::vector<double> y, slopes;
  };
  Sample sample(double t, double next, const double* y, const double* slopes) const;

  Kind kind_;
  Ask more_, initial_;
  Sample now_;
  std::deque<Sample> queue_;
  bool has_begun_ = false;
};

}  // namespace counterpoint
