#include "fmi/step_length.hpp"

#include "coupling/failure.hpp"
#include "numbers.hpp"

namespace counterpoint::fmi {

[[gnu::noinline]] void StepLength::change(double t, double t_end) {
  const double h = t_end - t;
  if (equal && last > 0.0) {
    if (std::abs(h - last) <= 1e-6 * last) return;
    Text text;
    text << "a step of " << h << " s after steps of " << last
         << " s; this FMU needs steps of equal length (canHandleVariableCommunicationStepSize = false): end the run "
            "at a multiple of its step";
    throw ComponentFailure(text.str());
  }
  last = h;
  if (t == 0.0) return;  // not rounded
  const double error = rounding(t, t_end);
  const int digits = std::clamp(static_cast<int>(std::log10(h / error)), 1, 17);
  const double typed = number_from(number_text(h, digits)).value_or(h);
  if (std::abs(typed - h) <= error) last = typed;
}

[[gnu::noinline]] double StepLength::number_below(double t) {
  return std::nextafter(t, -std::numeric_limits<double>::infinity());
}

}  // namespace counterpoint::fmi
