#pragma once

#include <algorithm>
#include <cmath>

namespace counterpoint::diagram {

/// What a node of an expression, or an instruction made from it, does with its operands.
enum class Operation : unsigned char {
  constant,
  variable,
  copy,
  add,
  subtract,
  multiply,
  divide,
  negate,
  multiply_add,       ///< a b + c, rounded twice
  multiply_subtract,  ///< a b - c
  subtract_product,   ///< c - a b
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  arc_tangent_2,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  exponential,
  logarithm,
  logarithm_10,
  square_root,
  hypotenuse,
  power,
  absolute,
  minimum,
  maximum,  ///< continuous, with a kink
  sign,
  floor,
  ceiling,
  less,
  less_or_equal,  ///< with a jump: held between accepted times
  reached,
  equal,
  not_equal,
  both,
  either,
  inverse,
  select
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

/// The operations that `execute` does not do itself.
void execute_function(const Instruction& instruction, bool decides);

/// Instructions one after another; jumps change sides only when `decides`.
inline void execute(const Instruction* begin, const Instruction* end, bool decides) {
  for (const Instruction* i = begin; i != end; ++i) {
    switch (i->operation) {
      case Operation::copy:
        *i->to = *i->a;
        break;
      case Operation::add:
        *i->to = *i->a + *i->b;
        break;
      case Operation::subtract:
        *i->to = *i->a - *i->b;
        break;
      case Operation::multiply:
        *i->to = *i->a * *i->b;
        break;
      case Operation::divide:
        *i->to = *i->a / *i->b;
        break;
      case Operation::negate:
        *i->to = -*i->a;
        break;
      case Operation::multiply_add:
        *i->to = *i->a * *i->b + *i->c;
        break;
      case Operation::multiply_subtract:
        *i->to = *i->a * *i->b - *i->c;
        break;
      case Operation::subtract_product:
        *i->to = *i->c - *i->a * *i->b;
        break;
      // A stage of the solver may look a little past the event after which this branch is not used any more;
      // what counts, at accepted times, is the true root.
      case Operation::square_root:
        *i->to = std::sqrt(decides ? *i->a : std::max(*i->a, 0.0));
        break;
      case Operation::select:
        *i->to = *i->a != 0.0 ? *i->b : *i->c;
        break;
      default:
        execute_function(*i, decides);
    }
  }
}

}  // namespace counterpoint::diagram
