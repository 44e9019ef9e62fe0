// The two-mass problem coupled by hand with everything known to the compiler: the order, the form of both
// equations (x is the integral of v, no damping) and who steps when. No defect is computed, nothing is checked.
//
// Slowest-first: the slow mass steps on an extrapolation of the fast one, then the fast mass catches up on an
// interpolation of the slow one, which is frozen within a fast step. No framework: the histories are the
// result arrays themselves, each polynomial is kept in Newton form on whatever times its samples have, rebuilt
// when its samples change and evaluated by Horner at every stage. Built with -ffp-contract=off.

#include <algorithm>
#include <cstdint>

namespace {

// The time history of one mass: the arrays are the caller's, and large enough.
struct Side {
  double* t;
  double* x;
  double* v;
  std::int64_t count = 0;

  void append(double time, double position, double velocity) {
    t[count] = time;
    x[count] = position;
    v[count] = velocity;
    ++count;
  }
};

// The polynomial through the last samples of a history, in Newton form (divided differences).
template <int Order>
struct Newton {
  double node[Order + 1];
  double coefficient[Order + 1];

  void rebuild(const Side& side) {
    // A short history lowers the order: nodes that are missing get a zero coefficient.
    const int points = static_cast<int>(std::min<std::int64_t>(Order + 1, side.count));
    for (int i = 0; i <= Order; ++i) {
      const std::int64_t sample = side.count - 1 - std::min(i, points - 1);
      node[i] = side.t[sample];
      coefficient[i] = i < points ? side.x[sample] : 0.0;
    }
    for (int level = 1; level <= Order; ++level)
      for (int i = Order; i >= level; --i)
        if (i < points) coefficient[i] = (coefficient[i] - coefficient[i - 1]) / (node[i] - node[i - level]);
  }

  double operator()(double t) const {
    double value = coefficient[Order];
    for (int i = Order - 1; i >= 0; --i) value = value * (t - node[i]) + coefficient[i];
    return value;
  }
};

struct Problem {
  double m1, m2, k1, k2, k3;
  double x1, x2;  // at rest at the start
  double h, H;
};

template <int Order>
void run(const Problem& p, std::int64_t fast_steps, Side& fast, Side& slow) {
  const double tolerance = 1e-9 * p.h;
  const double until = static_cast<double>(fast_steps) * p.h;
  const double a1 = -(p.k1 + p.k2) / p.m1, b1 = p.k2 / p.m1;
  const double a2 = -(p.k2 + p.k3) / p.m2, b2 = p.k2 / p.m2;
  const double h = p.h, half = 0.5 * p.h, sixth = p.h / 6.0;
  const double H = p.H, quarter = 0.25 * H * H, solve = 1.0 / (1.0 - quarter * a2);
  Newton<Order> of_fast, of_slow;

  double t1 = 0.0, x1 = p.x1, v1 = 0.0;
  double t2 = 0.0, x2 = p.x2, v2 = 0.0;
  fast.append(t1, x1, v1);
  slow.append(t2, x2, v2);

  while (t1 + tolerance < until) {
    // Trapezoidal rule; the acceleration at the start is computed with the input known now.
    of_fast.rebuild(fast);
    const double t2_end = static_cast<double>(slow.count) * H;
    const double start = a2 * x2 + b2 * of_fast(t2);
    const double input = b2 * of_fast(t2_end);
    const double x2_end = solve * (x2 + H * v2 + quarter * (start + input));
    v2 += 0.5 * H * (start + a2 * x2_end + input);
    x2 = x2_end;
    t2 = t2_end;
    slow.append(t2, x2, v2);

    of_slow.rebuild(slow);
    while (fast.count <= fast_steps) {
      const double t1_end = static_cast<double>(fast.count) * h;
      if (t1_end > t2 + tolerance) break;
      // ode4, with the input at every stage.
      const double u_start = b1 * of_slow(t1);
      const double u_middle = b1 * of_slow(t1 + half);
      const double u_end = b1 * of_slow(t1_end);
      const double acc1 = a1 * x1 + u_start;
      const double vel2 = v1 + half * acc1, acc2 = a1 * (x1 + half * v1) + u_middle;
      const double vel3 = v1 + half * acc2, acc3 = a1 * (x1 + half * vel2) + u_middle;
      const double vel4 = v1 + h * acc3, acc4 = a1 * (x1 + h * vel3) + u_end;
      x1 += sixth * (v1 + 2.0 * (vel2 + vel3) + vel4);
      v1 += sixth * (acc1 + 2.0 * (acc2 + acc3) + acc4);
      t1 = t1_end;
      fast.append(t1, x1, v1);
    }
  }
}

}  // namespace

// parameters: m1 m2 k1 k2 k3 x1(0) x2(0) h H. The arrays hold fast_steps + 1 samples of the fast mass and
// ceil(fast_steps h / H) + 1 of the slow one. Returns the slow samples written, or -1 for an order not built.
extern "C" std::int64_t two_mass_specialised(int order, std::int64_t fast_steps, const double* parameters, double* t1,
                                             double* x1, double* v1, double* t2, double* x2, double* v2,
                                             double* /*defects*/) {
  const double* p = parameters;
  const Problem problem{p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]};
  Side fast{t1, x1, v1}, slow{t2, x2, v2};
  switch (order) {
    case 0:
      run<0>(problem, fast_steps, fast, slow);
      break;
    case 1:
      run<1>(problem, fast_steps, fast, slow);
      break;
    case 2:
      run<2>(problem, fast_steps, fast, slow);
      break;
    case 3:
      run<3>(problem, fast_steps, fast, slow);
      break;
    default:
      return -1;
  }
  return slow.count;
}
