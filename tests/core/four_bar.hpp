#pragma once

// The matrices of the chain of L four-bar loops in natural coordinates (rods of 1 m and 1 kg): points 0 ... L at the
// ends of the cranks, unknowns x_i and y_i each; crank i keeps point i at its distance to the ground, coupler i keeps
// points i and i + 1 at theirs.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linear/solver.hpp"

namespace counterpoint::testing {

/// Entries of a matrix, each of the pattern's with a value; entries given twice add up.
struct Matrix {
  linear::Pattern pattern;
  std::vector<double> values;

  void add(int row, int column, double value) {
    pattern.entries.emplace_back(row, column);
    values.push_back(value);
  }
};

/// What a caller does before each factorisation, with the slots looked up once.
struct Assembly {
  Assembly(const Matrix& matrix, linear::Solver& solver) : values(&matrix.values), target(&solver) {
    for (const auto& [row, column] : matrix.pattern.entries) slots.push_back(solver.slot(row, column));
  }
  void operator()() const {
    const std::span<double> to = target->values();
    std::fill(to.begin(), to.end(), 0.0);
    for (std::size_t k = 0; k < slots.size(); ++k) to[slots[k]] += (*values)[k];
  }
  const std::vector<double>* values;
  linear::Solver* target;
  std::vector<int> slots;
};

class FourBarChain {
 public:
  explicit FourBarChain(int loops, double angle = 1.0)
      : loops_(loops), cosine_(std::cos(angle)), sine_(std::sin(angle)) {}

  /// [M J^T; J -1/p]: the multipliers wait for their coordinates.
  Matrix kkt(double p) const {
    Matrix matrix = masses(4 * loops_ + 3);
    matrix.pattern.late.assign(matrix.pattern.size, false);
    int multiplier = 2 * loops_ + 2;
    for (const Row& row : constraints()) {
      for (const auto& [unknown, derivative] : row) matrix.add(multiplier, unknown, derivative);
      matrix.add(multiplier, multiplier, -1.0 / p);
      matrix.pattern.late[multiplier++] = true;
    }
    return matrix;
  }

  /// M + p J^T J, the same step with the multipliers eliminated.
  Matrix condensed(double p) const {
    Matrix matrix = masses(2 * loops_ + 2);
    for (const Row& row : constraints()) {
      for (std::size_t a = 0; a < row.size(); ++a) {
        for (std::size_t b = 0; b <= a; ++b) matrix.add(row[a].first, row[b].first, p * row[a].second * row[b].second);
      }
    }
    return matrix;
  }

 private:
  using Row = std::vector<std::pair<int, double>>;  // (unknown, derivative)

  Matrix masses(int size) const {
    Matrix matrix;
    matrix.pattern.size = size;
    for (int i = 0; i <= loops_; ++i) {
      const int rods = i == 0 || i == loops_ ? 2 : 3;
      for (int axis = 0; axis < 2; ++axis) {
        matrix.add(2 * i + axis, 2 * i + axis, rods / 3.0);
        if (i < loops_) matrix.add(2 * i + axis, 2 * i + 2 + axis, 1.0 / 6.0);
      }
    }
    return matrix;
  }

  std::vector<Row> constraints() const {
    std::vector<Row> rows;
    for (int i = 0; i <= loops_; ++i) {
      rows.push_back({{2 * i, 2.0 * cosine_}, {2 * i + 1, 2.0 * sine_}});
      if (i < loops_) rows.push_back({{2 * i, -2.0}, {2 * i + 1, 0.0}, {2 * i + 2, 2.0}, {2 * i + 3, 0.0}});
    }
    return rows;
  }

  int loops_;
  double cosine_, sine_;
};

}  // namespace counterpoint::testing
