#include "diagram/blocks/linear_system.hpp"

#include <algorithm>

#include "numbers.hpp"

namespace counterpoint::diagram {
namespace {

void check_size(const char* name, const Array& array, int rows, int columns) {
  if (array.rows == rows && array.columns == columns) return;
  Text text;
  text << "\"" << name << "\": " << array.rows << " x " << array.columns << "; expected " << rows << " x " << columns
       << ", to match the other matrices";
  throw std::invalid_argument(text.str());
}

/// Words between commas.
std::vector<std::string> names_from(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

bool read_names(ParameterReader& p, const char* parameter, int count, std::vector<std::string>& ports) {
  const std::string text = p.text(parameter, "");
  if (text.empty()) return false;
  ports = names_from(text);
  if (static_cast<int>(ports.size()) != count) {
    throw std::invalid_argument("\"" + std::string(parameter) + "\": " + std::to_string(ports.size()) + " names for " +
                                std::to_string(count) + " signals");
  }
  return true;
}

}  // namespace

SparseRows::SparseRows(const Array& dense) {
  for (int r = 0; r < dense.rows; ++r) {
    for (int c = 0; c < dense.columns; ++c) {
      const double value = dense.values[static_cast<std::size_t>(r) * dense.columns + c];
      if (value == 0.0) continue;
      columns_.push_back(c);
      values_.push_back(value);
    }
    first_.push_back(static_cast<int>(values_.size()));
  }
}

bool SparseRows::has(int row, int column) const {
  return std::binary_search(columns_.begin() + first_[row], columns_.begin() + first_[row + 1], column);
}

LinearSystem LinearSystem::from(ParameterReader& p) {
  LinearSystem s;
  const Array a = p.matrix("a"), b = p.matrix("b"), c = p.matrix("c"), d = p.matrix("d");
  s.states = a.rows;
  s.inputs = d.columns;
  s.outputs = d.rows;
  check_size("a", a, s.states, s.states);
  check_size("b", b, s.states, s.inputs);
  check_size("c", c, s.outputs, s.states);
  if (s.inputs == 0 || s.outputs == 0) throw std::invalid_argument("\"d\": expected at least one input and one output");
  s.a = SparseRows(a);
  s.b = SparseRows(b);
  s.c = SparseRows(c);
  s.d = SparseRows(d);
  s.initial = p.vector("initial", {0.0});
  if (s.initial.size() == 1) s.initial.resize(s.states, s.initial[0]);
  if (static_cast<int>(s.initial.size()) != s.states) {
    throw std::invalid_argument("\"initial\": " + std::to_string(s.initial.size()) + " values for " +
                                std::to_string(s.states) + " states");
  }
  s.has_scalar_inputs = read_names(p, "input_names", s.inputs, s.input_ports);
  s.has_scalar_outputs = read_names(p, "output_names", s.outputs, s.output_ports);
  return s;
}

void LinearSystem::shape(Shape& shape) const {
  for (std::size_t i = 0; i < input_ports.size(); ++i) {
    const int needed = has_scalar_inputs ? 1 : inputs;
    if (shape.inputs[i] != 0 && shape.inputs[i] != needed) {
      throw ShapeError("expected width " + std::to_string(needed), static_cast<int>(i));
    }
  }
  std::fill(shape.outputs.begin(), shape.outputs.end(), has_scalar_outputs ? 1 : outputs);
}

bool LinearSystem::feedthrough(int input, int output) const {
  if (has_scalar_inputs && has_scalar_outputs) return d.has(output, input);
  for (int i = 0; i < outputs; ++i) {
    for (int j = 0; j < inputs; ++j) {
      const bool concerns = (!has_scalar_outputs || i == output) && (!has_scalar_inputs || j == input);
      if (concerns && d.has(i, j)) return true;
    }
  }
  return false;
}

const double* LinearPorts::gather(const Block::Memory& memory) {
  if (!s_.has_scalar_inputs) return memory.in[0];
  for (int i = 0; i < s_.inputs; ++i) u_[i] = *memory.in[i];
  return u_.data();
}

/// Output `port` and those that need the same inputs; others may not have theirs yet.
void LinearPorts::output(const Block::Memory& memory, const double* x, int port) {
  const double* u = gather(memory);
  if (!s_.has_scalar_outputs) {
    for (int r = 0; r < s_.outputs; ++r) memory.out[0][r] = s_.c.row_product(r, x) + s_.d.row_product(r, u);
    return;
  }
  for (int r = 0; r < s_.outputs; ++r) {
    bool is_same = true;
    for (std::size_t i = 0; i < memory.in.size() && is_same; ++i) {
      is_same = s_.feedthrough(static_cast<int>(i), r) == s_.feedthrough(static_cast<int>(i), port);
    }
    if (is_same) *memory.out[r] = s_.c.row_product(r, x) + s_.d.row_product(r, u);
  }
}

}  // namespace counterpoint::diagram
