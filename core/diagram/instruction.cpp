#include "diagram/instruction.hpp"

namespace counterpoint::diagram {

bool jumps(Operation operation) {
  switch (operation) {
    case Operation::sign:
    case Operation::floor:
    case Operation::ceiling:
    case Operation::less:
    case Operation::less_or_equal:
      return true;
    default:
      return false;
  }
}

bool switches(Operation operation) {
  return jumps(operation) || operation == Operation::absolute || operation == Operation::minimum ||
         operation == Operation::maximum;
}

void execute_function(const Instruction& i, bool decides) {
  const double* const a = i.a;
  const double* const b = i.b;
  double& to = *i.to;
  switch (i.operation) {
    case Operation::sine:
      to = std::sin(*a);
      break;
    case Operation::cosine:
      to = std::cos(*a);
      break;
    case Operation::tangent:
      to = std::tan(*a);
      break;
    case Operation::arc_sine:
      to = std::asin(*a);
      break;
    case Operation::arc_cosine:
      to = std::acos(*a);
      break;
    case Operation::arc_tangent:
      to = std::atan(*a);
      break;
    case Operation::arc_tangent_2:
      to = std::atan2(*a, *b);
      break;
    case Operation::hyperbolic_sine:
      to = std::sinh(*a);
      break;
    case Operation::hyperbolic_cosine:
      to = std::cosh(*a);
      break;
    case Operation::hyperbolic_tangent:
      to = std::tanh(*a);
      break;
    case Operation::exponential:
      to = std::exp(*a);
      break;
    case Operation::logarithm:
      to = std::log(*a);
      break;
    case Operation::logarithm_10:
      to = std::log10(*a);
      break;
    case Operation::hypotenuse:
      to = std::hypot(*a, *b);
      break;
    case Operation::power:
      to = std::pow(*a, *b);
      break;
    case Operation::absolute:
      to = std::abs(*a);
      break;
    case Operation::minimum:
      to = std::min(*a, *b);
      break;
    case Operation::maximum:
      to = std::max(*a, *b);
      break;
    case Operation::sign:
      if (decides) to = *a > 0.0 ? 1.0 : *a < 0.0 ? -1.0 : *a;
      break;
    case Operation::floor:
      if (decides) to = std::floor(*a);
      break;
    case Operation::ceiling:
      if (decides) to = std::ceil(*a);
      break;
    case Operation::less:
      if (decides) to = *a < *b ? 1.0 : 0.0;
      break;
    case Operation::less_or_equal:
      if (decides) to = *a <= *b ? 1.0 : 0.0;
      break;
    case Operation::reached:
      to = *a <= *b ? 1.0 : 0.0;
      break;
    case Operation::equal:
      to = *a == *b ? 1.0 : 0.0;
      break;
    case Operation::not_equal:
      to = *a != *b ? 1.0 : 0.0;
      break;
    case Operation::both:
      to = *a != 0.0 && *b != 0.0 ? 1.0 : 0.0;
      break;
    case Operation::either:
      to = *a != 0.0 || *b != 0.0 ? 1.0 : 0.0;
      break;
    case Operation::inverse:
      to = *a == 0.0 ? 1.0 : 0.0;
      break;
    default:
      break;  // done by execute
  }
}

}  // namespace counterpoint::diagram
