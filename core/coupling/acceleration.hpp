#pragma once

#include <Eigen/Core>
#include <deque>
#include <memory>
#include <vector>

namespace counterpoint {

/// Which iterate a window is repeated with.
///
/// A pass turns an iterate x into what it publishes, x~ = H(x); the window has converged when they are equal.
///
/// Contract for implementers:
///  1. `next(x, made, weights)` is the next iterate; it is asked after every repeat but the last, in order.
///  2. `closed(converged)` says that the window is over: what was learnt may serve the next one.
///  3. `forget()` says that vectors have another shape from now on.
///  4. What it answers follows from what it is told.
class Acceleration {
 public:
  virtual ~Acceleration() = default;
  virtual Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& made,
                               const Eigen::VectorXd& weights) = 0;
  virtual void closed(bool converged) = 0;
  virtual void forget() = 0;
};

/// One relaxation factor for all numbers, from the last two residuals r = x~ - x:
///
///     w <- -w r_k . (r_k+1 - r_k) / |r_k+1 - r_k|^2,   x <- x + w r
///
/// Reference: Irons and Tuck (1969).
class Aitken final : public Acceleration {
 public:
  explicit Aitken(double relaxation) : first_(relaxation), factor_(relaxation) {}
  Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& made, const Eigen::VectorXd& weights) override;
  void closed(bool converged) override;
  void forget() override { closed(false); }

 private:
  double first_;
  double factor_;
  Eigen::VectorXd residual_;  ///< weighted, of the pass before; empty in a new window
};

/// Which differences of passes quasi-Newton iterations look at.
struct QuasiNewtonSpec {
  int memory = 0;           ///< differences of this window, at most; 0: all
  int reused_windows = 0;   ///< whose differences serve as well
  double relaxation = 1.0;  ///< of what differences do not explain
  double first = 1.0;       ///< relaxation while there are no differences
  double filter = 1e-3;     ///< a difference that the newer ones explain but for this share is left out (QR2)
};

/// The residual as a linear function of the iterate, known from differences of passes:
///
///     r = x~ - x;  V = [differences of r], W = [differences of x~], newest first
///     a = argmin |V a + r|  with weights, after columns were filtered by QR
///     x <- x + (W - V) a + relaxation (r + V a)
///
/// With relaxation 1 and differences of earlier windows this is IQN-ILS, with those of this window Anderson's method.
/// References: Anderson (1965); Degroote, Bathe and Vierendeels (2009); filter QR2: Haelterman et al. (2016).
class QuasiNewton final : public Acceleration {
 public:
  explicit QuasiNewton(const QuasiNewtonSpec& spec) : spec_(spec) {}
  Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& made, const Eigen::VectorXd& weights) override;
  void closed(bool converged) override;
  void forget() override;

  /// A difference of two passes that were made for it: of iterates and of what came of them.
  void learn(const Eigen::VectorXd& x, const Eigen::VectorXd& made);
  /// The same, known without passes: it stays until `forget`, as the oldest one.
  void know(const Eigen::VectorXd& x, const Eigen::VectorXd& made);
  /// Differences that are known, of this window and of those before.
  std::size_t known() const;

 private:
  struct Difference {
    Eigen::VectorXd residual;  ///< column of V
    Eigen::VectorXd made;      ///< column of W
  };
  using Window = std::deque<Difference>;  ///< newest first

  std::vector<const Difference*> candidates() const;
  static std::vector<const Difference*> filtered(std::vector<const Difference*> all, const Eigen::VectorXd& weights,
                                                 double share);

  QuasiNewtonSpec spec_;
  Window window_;
  std::deque<Window> earlier_;  ///< newest first
  Window known_;
  Eigen::VectorXd residual_;  ///< of the pass before; empty in a new window
  Eigen::VectorXd made_;
};

}  // namespace counterpoint
