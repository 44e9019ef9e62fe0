#include "ode/time_resolution.hpp"

#include "coupling/failure.hpp"
#include "numbers.hpp"

namespace counterpoint {

void refuse_resolution(const char* name, double step, double t, double t_end) {
  Text text(9);
  text << name << " = " << step << " s is too small between t = " << t << " and " << t_end << " s: ";
  if (step < 1e-15 * (t_end - t)) {
    text << "it means " << (t_end - t) / step << " steps, and at most 1e15 are possible";
  } else {
    const double latest = std::max(std::abs(t), std::abs(t_end));
    text << "times there are " << std::nextafter(latest, std::numeric_limits<double>::infinity()) - latest
         << " s apart";
  }
  text << "; use a larger one";
  throw SolverFailure(text.str());
}

}  // namespace counterpoint
