#pragma once

#include "recipe/factory.hpp"
#include "signal/approximation.hpp"
#include "signal/energy_corrected.hpp"

/// How approximations are stored and made again.
namespace counterpoint::recipe {

inline const Factory hold_factory{"hold", &make_hold};
inline const Factory lagrange_factory{"lagrange", &make_lagrange};
inline const Factory hermite_factory{"hermite", &make_hermite};
inline const Factory spline_factory{"spline", &make_spline};
inline const Factory taylor_factory{"taylor", &make_taylor};
inline const Factory least_squares_factory{"least squares", &make_least_squares};
inline const Factory mean_factory{"mean", &make_mean};
inline const Factory variable_order_factory{"variable order", &make_variable_order};
inline const Factory transition_factory{"transition", &make_transition};
inline const Factory energy_corrected_factory{"energy-corrected", &make_energy_corrected};

template <>
inline constexpr int count_of<HoldSide> = 2;
template <>
inline constexpr int count_of<MeanKind> = 2;

template <>
struct NotDescribable<Approximation> {
  static std::string of(const Approximation& a) {
    return "the approximation \"" + a.name() +
           "\" is written in Python, which an FMU cannot contain; use one of the package";
  }
};

template <>
const Factories<Approximation>& factories_of<Approximation>();

}  // namespace counterpoint::recipe
