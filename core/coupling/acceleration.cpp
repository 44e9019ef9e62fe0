#include "coupling/acceleration.hpp"

#include <algorithm>
#include <cmath>

#include "linear/decompositions.hpp"

namespace counterpoint {

namespace {

constexpr double largest_factor = 2.0;  ///< of Aitken's relaxation at the beginning of a window

Eigen::MatrixXd matrix_of(const std::vector<Eigen::VectorXd>& columns) {
  Eigen::MatrixXd made(columns.front().size(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) made.col(static_cast<Eigen::Index>(k)) = columns[k];
  return made;
}

}  // namespace

Eigen::VectorXd Aitken::next(const Eigen::VectorXd& x, const Eigen::VectorXd& made, const Eigen::VectorXd& weights) {
  const Eigen::VectorXd residual = (made - x).cwiseProduct(weights);
  if (residual_.size() > 0) {
    const Eigen::VectorXd difference = residual - residual_;
    const double square = difference.squaredNorm();
    if (square > 0.0) factor_ *= -residual_.dot(difference) / square;
  }
  residual_ = residual;
  return x + factor_ * (made - x);
}

void Aitken::closed(bool converged) {
  residual_.resize(0);
  const bool usable = converged && std::abs(factor_) > 1e-3;
  factor_ = usable ? std::copysign(std::min(std::abs(factor_), largest_factor), factor_) : first_;
}

Eigen::VectorXd QuasiNewton::next(const Eigen::VectorXd& x, const Eigen::VectorXd& made,
                                  const Eigen::VectorXd& weights) {
  const Eigen::VectorXd residual = made - x;
  if (residual_.size() > 0) window_.push_front({residual - residual_, made - made_});
  if (spec_.memory > 0 && window_.size() > static_cast<std::size_t>(spec_.memory)) window_.pop_back();
  residual_ = residual;
  made_ = made;
  const std::vector<const Difference*> used = filtered(candidates(), weights, spec_.filter);
  if (used.empty()) return x + spec_.first * residual;
  std::vector<Eigen::VectorXd> columns, results;
  for (const Difference* d : used) {
    columns.push_back(d->residual.cwiseProduct(weights));
    results.push_back(d->made);
  }
  const Eigen::MatrixXd v = matrix_of(columns), w = matrix_of(results);
  const Eigen::VectorXd weighted = -residual.cwiseProduct(weights);
  const Eigen::VectorXd a = linear::least_squares(v, weighted);
  const Eigen::VectorXd left = residual + (v * a).cwiseQuotient(weights);  // what the differences do not explain
  return x + w * a - (left - residual) + spec_.relaxation * left;
}

/// No more columns than numbers, the newest first.
std::vector<const QuasiNewton::Difference*> QuasiNewton::candidates() const {
  std::vector<const Difference*> all;
  for (const Difference& d : window_) all.push_back(&d);
  for (const Window& window : earlier_) {
    for (const Difference& d : window) all.push_back(&d);
  }
  for (const Difference& d : known_) all.push_back(&d);
  const auto most = static_cast<std::size_t>(residual_.size());
  if (all.size() > most) all.resize(most);
  return all;
}

/// Those of which something is left when the newer ones are taken away.
std::vector<const QuasiNewton::Difference*> QuasiNewton::filtered(std::vector<const Difference*> all,
                                                                  const Eigen::VectorXd& weights, double share) {
  if (all.empty()) return all;
  std::vector<Eigen::VectorXd> columns;
  for (const Difference* d : all) columns.push_back(d->residual.cwiseProduct(weights));
  const Eigen::MatrixXd v = matrix_of(columns);
  const Eigen::VectorXd left = linear::remaining_sizes(v);
  std::vector<const Difference*> kept;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto j = static_cast<Eigen::Index>(k);
    const double size = v.col(j).norm();
    if (size > 0.0 && std::abs(left[j]) > share * size) kept.push_back(all[k]);
  }
  return kept;
}

void QuasiNewton::learn(const Eigen::VectorXd& x, const Eigen::VectorXd& made) { window_.push_front({made - x, made}); }
void QuasiNewton::know(const Eigen::VectorXd& x, const Eigen::VectorXd& made) { known_.push_back({made - x, made}); }

std::size_t QuasiNewton::known() const {
  std::size_t count = window_.size() + known_.size();
  for (const Window& window : earlier_) count += window.size();
  return count;
}

void QuasiNewton::closed(bool converged) {
  residual_.resize(0);
  if (converged && spec_.reused_windows > 0 && !window_.empty()) {
    earlier_.push_front(std::move(window_));
    if (earlier_.size() > static_cast<std::size_t>(spec_.reused_windows)) earlier_.pop_back();
  }
  window_.clear();
}

void QuasiNewton::forget() {
  residual_.resize(0);
  window_.clear();
  earlier_.clear();
  known_.clear();
}

}  // namespace counterpoint
