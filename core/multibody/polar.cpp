#include "multibody/polar.hpp"

#include <algorithm>

#include "check.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

Polar::Value Polar::at(double angle_of_attack) const {
  const double held = std::clamp(angle_of_attack, angle.front(), angle.back());
  const std::size_t k =
      static_cast<std::size_t>(std::upper_bound(angle.begin() + 1, angle.end() - 1, held) - angle.begin());
  const double width = angle[k] - angle[k - 1], part = (held - angle[k - 1]) / width;
  const auto between = [k, part](const std::vector<double>& y) { return y[k - 1] + part * (y[k] - y[k - 1]); };
  const double slope = held == angle_of_attack ? (lift[k] - lift[k - 1]) / width : 0.0;
  return {between(lift), between(drag), moment.empty() ? 0.0 : between(moment), slope};
}

void check_polar(const std::string& where, const Polar& polar) {
  const std::size_t n = polar.angle.size(), lifts = polar.lift.size(), drags = polar.drag.size(),
                    moments = polar.moment.size();
  if (n < 2 || lifts != n || drags != n || (moments != n && moments != 0)) {
    throw UserError(
        text("%s: polar: %zu angles, %zu lift, %zu drag and %zu moment coefficients; expected "
             "at least two angles, as many of lift and drag, and as many moments or none",
             where.c_str(), n, lifts, drags, moments));
  }
  for (std::size_t k = 1; k < n; ++k) {
    if (polar.angle[k] > polar.angle[k - 1]) continue;
    throw UserError(text("%s: polar: angle %zu is %g rad after %g rad; angles must rise", where.c_str(), k,
                         polar.angle[k], polar.angle[k - 1]));
  }
}

}  // namespace counterpoint::multibody
