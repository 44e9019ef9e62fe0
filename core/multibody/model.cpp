#include "multibody/model.hpp"

#include <algorithm>

namespace counterpoint::multibody {

void Model::jerk_terms(const Instant&, const double*, double* terms) const { std::fill_n(terms, equations(), 0.0); }

}  // namespace counterpoint::multibody
