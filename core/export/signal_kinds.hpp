#pragma once

#include "coupling/inputs.hpp"
#include "recipe/kind.hpp"
#include "signal/approximation.hpp"

namespace counterpoint::recipe {

inline const Kind hold_kind{"hold", &make_hold};
inline const Kind lagrange_kind{"lagrange", &make_lagrange};
inline const Kind hermite_kind{"hermite", &make_hermite};
inline const Kind taylor_kind{"taylor", &make_taylor};
inline const Kind least_squares_kind{"least squares", &make_least_squares};
inline const Kind mean_kind{"mean", &make_mean};
inline const Kind transition_kind{"transition", &make_transition};

template <>
inline constexpr int count_of<HoldSide> = 2;
template <>
inline constexpr int count_of<MeanKind> = 2;

template <>
struct Words<Approximation> {
  static std::string of(const Approximation& a) {
    return "the approximation \"" + a.name() +
           "\" is written in Python, which an FMU runs without; use one of the package";
  }
};
template <>
struct Words<CouplingLaw> {
  static std::string of(const CouplingLaw&) {
    return "a coupling law is a function of Python, which an FMU runs without; use a sum with gains, or a diagram "
           "between the two";
  }
};

template <>
const Kinds<Approximation>& kinds_of<Approximation>();
template <>
const Kinds<CouplingLaw>& kinds_of<CouplingLaw>();

}  // namespace counterpoint::recipe
