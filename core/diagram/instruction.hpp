#pragma once

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

struct Instruction;
/// Does what an instruction says; one that jumps changes sides only when it `decides`.
using Execute = void (*)(const Instruction& instruction, bool decides);
Execute function_of(Operation operation);

/// One operation on scalars, with the addresses of what it reads and writes.
struct Instruction {
  Instruction(Operation what, double* target, const double* first, const double* second, const double* third)
      : function(function_of(what)), to(target), a(first), b(second), c(third), operation(what) {}

  Execute function;  ///< of the operation
  double* to;
  const double* a;
  const double* b;
  const double* c;
  Operation operation;
};

/// Instructions one after another; jumps change sides only when `decides`.
inline void execute(const Instruction* begin, const Instruction* end, bool decides) {
  for (const Instruction* i = begin; i != end; ++i) i->function(*i, decides);
}

}  // namespace counterpoint::diagram
