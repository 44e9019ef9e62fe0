#pragma once

namespace counterpoint::tableau {

// Explicit Runge-Kutta methods: c, a (lower triangle), b. Names of solvers as in Simulink.

/// Euler, order 1.
struct Ode1 {
  static constexpr int stages = 1;
  static constexpr double c[1] = {0};
  static constexpr double a[1][1] = {{0}};
  static constexpr double b[1] = {1};
};

/// Heun, order 2.
struct Ode2 {
  static constexpr int stages = 2;
  static constexpr double c[2] = {0, 1};
  static constexpr double a[2][2] = {{0, 0}, {1, 0}};
  static constexpr double b[2] = {0.5, 0.5};
};

/// Bogacki and Shampine (1989), order 3 with an embedded formula of order 2 (fourth stage).
struct Ode23 {
  static constexpr int stages = 4;
  static constexpr int order = 3;
  static constexpr double c[4] = {0, 1.0 / 2, 3.0 / 4, 1};
  static constexpr double a[4][4] = {
      {0, 0, 0, 0}, {1.0 / 2, 0, 0, 0}, {0, 3.0 / 4, 0, 0}, {2.0 / 9, 1.0 / 3, 4.0 / 9, 0}};
  static constexpr double b[4] = {2.0 / 9, 1.0 / 3, 4.0 / 9, 0};
  static constexpr double error[4] = {2.0 / 9 - 7.0 / 24, 1.0 / 3 - 1.0 / 4, 4.0 / 9 - 1.0 / 3, -1.0 / 8};
};

/// Its first three stages, order 3.
struct Ode3 {
  static constexpr int stages = 3;
  static constexpr double c[3] = {0, 1.0 / 2, 3.0 / 4};
  static constexpr double a[3][3] = {{0, 0, 0}, {1.0 / 2, 0, 0}, {0, 3.0 / 4, 0}};
  static constexpr double b[3] = {2.0 / 9, 1.0 / 3, 4.0 / 9};
};

/// The classical method of Kutta, order 4.
struct Ode4 {
  static constexpr int stages = 4;
  static constexpr double c[4] = {0, 0.5, 0.5, 1};
  static constexpr double a[4][4] = {{0, 0, 0, 0}, {0.5, 0, 0, 0}, {0, 0.5, 0, 0}, {0, 0, 1, 0}};
  static constexpr double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
};

/// Dormand and Prince (1980), order 5 with an embedded formula of order 4 (seventh stage).
struct Ode45 {
  static constexpr int stages = 7;
  static constexpr int order = 5;
  static constexpr double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
  static constexpr double a[7][7] = {{0},
                                     {1.0 / 5},
                                     {3.0 / 40, 9.0 / 40},
                                     {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0}};
  static constexpr double b[7] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0};
  static constexpr double error[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                      -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  /// Quartic term of the interpolant of order 4 (Shampine 1986; Hairer, Norsett, Wanner, II.6).
  static constexpr double dense[7] = {-12715105075.0 / 11282082432,  0,
                                      87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                      701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                      69997945.0 / 29380423};
};

/// Its first six stages, order 5.
struct Ode5 {
  static constexpr int stages = 6;
  static constexpr const double* c = Ode45::c;
  static constexpr const double (*a)[7] = Ode45::a;
  static constexpr const double* b = Ode45::b;
};

}  // namespace counterpoint::tableau
