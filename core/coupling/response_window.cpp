#include "coupling/response_window.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/network.hpp"
#include "linear/decompositions.hpp"

namespace counterpoint {

namespace {

constexpr std::size_t most_windows = 60;  ///< to which estimates are fitted
constexpr std::size_t fewest_rows = 3;    ///< of least squares
constexpr double forgetting = 0.97;       ///< weight of a window over that of the next
constexpr double rank_tolerance = 1e-9;
constexpr double memory = 0.8;  ///< of the mean errors, per window

Eigen::VectorXd values_of(const std::vector<InterfaceSignal>& interface) {
  Eigen::VectorXd now(static_cast<Eigen::Index>(interface.size()));
  for (std::size_t k = 0; k < interface.size(); ++k)
    now[static_cast<Eigen::Index>(k)] = interface[k].now->value(interface[k].now->end() - 1)[interface[k].column];
  return now;
}

}  // namespace

std::vector<double> ResponseEstimate::known(const PastWindows& past, std::size_t next) const {
  std::vector<double> row;
  const auto add = [&](const std::vector<int>& signals, const Eigen::VectorXd& sample) {
    for (const int k : signals) row.push_back(sample[k] / past.sizes[k]);
  };
  add(inputs_, past.published[next - 1]);
  for (std::size_t back = 1; back <= static_cast<std::size_t>(order_); ++back) {
    add(outputs_, past.published[next - back]);
    if (back == static_cast<std::size_t>(order_) && order_ > 1) break;
    add(inputs_, past.foreseen[next - back]);
    add(inputs_, past.published[next - back - 1]);
  }
  return row;
}

void ResponseEstimate::fit(const PastWindows& past) {
  const auto first = static_cast<std::size_t>(order_) + 1;
  if (past.published.size() < first + fewest_rows) return;
  const auto rows = static_cast<Eigen::Index>(past.published.size() - first);
  const auto inputs = static_cast<Eigen::Index>(inputs_.size());
  Eigen::MatrixXd regressors, values(rows, static_cast<Eigen::Index>(outputs_.size()));
  for (Eigen::Index k = 0; k < rows; ++k) {
    const std::size_t next = first + static_cast<std::size_t>(k);
    const double weight = std::pow(forgetting, static_cast<double>(rows - 1 - k));
    const std::vector<double> row = known(past, next);
    if (k == 0) regressors.resize(rows, inputs + static_cast<Eigen::Index>(row.size()));
    for (Eigen::Index j = 0; j < inputs; ++j) {
      const int signal = inputs_[static_cast<std::size_t>(j)];
      regressors(k, j) = weight * past.foreseen[next][signal] / past.sizes[signal];
    }
    for (std::size_t j = 0; j < row.size(); ++j) regressors(k, inputs + static_cast<Eigen::Index>(j)) = weight * row[j];
    for (std::size_t j = 0; j < outputs_.size(); ++j) {
      const int signal = outputs_[j];
      values(k, static_cast<Eigen::Index>(j)) = weight * past.published[next][signal] / past.sizes[signal];
    }
  }
  coefficients_ = linear::smallest_least_squares(regressors, values, rank_tolerance);
}

void ResponseEstimate::add_to(const PastWindows& past, Eigen::MatrixXd& matrix, Eigen::VectorXd& right) const {
  const auto inputs = static_cast<Eigen::Index>(inputs_.size());
  const std::vector<double> row = known(past, past.published.size());
  const Eigen::Map<const Eigen::VectorXd> numbers(row.data(), static_cast<Eigen::Index>(row.size()));
  for (std::size_t j = 0; j < outputs_.size(); ++j) {
    const auto column = coefficients_.col(static_cast<Eigen::Index>(j));
    right[outputs_[j]] = column.tail(numbers.size()).dot(numbers);
    for (Eigen::Index k = 0; k < inputs; ++k) matrix(outputs_[j], inputs_[static_cast<std::size_t>(k)]) -= column[k];
  }
}

void ResponseWindow::join(const Network& network) { network_ = &network; }

double ResponseWindow::end_after(double /*from*/) { return start_ + (count_ += 1.0) * length_; }

/// One estimate for each participant with signals; what it reads of others are its inputs.
void ResponseWindow::begin(const std::vector<InterfaceSignal>& interface) {
  for (std::size_t i = 0; i < network_->participants.size(); ++i) {
    std::vector<int> outputs, inputs;
    for (std::size_t k = 0; k < interface.size(); ++k) {
      const int signal = static_cast<int>(k);
      if (interface[k].source == static_cast<int>(i)) outputs.push_back(signal);
      const std::vector<Connection>& all = network_->participants[i].inputs->connections();
      const bool reads = std::any_of(all.begin(), all.end(), [&](const Connection& c) {
        const int column = interface[k].column - c.samples.column;
        return !c.watches && c.source == interface[k].source && column >= 0 && column < c.samples.width;
      });
      if (reads) inputs.push_back(signal);
    }
    if (!outputs.empty()) estimates_.emplace_back(std::move(outputs), std::move(inputs), order_);
  }
  remember(values_of(interface), values_of(interface));
}

void ResponseWindow::remember(Eigen::VectorXd now, Eigen::VectorXd foreseen) {
  const Eigen::VectorXd sizes = now.cwiseAbs().cwiseMax(foreseen.cwiseAbs());
  past_.sizes = past_.published.empty() ? sizes : past_.sizes.cwiseMax(sizes).eval();
  past_.sizes = past_.sizes.unaryExpr([](double size) { return size > 0.0 ? size : 1.0; }).eval();
  past_.published.push_back(std::move(now));
  past_.foreseen.push_back(std::move(foreseen));
  if (past_.published.size() <= most_windows) return;
  past_.published.pop_front();
  past_.foreseen.pop_front();
}

/// Held in the first windows: lines would multiply what a strong coupling does wrong there.
Eigen::VectorXd ResponseWindow::line() const {
  const std::deque<Eigen::VectorXd>& all = past_.published;
  if (all.size() < static_cast<std::size_t>(order_) + 1 + fewest_rows) return all.back();
  return 2.0 * all.back() - all[all.size() - 2];
}

/// Empty where it is not known.
Eigen::VectorXd ResponseWindow::estimate() const {
  const Eigen::Index n = past_.sizes.size();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
  for (const ResponseEstimate& one : estimates_) {
    if (!one.is_ready()) return {};
    one.add_to(past_, matrix, right);
  }
  const Eigen::VectorXd found = linear::solve(matrix, right).cwiseProduct(past_.sizes);
  return found.allFinite() ? found : Eigen::VectorXd();
}

void ResponseWindow::predict(double end, const std::vector<InterfaceSignal>& interface, std::vector<History>& read) {
  if (past_.published.empty()) begin(interface);
  straight_ = line();
  estimated_ = estimate();
  guess_ = estimated_.size() > 0 && error_of_estimates_ < error_of_lines_ ? estimated_ : straight_;
  foresee(end, interface, read);
}

/// What consumers read: all that was published, and one sample more.
void ResponseWindow::foresee(double end, const std::vector<InterfaceSignal>& interface,
                             std::vector<History>& read) const {
  for (std::size_t i = 0; i < read.size(); ++i) {
    read[i] = network_->participants[i].history;
    History& history = read[i];
    history.make_room(history.begin(), 1);
    const double* last = history.value(history.end() - 1);
    const std::vector<double> values(last, last + history.width()), slopes(history.width());
    history.append(end, values.data(), slopes.data());
    history.commit();
  }
  for (std::size_t k = 0; k < interface.size(); ++k) {
    History& history = read[interface[k].source];
    const std::size_t newest = history.end() - 1;
    const double rise = guess_[static_cast<Eigen::Index>(k)] - history.value(newest)[interface[k].column];
    history.shift(newest, interface[k].column, rise, rise / (end - history.time(newest - 1)));
  }
}

double ResponseWindow::miss(const Eigen::VectorXd& guess, const Eigen::VectorXd& now) const {
  return (guess - now).cwiseQuotient(past_.sizes).norm();
}

bool ResponseWindow::again(int /*pass*/, double end, const std::vector<InterfaceSignal>& interface) {
  const Eigen::VectorXd now = values_of(interface);
  remember(now, guess_);
  error_of_lines_ = memory * error_of_lines_ + (1.0 - memory) * miss(straight_, now);
  error_of_estimates_ =
      estimated_.size() == 0 ? error_of_lines_ : memory * error_of_estimates_ + (1.0 - memory) * miss(estimated_, now);
  const double by = miss(guess_, now);
  if (by > tally_.largest_change) {
    tally_.largest_change = by;
    tally_.time_of_largest = end;
  }
  for (ResponseEstimate& one : estimates_) one.fit(past_);
  return false;
}

void ResponseWindow::report(WindowTally& tally) const {
  tally.largest_change = tally_.largest_change;
  tally.time_of_largest = tally_.time_of_largest;
}

}  // namespace counterpoint
