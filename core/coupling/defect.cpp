#include "coupling/defect.hpp"

namespace counterpoint {

double Defect::rms() const {
  return tally_.count ? std::sqrt(tally_.sum_of_squares / static_cast<double>(tally_.count)) : 0.0;
}

double Defect::scale() const {
  if (tally_.count == 0) return 0.0;
  const double count = static_cast<double>(tally_.count);
  double sum = 0.0;
  for (const Spread& spread : spreads_) sum += spread.squares - spread.sum * spread.sum / count;
  return std::sqrt(std::max(sum, 0.0) / count);
}

}  // namespace counterpoint
