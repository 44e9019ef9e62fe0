#include "ode/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coupling/subsystem.hpp"
#include "numbers.hpp"
#include "ode/time_resolution.hpp"

namespace counterpoint {

namespace {

double smallest_step(double t) { return 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-300); }

}  // namespace

void StepControl::start(const std::vector<double>& x, int order) {
  const bool is_zero = std::all_of(x.begin(), x.end(), [](double value) { return value == 0.0; });
  const double guess = std::pow(options_.relative_tolerance, 1.0 / order) * 1e-1 * (is_zero ? 0.1 : 1.0);
  set_limited(options_.first_step > 0.0 ? options_.first_step : guess);
}

void StepControl::start(const double* x, const double* slope, int states) {
  double size = 0.0, speed = 0.0;
  for (int i = 0; i < states; ++i) {
    const double scale = options_.absolute_tolerance + options_.relative_tolerance * std::abs(x[i]);
    size = std::max(size, std::abs(x[i]) / scale);
    speed = std::max(speed, std::abs(slope[i]) / scale);
  }
  const double guess = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
  set_limited(options_.first_step > 0.0 ? options_.first_step : guess);
}

void StepControl::set_limited(double step) {
  preferred_step_ = options_.max_step > 0.0 ? std::min(step, options_.max_step) : step;
}

double StepControl::step(Method& method, const Attempt& from, Slopes& f, const Notice& notice) {
  const double t = from.t;
  method.begin();
  check_resolution("max_step", options_.max_step, t, from.limit);
  preferred_step_ = std::max(preferred_step_, smallest_step(t));  // one that does not move time would never end
  // A remainder that is nearly nothing is taken along.
  double end = t + preferred_step_ * (1.0 + 1e-9) >= from.limit ? from.limit : t + preferred_step_;
  const double asked = end - t;
  double growth = 5.0;
  for (int attempt = 0;; ++attempt) {
    const double h = end - t;
    if (notice) notice(end, attempt);
    const double error = method.attempt(t, end, from.x, from.first, from.x_end, f);
    const double factor =
        std::isfinite(error)
            ? std::clamp(0.9 * std::pow(std::max(error, 1e-10), -1.0 / method.control_order()), 0.2, growth)
            : 0.1;
    if (error <= 1.0) {
      // A step cut short from outside says nothing against the step that was preferred.
      set_limited(h < asked || asked >= preferred_step_ ? h * factor : std::max(preferred_step_, h * factor));
      return end;
    }
    growth = 1.0;
    end = t + h * std::min(factor, 0.9);
    // Only a step that the error made small is too small; others may end as near as they like.
    if (end - t < smallest_step(t)) too_small(t, end - t);
  }
}

void StepControl::too_small(double t, double h) {
  Text text(9);
  text << "the step became " << h << " s at t = " << t
       << " s; the model may be stiff (try ode23s), discontinuous where no event is found, or growing without bound";
  throw SolverFailure(text.str());
}

}  // namespace counterpoint
