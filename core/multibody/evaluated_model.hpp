#pragma once

#include <functional>

#include "multibody/model.hpp"

namespace counterpoint::multibody {

/// Evaluates all dynamic terms of an instant in one call, since a call may be expensive. The question is  t, q,
/// v, u  one after the other; the answer, which is filled with zeros before, is  M, Phi, Phi_q, Q,  matrices dense and
/// row by row.
using TermFunction = std::function<void(const double* question, double* answer)>;

/// The same as a compiled function of the user's.
using CompiledTerms = void (*)(double t, const double* q, const double* v, const double* u, double* M, double* Phi,
                               double* J, double* Q);

/// What a model that is evaluated elsewhere says of itself.
struct EvaluatedModelSizes {
  int coordinates = 0;
  int equations = 0;
  int inputs = 0;
  double length = 1.0;         ///< size of the model, m
  bool constant_mass = false;  ///< M is the same always: taken from the first evaluation
};

/// A model whose terms M, Phi, Phi_q, Q come from outside (González Varela (2010), section 5.3: "function evaluation").
/// The terms of the last instant are kept, so that the formulation's several questions about one instant cost one
/// evaluation.
ModelPointer make_evaluated_model(TermFunction function, const EvaluatedModelSizes& sizes);
ModelPointer make_evaluated_model(CompiledTerms function, const EvaluatedModelSizes& sizes);

}  // namespace counterpoint::multibody
