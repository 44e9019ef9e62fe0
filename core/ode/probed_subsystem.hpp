#pragma once

#include "ode/ode_subsystem.hpp"

namespace counterpoint {

/// A model that a run meets in the middle of its life: up to a time it publishes samples that it is given, and from
/// there on it goes from a state that it is given. So the map from states and histories to those some steps later can
/// be read from the scheduler itself, one column at a time.
///
/// Samples older than those given are zero. Later samples are kept for the caller that reads the map.
class ProbedSubsystem final : public Subsystem {
 public:
  /// Samples of all outputs, oldest first; the last one is at the time at which the model begins.
  struct Past {
    std::vector<double> times;   ///< s
    std::vector<double> values;  ///< one row per time
    std::vector<double> slopes;  ///< of the same shape
  };
  /// Where the model begins: its state, and the states at earlier steps that a multistep solver remembers.
  struct Beginning {
    std::vector<double> x;
    std::vector<double> earlier;
  };

  /// `ends`: where its steps end, when it is given none; increasing.
  ProbedSubsystem(std::shared_ptr<OdeSubsystem> model, Past past, Beginning beginning, std::vector<double> ends);

  int input_width() const override { return model_->input_width(); }
  int output_width() const override { return model_->output_width(); }
  void start(double t) override;
  double step(double t, double t_end, Inputs& u) override;
  const double* output(double t, Inputs& u) override;
  bool offers_derivatives() const override { return model_->offers_derivatives(); }
  bool uses_input_slopes() const override { return model_->uses_input_slopes(); }
  const double* output_derivative(double t, Inputs& u) override;
  double preferred_step() const override;
  std::unique_ptr<SavedState> save() const override;
  void restore(const SavedState& state) override;

  const OdeSubsystem& model() const { return *model_; }
  /// Rows of time, outputs and their slopes (zero unless they were asked) since the start.
  const std::vector<double>& published() const { return published_; }
  /// Whether an approximation asked for slopes.
  bool gave_slopes() const { return gave_slopes_; }

 private:
  struct Saved;
  bool is_past(double t) const { return t <= beginning_time_ + tolerance_; }
  /// The row of a table of the past, or zeros.
  const double* row(const std::vector<double>& table, double t) const;
  /// Where what is published at t is kept; what was published later is forgotten.
  double* kept(double t);
  void begin_model();

  std::shared_ptr<OdeSubsystem> model_;
  Past past_;
  Beginning beginning_;
  std::vector<double> ends_;
  double beginning_time_;
  double tolerance_;
  double t_ = 0.0;
  double last_step_ = 0.0;
  bool has_begun_ = false;
  bool gave_slopes_ = false;
  std::vector<double> zeros_;
  std::vector<double> published_;
};

}  // namespace counterpoint
