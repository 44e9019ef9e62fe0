#include "fmi/step_length.hpp"

#include <algorithm>

#include "coupling/failure.hpp"
#include "numbers.hpp"

namespace counterpoint::fmi {

[[gnu::noinline]] double StepLength::next(double t, double t_end) {
  const double h = t_end - t;
  if (equal && last > 0.0) {
    if (std::abs(h - last) <= 1e-6 * last) return last;
    Text text;
    text << "a step of " << h << " s after steps of " << last
         << " s; this FMU needs steps of equal length (canHandleVariableCommunicationStepSize = false): let the run "
            "end on a multiple of its step";
    throw ComponentFailure(text.str());
  }
  if (t == 0.0) return last = h;  // not rounded
  const double error = rounding(t, t_end);
  const int digits = std::clamp(static_cast<int>(std::log10(h / error)), 1, 17);
  const double typed = number_from(number_text(h, digits)).value_or(h);
  return last = std::abs(typed - h) <= error ? typed : h;
}

}  // namespace counterpoint::fmi
