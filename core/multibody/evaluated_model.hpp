#pragma once

#include <functional>

#include "multibody/model.hpp"

namespace counterpoint::multibody {

/// Evaluates all dynamic terms of an instant in one call, since a call may be expensive. The question is  t, q,
/// v, u  one after the other; the answer, which is filled with zeros before, is  M, Phi, Phi_q, Q  and what the sizes
/// promise besides, matrices dense and row by row.
using TermFunction = std::function<void(const double* question, double* answer)>;

/// The same as a compiled function of the user's, `void terms(double t, const double* q, const double* v, const double*
/// u, double* M, double* Phi, double* J, double* Q)` with one more `double*` for each term that is promised besides.
using CompiledTerms = void (*)();

/// What a model that is evaluated elsewhere says of itself.
struct EvaluatedModelSizes {
  int coordinates = 0;
  int equations = 0;
  int inputs = 0;
  double length = 1.0;         ///< size of the model, m
  bool constant_mass = false;  ///< M is the same always: taken from the first evaluation
  bool rates = false;          ///< the answer also has c of Phi'' = Phi_q a + c
  bool rheonomic = false;      ///< ... and with Phi_t, the derivative of Phi with t alone

  int answered() const {
    return (coordinates + equations) * (coordinates + 1) + equations * (int(rates) + int(rheonomic));
  }
};

/// A model whose terms M, Phi, Phi_q, Q come from outside (González Varela (2010), section 5.3: "function evaluation").
/// The terms of the last instant are kept, so that the formulation's several questions about one instant cost one
/// evaluation. Without c it is found by differences, two evaluations more. With it, the projections at the end of a
/// step take c and Phi_t of the last iteration, as they take its factorised Phi_q: an iteration is one evaluation.
ModelPointer make_evaluated_model(TermFunction function, const EvaluatedModelSizes& sizes);
ModelPointer make_evaluated_model(CompiledTerms function, const EvaluatedModelSizes& sizes);

}  // namespace counterpoint::multibody
