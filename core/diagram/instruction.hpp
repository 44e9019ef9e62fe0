#pragma once

#include <algorithm>
#include <cmath>

namespace counterpoint::diagram {

/// What a node of an expression, or an instruction made from it, does with its operands.
enum class Operation : unsigned char {
  constant, variable, copy,
  add, subtract, multiply, divide, negate,
  multiply_add,       ///< a b + c, rounded twice
  multiply_subtract,  ///< a b - c
  subtract_product,   ///< c - a b
  sine, cosine, tangent, arc_sine, arc_cosine, arc_tangent, arc_tangent_2, hyperbolic_sine, hyperbolic_cosine,
  hyperbolic_tangent, exponential, logarithm, logarithm_10, square_root, hypotenuse, power,
  absolute, minimum, maximum,                    ///< continuous, with a kink
  sign, floor, ceiling, less, less_or_equal,     ///< with a jump: held between accepted times
  reached, equal, not_equal, both, either, inverse, select
};

/// Whether the operation has a kink or a jump, at a place that can be located.
bool switches(Operation operation);
/// Whether it jumps: its value is held while a step is tried.
bool jumps(Operation operation);

/// One operation on scalars, with the addresses of what it reads and writes.
struct Instruction {
  Operation operation;
  double* to;
  const double* a;
  const double* b;
  const double* c;
};

/// Jumps change sides only when `decides`.
inline void execute(const Instruction& i, bool decides) {
  const double* const a = i.a;
  const double* const b = i.b;
  const double* const c = i.c;
  double& to = *i.to;
  switch (i.operation) {
    case Operation::constant:
    case Operation::variable:
    case Operation::copy: to = *a; break;
    case Operation::add: to = *a + *b; break;
    case Operation::subtract: to = *a - *b; break;
    case Operation::multiply: to = *a * *b; break;
    case Operation::divide: to = *a / *b; break;
    case Operation::negate: to = -*a; break;
    case Operation::multiply_add: to = *a * *b + *c; break;
    case Operation::multiply_subtract: to = *a * *b - *c; break;
    case Operation::subtract_product: to = *c - *a * *b; break;
    case Operation::sine: to = std::sin(*a); break;
    case Operation::cosine: to = std::cos(*a); break;
    case Operation::tangent: to = std::tan(*a); break;
    case Operation::arc_sine: to = std::asin(*a); break;
    case Operation::arc_cosine: to = std::acos(*a); break;
    case Operation::arc_tangent: to = std::atan(*a); break;
    case Operation::arc_tangent_2: to = std::atan2(*a, *b); break;
    case Operation::hyperbolic_sine: to = std::sinh(*a); break;
    case Operation::hyperbolic_cosine: to = std::cosh(*a); break;
    case Operation::hyperbolic_tangent: to = std::tanh(*a); break;
    case Operation::exponential: to = std::exp(*a); break;
    case Operation::logarithm: to = std::log(*a); break;
    case Operation::logarithm_10: to = std::log10(*a); break;
    // A stage of the solver may look a little past the event after which this branch is not used any more;
    // what counts, at accepted times, is the true root.
    case Operation::square_root: to = std::sqrt(decides ? *a : std::max(*a, 0.0)); break;
    case Operation::hypotenuse: to = std::hypot(*a, *b); break;
    case Operation::power: to = std::pow(*a, *b); break;
    case Operation::absolute: to = std::abs(*a); break;
    case Operation::minimum: to = std::min(*a, *b); break;
    case Operation::maximum: to = std::max(*a, *b); break;
    case Operation::sign: if (decides) to = *a > 0.0 ? 1.0 : *a < 0.0 ? -1.0 : *a; break;
    case Operation::floor: if (decides) to = std::floor(*a); break;
    case Operation::ceiling: if (decides) to = std::ceil(*a); break;
    case Operation::less: if (decides) to = *a < *b ? 1.0 : 0.0; break;
    case Operation::less_or_equal: if (decides) to = *a <= *b ? 1.0 : 0.0; break;
    case Operation::reached: to = *a <= *b ? 1.0 : 0.0; break;
    case Operation::equal: to = *a == *b ? 1.0 : 0.0; break;
    case Operation::not_equal: to = *a != *b ? 1.0 : 0.0; break;
    case Operation::both: to = *a != 0.0 && *b != 0.0 ? 1.0 : 0.0; break;
    case Operation::either: to = *a != 0.0 || *b != 0.0 ? 1.0 : 0.0; break;
    case Operation::inverse: to = *a == 0.0 ? 1.0 : 0.0; break;
    case Operation::select: to = *a != 0.0 ? *b : *c; break;
  }
}

inline void execute(const Instruction* begin, const Instruction* end, bool decides) {
  for (const Instruction* i = begin; i != end; ++i) execute(*i, decides);
}

}  // namespace counterpoint::diagram
