#pragma once

#include "diagram/parameters.hpp"

namespace counterpoint::diagram {

/// A matrix as the lists of what is not zero in its rows: a zero of D must not read an input that is not there yet.
class SparseRows {
 public:
  SparseRows() = default;
  explicit SparseRows(const Array& dense);
  /// to[row] += row * from
  void add_product(const double* from, double* to) const {
    for (std::size_t r = 0; r + 1 < first_.size(); ++r) to[r] += row_product(static_cast<int>(r), from);
  }
  double row_product(int row, const double* from) const {
    double total = 0.0;
    for (int k = first_[row]; k < first_[row + 1]; ++k) total += values_[k] * from[columns_[k]];
    return total;
  }
  bool has(int row, int column) const;
  bool is_zero() const { return values_.empty(); }

 private:
  std::vector<int> first_{0};
  std::vector<int> columns_;
  std::vector<double> values_;
};

/// A, B, C, D and the state to begin with, continuous or discrete, and how its inputs and outputs become ports: one
/// vector "u" and "y", or a scalar each when they have names.
struct LinearSystem {
  /// From "a", "b", "c", "d", "initial", "input_names", "output_names". Throws std::invalid_argument when sizes do not
  /// fit.
  static LinearSystem from(ParameterReader& p);

  int states = 0, inputs = 0, outputs = 0;
  SparseRows a, b, c, d;
  std::vector<double> initial;
  std::vector<std::string> input_ports{"u"}, output_ports{"y"};
  bool has_scalar_inputs = false, has_scalar_outputs = false;

  void shape(Shape& shape) const;
  /// Whether output port depends on input port in the same instant.
  bool feedthrough(int input, int output) const;
};

/// Gathers ports and multiplies; shared by the continuous and the discrete block.
class LinearPorts {
 public:
  explicit LinearPorts(const LinearSystem& system) : s_(system), u_(system.inputs) {}
  const double* gather(const Block::Memory& memory);
  void output(const Block::Memory& memory, const double* x, int port);

 private:
  const LinearSystem& s_;
  std::vector<double> u_;
};

}  // namespace counterpoint::diagram
