#include "multibody/momentum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace counterpoint::multibody {

namespace {

using std::numbers::pi;
constexpr double least_loss = 1e-5;   // of Prandtl's factor: below, the flow goes round the tip
constexpr double least_angle = 1e-6;  // rad
constexpr double still = 1e-3;        // m/s: no wind through or around the rotor

double edge(double blades, double distance, double radius, double sine) {
  const double exponent = 0.5 * blades * distance / (radius * sine);
  return 2.0 / pi * std::acos(std::min(1.0, std::exp(-std::max(exponent, 0.0))));
}

/// Axial induction where the load is k = (loaded area) / (4 F sin^2 phi) times the squared relative wind.
double axial_induction(double k, double F, double phi, double skew) {
  if (phi < 0.0) return k > 1.0 ? k / (k - 1.0) : 0.0;  // propeller brake: no other root
  double a = 0.0;
  if (k <= 2.0 / 3.0) {
    a = k / (1.0 + k);
  } else {
    const double g1 = 2.0 * F * k - (10.0 / 9.0 - F), g2 = 2.0 * F * k - F * (4.0 / 3.0 - F);
    const double g3 = 2.0 * F * k - (25.0 / 9.0 - 2.0 * F);
    a = std::abs(g3) < 1e-6 ? 1.0 - 0.5 / std::sqrt(g2) : (g1 - std::sqrt(g2)) / g3;
  }
  if (skew == 0.0 || k <= 0.0 || k > 2.0 / 3.0) return a;
  // k (1 - a)^2 = a sqrt((1 - a)^2 + skew^2): more air passes than straight on.
  for (int n = 0; n < 8; ++n) {
    const double b = 1.0 - a, root = std::hypot(b, skew);
    const double change = (k * b * b - a * root) / (2.0 * k * b + root - a * b / root);
    a += change;
    if (std::abs(change) < 1e-10) break;
  }
  return a;
}

class Balance {
 public:
  Balance(const Annulus& annulus, const Polar& polar, const MomentumTerms& terms)
      : annulus_(annulus),
        polar_(polar),
        terms_(terms),
        solidity_(annulus.blades * annulus.chord / (2.0 * pi * annulus.radius)) {}

  /// Ning's residual; also leaves the induction.
  double at(double phi) {
    const double sine = std::sin(phi), cosine = std::cos(phi);
    const Polar::Value c = polar_.at(std::remainder(phi - annulus_.twist, 2.0 * pi));
    const double drag = terms_.drag ? c.drag : 0.0;
    const double normal = c.lift * cosine + drag * sine, along = c.lift * sine - drag * cosine;
    const double F = std::max(prandtl_loss(annulus_, terms_, phi), least_loss);
    induction_.axial = axial_induction(solidity_ * normal / (4.0 * F * sine * sine), F, phi, terms_.skew);
    const double turn = terms_.tangential ? solidity_ * along / (4.0 * F * sine * cosine) : 0.0;
    induction_.tangential = turn >= 1.0 ? 10.0 : std::max(turn / (1.0 - turn), -1.0);
    const double ratio = annulus_.axial / annulus_.tangential;
    if (phi < 0.0) {
      const double k = solidity_ * normal / (4.0 * F * sine * sine);
      return sine * (1.0 - k) - ratio * cosine * (1.0 - turn);
    }
    return sine / (1.0 - induction_.axial) - ratio * cosine * (1.0 - turn);
  }
  Induction induction() const { return induction_; }

 private:
  const Annulus& annulus_;
  const Polar& polar_;
  const MomentumTerms& terms_;
  double solidity_;
  Induction induction_;
};

/// Root of the residual between a and b by bisection and secant steps (Illinois); false when there is none.
bool find_root(Balance& balance, double a, double b) {
  double fa = balance.at(a), fb = balance.at(b);
  if (!(fa * fb <= 0.0)) return false;
  for (int n = 0; n < 60 && std::abs(b - a) > 1e-7; ++n) {
    const bool halve = n % 4 == 3;
    const double c = halve ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
    const double fc = balance.at(c);
    if (std::abs(fc) < 1e-10) return true;
    if (fc * fb < 0.0) {
      a = b;
      fa = fb;
    } else if (!halve) {
      fa *= 0.5;
    }
    b = c;
    fb = fc;
  }
  balance.at(b);
  return true;
}

}  // namespace

double prandtl_loss(const Annulus& annulus, const MomentumTerms& terms, double phi) {
  const double sine = std::max(std::abs(std::sin(phi)), least_angle);
  double F = 1.0;
  if (terms.tip_loss) F *= edge(annulus.blades, annulus.tip_radius - annulus.radius, annulus.radius, sine);
  if (terms.hub_loss && annulus.hub_radius > 0.0) {
    F *= edge(annulus.blades, annulus.radius - annulus.hub_radius, annulus.hub_radius, sine);
  }
  return F;
}

Induction solve_annulus(const Annulus& annulus, const Polar& polar, const MomentumTerms& terms) {
  if (std::abs(annulus.axial) < still || std::abs(annulus.tangential) < still) return {};
  if (prandtl_loss(annulus, terms, 0.5 * pi) < least_loss) return {1.0, 0.0};  // at the very tip or root
  Balance balance(annulus, polar, terms);
  // Ning's intervals, the usual one first: turbine, propeller brake, flow from behind the blade.
  const std::pair<double, double> usual{least_angle, 0.5 * pi}, brake{-0.25 * pi, -least_angle},
      behind{0.5 * pi, pi - least_angle}, reversed{-pi + least_angle, -0.5 * pi};
  const bool forward = annulus.axial * annulus.tangential > 0.0;
  for (const auto& [a, b] : {forward ? usual : brake, forward ? brake : reversed, behind}) {
    if (find_root(balance, a, b)) return balance.induction();
  }
  return {};
}

}  // namespace counterpoint::multibody
