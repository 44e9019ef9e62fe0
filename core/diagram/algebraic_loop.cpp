// Algebraic loops by Newton's method with a Jacobian from differences. The unknowns are the outputs of one member per
// cycle ("torn"); calling the members in order from a guess gives new values of these outputs, and the residual is
// the difference. The last solution is the first guess of the next evaluation.

#include "diagram/algebraic_loop.hpp"
#include "numbers.hpp"

#include <cmath>

#include "linear/decompositions.hpp"

namespace counterpoint::diagram {
namespace {

class AlgebraicLoopBlock final : public Block {
 public:
  AlgebraicLoopBlock(std::vector<LoopMember> members, const LoopOptions& options)
      : Block({}, {}), members_(std::move(members)), options_(options) {
    for (const LoopMember& member : members_) {
      if (member.is_torn) torn_.insert(torn_.end(), member.values.begin(), member.values.end());
    }
    const Eigen::Index n = static_cast<Eigen::Index>(torn_.size());
    guess_.resize(n);
    residual_.resize(n);
    moved_.resize(n);
    jacobian_.resize(n, n);
  }

  void output(const Context& context, int) override {
    for (std::size_t i = 0; i < torn_.size(); ++i) guess_[i] = std::isfinite(*torn_[i]) ? *torn_[i] : 0.0;
    evaluate(context, guess_, residual_);
    for (int k = 0; k < options_.iterations; ++k) {
      if (is_solved()) return;
      newton(context);
    }
    if (is_solved()) return;
    fail(context);
  }

 private:
  /// residual = members called once from `guess`, minus guess.
  void evaluate(const Context& context, const Eigen::VectorXd& guess, Eigen::VectorXd& residual) {
    for (std::size_t i = 0; i < torn_.size(); ++i) *torn_[i] = guess[i];
    for (LoopMember& member : members_) member.block->output(context, member.port);
    for (std::size_t i = 0; i < torn_.size(); ++i) residual[i] = *torn_[i] - guess[i];
  }

  bool is_solved() const {
    for (Eigen::Index i = 0; i < residual_.size(); ++i) {
      if (!(std::abs(residual_[i]) <= options_.tolerance * (1.0 + std::abs(guess_[i])))) return false;
    }
    return true;
  }

  void newton(const Context& context) {
    Eigen::VectorXd varied = guess_;
    for (Eigen::Index j = 0; j < guess_.size(); ++j) {
      const double delta = 1e-7 * (1.0 + std::abs(guess_[j]));
      varied[j] = guess_[j] + delta;
      evaluate(context, varied, moved_);
      jacobian_.col(j) = (moved_ - residual_) / delta;
      varied[j] = guess_[j];
    }
    const Eigen::VectorXd correction = linear::solve(jacobian_, -residual_);
    const double before = residual_.norm();
    // Half the correction as long as it makes things worse: kinks of saturations lead Newton astray.
    double share = 1.0;
    for (int halvings = 0; halvings < 12; ++halvings, share *= 0.5) {
      varied = guess_ + share * correction;
      evaluate(context, varied, moved_);
      if (moved_.norm() < before) break;
    }
    guess_ = varied;
    residual_ = moved_;
  }

  [[noreturn]] void fail(const Context& context) const {
    Text text(9);
    text << "the algebraic loop did not converge at t = " << context.time << " s: residual "
         << residual_.cwiseAbs().maxCoeff() << " after " << options_.iterations
         << " Newton iterations; put a memory block into it or give better initial values";
    throw SolverFailure(text.str());
  }

  std::vector<LoopMember> members_;
  LoopOptions options_;
  std::vector<double*> torn_;
  Eigen::VectorXd guess_, residual_, moved_;
  Eigen::MatrixXd jacobian_;
};

}  // namespace

std::unique_ptr<Block> make_algebraic_loop(std::vector<LoopMember> members, const LoopOptions& options) {
  return std::make_unique<AlgebraicLoopBlock>(std::move(members), options);
}

}  // namespace counterpoint::diagram
