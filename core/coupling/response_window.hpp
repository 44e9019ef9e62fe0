#pragma once

#include <Eigen/Core>
#include <deque>
#include <vector>

#include "coupling/window.hpp"

namespace counterpoint {

/// The interface at the ends of windows, oldest first: what was published, and what had been foreseen for that time.
struct PastWindows {
  std::deque<Eigen::VectorXd> published, foreseen;
  Eigen::VectorXd sizes;  ///< largest absolute values so far, 1 for what was always 0
};

/// How the outputs y of one participant at the end of a window follow from the signals u that it reads, as a linear
/// estimate that is fitted to the windows so far. A window begins with what was published, u, and ends with what was
/// foreseen, u':
///
///     y_n+1 = b u'_n+1 + c u_n + a_1 y_n + b_1 u'_n + c_1 u_n-1 + ... + a_k y_n-k+1
///
/// For a linear model of k states, whose inputs are lines, this is exact. The newer windows have more weight.
class ResponseEstimate {
 public:
  /// `outputs`, `inputs`: numbers of signals. `order`: k.
  ResponseEstimate(std::vector<int> outputs, std::vector<int> inputs, int order)
      : outputs_(std::move(outputs)), inputs_(std::move(inputs)), order_(order) {}

  void fit(const PastWindows& past);
  /// Write its rows of (I - S) y = r, the equations of all signals at the end of the next window, in units of their
  /// sizes.
  void add_to(const PastWindows& past, Eigen::MatrixXd& matrix, Eigen::VectorXd& right) const;

  bool is_ready() const { return coefficients_.size() > 0; }

 private:
  /// What is known before window `next` ends.
  std::vector<double> known(const PastWindows& past, std::size_t next) const;

  std::vector<int> outputs_, inputs_;
  int order_;
  Eigen::MatrixXd coefficients_;  ///< a column for each output: those of u'_n+1, then those of what is known
};

/// Windows that are gone through once, for subsystems that cannot be taken back: instead of being repeated, each begins
/// with an estimate of how it will end.
///
///     before each window: signals at its end are those with which the estimates of all participants agree
///                         (one linear system); consumers interpolate towards them
///     after it:           the estimates are fitted again
///
/// In the first windows signals are held. Where estimates have been worse than a line through the last two ends, that
/// line is taken.
class ResponseWindow final : public Window {
 public:
  ResponseWindow(double length, int order, double start) : length_(length), start_(start), order_(order) {}

  void join(const Network& network) override;
  double end_after(double from) override;
  bool again(int pass, double end, const std::vector<InterfaceSignal>& interface) override;
  bool may_repeat() const override { return false; }
  bool predicts() const override { return true; }
  void predict(double end, const std::vector<InterfaceSignal>& interface, std::vector<History>& read) override;
  void report(WindowTally& tally) const override;

 private:
  void begin(const std::vector<InterfaceSignal>& interface);
  void foresee(double end, const std::vector<InterfaceSignal>& interface, std::vector<History>& read) const;
  void remember(Eigen::VectorXd now, Eigen::VectorXd foreseen);
  double miss(const Eigen::VectorXd& guess, const Eigen::VectorXd& now) const;
  Eigen::VectorXd line() const;
  Eigen::VectorXd estimate() const;

  double length_, start_;
  int order_;
  double count_ = 0.0;
  const Network* network_ = nullptr;
  std::vector<ResponseEstimate> estimates_;
  PastWindows past_;
  Eigen::VectorXd estimated_, straight_, guess_;            ///< for the window under way
  double error_of_estimates_ = 0.0, error_of_lines_ = 0.0;  ///< recent means
  WindowTally tally_;
};

}  // namespace counterpoint
