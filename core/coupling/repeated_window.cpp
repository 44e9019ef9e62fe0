#include "coupling/repeated_window.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace counterpoint {

namespace {

constexpr int most_halvings = 12;
constexpr int most_shapes = 4;         ///< powers of time that a signal is moved by to learn from it
constexpr double trial_share = 1e-4;   ///< of the size of a signal, by which it is moved
constexpr int many_repeats = 4;        ///< of a window: what was learnt before is out of date
constexpr double small_change = 1e-3;  ///< repeats that grow and stay below have converged as well as they can

std::unique_ptr<Acceleration> make_acceleration(const WindowSpec& spec) {
  using Method = WindowSpec::Method;
  QuasiNewtonSpec quasi;
  quasi.first = spec.relaxation;
  switch (spec.method) {
    case Method::aitken:
      return std::make_unique<Aitken>(spec.relaxation);
    case Method::anderson:
      quasi.memory = 10;
      quasi.relaxation = spec.relaxation;
      return std::make_unique<QuasiNewton>(quasi);
    case Method::iqn_ils:
      quasi.reused_windows = spec.reused_windows;
      return std::make_unique<QuasiNewton>(quasi);
    case Method::newton:
      quasi.reused_windows = spec.reused_windows;
      return std::make_unique<QuasiNewton>(quasi);
    default:
      return nullptr;
  }
}

double last_size(const InterfaceSignal& signal) {
  return std::abs(signal.now->value(signal.now->end() - 1)[signal.column]);
}

}  // namespace

RepeatedWindow::RepeatedWindow(const WindowSpec& spec, double start, double tolerance)
    : spec_(spec),
      start_(start),
      time_tolerance_(tolerance),
      waveform_(tolerance),
      acceleration_(make_acceleration(spec)),
      learning_(spec.method == WindowSpec::Method::newton ? static_cast<QuasiNewton*>(acceleration_.get()) : nullptr) {}

/// A window that was cut leaves pieces up to where it would have ended; the next one has half as many.
double RepeatedWindow::end_after(double from) {
  from_ = from;
  pass_ = repeats_ = 0;
  refine(false);
  double whole = start_ + count_ * spec_.length;
  if (count_ == 0.0 || whole <= from + time_tolerance_) {
    whole = start_ + (count_ += 1.0) * spec_.length;
    halvings_ = std::max(0, halvings_ - 1);
  }
  end_ = halvings_ == 0 ? whole : std::min(whole, from + piece(halvings_));
  if (end_ > whole - time_tolerance_) end_ = whole;
  return end_;
}

const CompoundMember* RepeatedWindow::member(int participant) const {
  const auto is_it = [participant](const CompoundMember& m) { return m.participant == participant; };
  const auto found = std::find_if(spec_.fast.begin(), spec_.fast.end(), is_it);
  return found == spec_.fast.end() ? nullptr : &*found;
}

void RepeatedWindow::refine(bool refines) {
  refines_ = refines;
  for (const CompoundMember& m : spec_.fast) m.pace->whole = !refines;
}

/// The first one is repeated in any case, and so are all but the last where their number is given.
bool RepeatedWindow::is_provisional() const { return pass_ == 0 || (spec_.tolerance == 0.0 && pass_ < spec_.repeats); }

double RepeatedWindow::end_of(int participant, double end) const {
  const CompoundMember* fast = refines_ ? nullptr : member(participant);
  if (fast == nullptr || fast->share >= 1.0) return end;
  const bool is_shorter = end - from_ < spec_.length - time_tolerance_;
  if (!is_shorter || fast->step == 0.0) return from_ + fast->share * (end - from_);
  return from_ + fast->step > end - time_tolerance_ ? end : from_ + fast->step;
}

double RepeatedWindow::piece(int halvings) const {
  const double length = std::ldexp(spec_.length, -halvings);
  return spec_.unit > 0.0 ? spec_.unit * std::max(1.0, std::round(length / spec_.unit)) : length;
}

void RepeatedWindow::opened(const std::vector<InterfaceSignal>& interface) {
  waveform_.open(interface);
  if (names_.size() != interface.size()) {
    for (const InterfaceSignal& signal : interface) names_.emplace_back(signal.source, signal.column);
    sizes_.resize(interface.size());
  }
  for (std::size_t k = 0; k < interface.size(); ++k) sizes_[k] = std::max(sizes_[k], last_size(interface[k]));
}

bool RepeatedWindow::again(int /*pass*/, double end, const std::vector<InterfaceSignal>& interface) {
  if (refines_) return false;
  end_ = end;
  shift_.resize(0);
  if (is_first_pass(interface)) return true;
  ++pass_;
  if (trials_ > 0 || trial_.size() > 0) {
    prepare_next(interface);
    return true;
  }
  ++repeats_;
  changes_.push_back(measure(interface));
  const bool converged = spec_.tolerance > 0.0 && changes_.back() <= spec_.tolerance;
  const bool hopeless = spec_.tolerance > 0.0 && !std::isfinite(changes_.back());
  if (converged || hopeless || repeats_ >= spec_.repeats) {
    if (settle(converged, end)) return true;
    accept(converged);
    refine(!spec_.fast.empty());
    return refines_;
  }
  prepare_next(interface);
  return true;
}

bool RepeatedWindow::is_first_pass(const std::vector<InterfaceSignal>& interface) {
  if (pass_ > 0) return false;
  pass_ = 1;
  changes_.clear();
  if (!acceleration_) return true;
  waveform_.take_times(interface);
  if (waveform_.shape() != shape_) acceleration_->forget();
  shape_ = waveform_.shape();
  trial_.resize(0);
  trials_ = 0;
  return true;
}

double RepeatedWindow::measure(const std::vector<InterfaceSignal>& interface) {
  double largest = 0.0;
  worst_ = -1;
  if (present_sizes_.size() != sizes_.size()) present_sizes_.resize(sizes_.size());
  for (std::size_t k = 0; k < interface.size(); ++k) {
    const auto [largest_here, change] = change_of(interface[k], waveform_.first(k), time_tolerance_);
    const double size = present_sizes_[k] = std::max(sizes_[k], largest_here);
    if (change == 0.0) continue;
    const double relative = size > 0.0 ? change / size : 1.0;
    if (relative <= largest) continue;
    largest = relative;
    worst_ = static_cast<int>(k);
  }
  return largest;
}

/// The iterate that the next pass reads, where it is not what this one has published.
void RepeatedWindow::prepare_next(const std::vector<InterfaceSignal>& interface) {
  if (!acceleration_) return;
  const Eigen::VectorXd x = waveform_.values(interface, Waveform::Pass::before);
  const Eigen::VectorXd made = waveform_.values(interface, Waveform::Pass::now);
  if (learning_ != nullptr && learns(x, made)) return;
  const bool learnt = base_made_.size() > 0;
  const Eigen::VectorXd& from = learnt ? base_x_ : x;
  const Eigen::VectorXd next = acceleration_->next(from, learnt ? base_made_ : made, waveform_.weights(present_sizes_));
  base_made_.resize(0);
  shift_ = next - made;
}

/// Newton's method: each signal is moved by powers of time. What comes of it is known from derivatives or measured, one
/// pass for each. True while it is.
bool RepeatedWindow::learns(const Eigen::VectorXd& x, const Eigen::VectorXd& made) {
  if (spec_.derivatives.is_given()) {
    learn_from_derivatives();
    return false;
  }
  if (trial_.size() > 0) {
    learning_->learn(trial_, made - base_made_);
    trial_.resize(0);
    if (trials_ == 0) return false;
  } else if (repeats_ > 1 || (learning_->known() > 0 && (!slow_ || since_learning_ < spec_.reused_windows))) {
    return false;
  } else {
    learning_->forget();
    since_learning_ = 0;
    base_x_ = x;
    base_made_ = made;
    trials_ = trials().size();
    if (trials_ == 0) return false;
  }
  trial_ = vector_of(trials()[--trials_]);
  shift_ = base_x_ + trial_ - made;
  return true;
}

/// Once for all windows of a shape.
void RepeatedWindow::learn_from_derivatives() {
  if (learning_->known() > 0) return;
  if (!response_) response_.emplace(spec_.derivatives, names_);
  const std::vector<ModelResponse::Trial> all = trials();
  const std::vector<Eigen::VectorXd> made = response_->of(all, waveform_);
  for (std::size_t k = 0; k < all.size(); ++k) learning_->know(vector_of(all[k]), made[k]);
}

std::vector<ModelResponse::Trial> RepeatedWindow::trials() const {
  std::vector<ModelResponse::Trial> all;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const double size = trial_share * (present_sizes_[k] > 0.0 ? present_sizes_[k] : 1.0);
    const int shapes = static_cast<int>(std::min<Eigen::Index>(most_shapes, waveform_.count(k)));
    for (int power = 1; power <= shapes; ++power) all.push_back({k, power, size});
  }
  return all;
}

Eigen::VectorXd RepeatedWindow::vector_of(const ModelResponse::Trial& trial) const {
  const auto& [k, power, size] = trial;
  const Eigen::Index count = waveform_.count(k);
  Eigen::VectorXd moved = Eigen::VectorXd::Zero(waveform_.size());
  for (Eigen::Index j = 0; j < count; ++j) {
    const double s = waveform_.place(k, j);
    moved[waveform_.begin(k) + j] = size * std::pow(s, power);
    if (shape_[k] > count)
      moved[waveform_.begin(k) + count + j] = size * power * std::pow(s, power - 1) / static_cast<double>(count);
  }
  return moved;
}

void RepeatedWindow::propose(const std::vector<InterfaceSignal>& interface, std::vector<History>& read) {
  if (shift_.size() > 0 && pass_ > 0) waveform_.shift(shift_, interface, read);
}

/// Whether the window is begun again.
bool RepeatedWindow::settle(bool converged, double end) {
  using Failing = WindowSpec::Failing;
  const bool fails = spec_.tolerance > 0.0 ? !converged : !std::isfinite(changes_.back());
  if (fails && spec_.failing == Failing::cut && cut(end)) return true;
  note(end);
  if (fails && spec_.failing != Failing::go_on) throw WindowFailure("a window did not converge");
  return false;
}

void RepeatedWindow::note(double end) {
  const double last = changes_.back();
  const bool asks = spec_.tolerance > 0.0;
  const bool grows = changes_.size() > 1 ? last > changes_.front() && last > small_change
                                         : count_ > 1.0 && last > 1.0;  // the first window knows no sizes
  const bool fails = asks ? !(last <= spec_.tolerance) : grows;
  if (fails) ++(asks ? tally_.not_converged : tally_.growing);
  const bool larger = !(last <= tally_.largest_change);
  if (larger) {
    tally_.largest_change = last;
    tally_.time_of_largest = end;
  }
  if (fails && (larger || tally_.changes.empty())) {
    tally_.changes = changes_;
    if (worst_ >= 0) std::tie(tally_.participant, tally_.column) = names_[worst_];
  }
}

/// Half the window, or less; false when it is as short as it may be.
bool RepeatedWindow::cut(double end) {
  const double length = end - from_;
  int halvings = halvings_;
  while (piece(halvings) >= length - time_tolerance_) {
    if (++halvings > most_halvings) return false;
  }
  halvings_ = halvings;
  end_ = from_ + piece(halvings);
  pass_ = repeats_ = 0;
  refine(false);
  ++tally_.cuts;
  if (acceleration_) acceleration_->forget();
  return true;
}

bool RepeatedWindow::pass_failed(int /*pass*/) {
  shift_.resize(0);
  return spec_.failing == WindowSpec::Failing::cut && cut(end_);
}

void RepeatedWindow::accept(bool converged) {
  sizes_.swap(present_sizes_);
  slow_ = !converged || repeats_ >= many_repeats;
  ++since_learning_;
  if (acceleration_) acceleration_->closed(converged || spec_.tolerance == 0.0);
}

WindowTally RepeatedWindow::merged(const WindowTally& tally) const {
  WindowTally all = tally_;
  all.windows = tally.windows;
  all.passes = tally.passes;
  return all;
}

}  // namespace counterpoint
