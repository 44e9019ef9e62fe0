#pragma once

#include <complex>
#include <vector>

namespace counterpoint::diagram {

/// A rational transfer function in controllable canonical form:
///
///     dx_k/dt = x_(k+1),   dx_n/dt = g u - sum a_k x_k,   y = sum c_k x_k + d u
struct Section {
  std::vector<double> a;  ///< coefficients of the denominator divided by the leading one, lowest power first
  std::vector<double> c;
  double g = 1.0;
  double d = 0.0;
  int order() const { return static_cast<int>(a.size()); }
};

/// Coefficients with the highest power first, as they are written. Throws std::invalid_argument when the denominator is
/// zero or the degree of the numerator is higher.
Section section_from(std::vector<double> numerator, std::vector<double> denominator);

/// gain * product(s - zeros) / product(s - poles) as a chain of sections of first and second order: coefficients of the
/// whole polynomials lose digits from about degree ten on, these do not. Throws std::invalid_argument when complex
/// ones do not come in conjugate pairs or there are more zeros than poles.
std::vector<Section> sections_from(const std::vector<std::complex<double>>& zeros,
                                   const std::vector<std::complex<double>>& poles, double gain);

}  // namespace counterpoint::diagram
