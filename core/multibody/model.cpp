#include "multibody/model.hpp"

#include <algorithm>

namespace counterpoint::multibody {

void Model::hermite_terms(const Instant& now, const double*, const double*, double* rest, double* terms, double*) const {
  acceleration_terms(now, rest);
  std::fill_n(terms, equations(), 0.0);
}

}  // namespace counterpoint::multibody
