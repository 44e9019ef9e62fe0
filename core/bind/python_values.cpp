#include "bind/python_values.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "coupling/inputs.hpp"
#include "numbers.hpp"

namespace counterpoint::bind {

namespace {

[[noreturn]] void wrong_count(const char* what, std::ptrdiff_t got, int count) {
  throw nb::value_error((std::string(what) + " returned " + std::to_string(got) + (got == 1 ? " value" : " values") +
                         "; expected " + std::to_string(count))
                            .c_str());
}

/// The quick way for contiguous float64 arrays.
bool read_buffer(nb::handle result, double* out, int count, const char* what) {
  Py_buffer view;
  if (PyObject_GetBuffer(result.ptr(), &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return false;
  }
  const bool doubles = view.format != nullptr && std::strcmp(view.format, "d") == 0;
  const std::ptrdiff_t got = view.itemsize > 0 ? view.len / view.itemsize : 0;
  if (doubles && got == count) std::memcpy(out, view.buf, sizeof(double) * static_cast<std::size_t>(count));
  PyBuffer_Release(&view);
  if (doubles && got != count) wrong_count(what, got, count);
  return doubles;
}

double as_double(PyObject* item) {
  const double value = PyFloat_AsDouble(item);
  if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

/// One of several values. A port of width 1 is an array in the model's function: `[x[1], u - x[0]]` is accepted.
double element(PyObject* item, std::ptrdiff_t k, int count, const char* what) {
  const std::ptrdiff_t size = PyFloat_Check(item) || !PyObject_CheckBuffer(item) ? -1 : PySequence_Size(item);
  if (size < 0) {
    PyErr_Clear();  // an array without dimensions has no size
    return as_double(item);
  }
  if (size == 1) {
    const nb::object only = nb::steal(PySequence_GetItem(item, 0));
    if (!only.is_valid()) throw nb::python_error();
    return as_double(only.ptr());
  }
  throw nb::type_error((std::string(what) + " returned an array of " + std::to_string(size) + " values as value " +
                        std::to_string(k + 1) + " of " + std::to_string(count) + "; expected a number, such as u[0]")
                           .c_str());
}

}  // namespace

void read_values(nb::handle result, double* out, int count, const char* what) {
  if (count == 1 && PyFloat_Check(result.ptr())) {
    out[0] = as_double(result.ptr());
    return;
  }
  if (PyObject_CheckBuffer(result.ptr()) && read_buffer(result, out, count, what)) return;
  if (result.is_none()) {
    if (count == 0) return;
    throw nb::type_error((std::string(what) + " returned None; expected " + std::to_string(count) +
                          " values (is a return statement missing?)")
                             .c_str());
  }
  if (!PySequence_Check(result.ptr())) {
    if (count != 1) wrong_count(what, 1, count);
    out[0] = as_double(result.ptr());
    return;
  }
  const std::ptrdiff_t got = PySequence_Size(result.ptr());
  if (got < 0) {  // an array without dimensions calls itself a sequence
    PyErr_Clear();
    if (count != 1) wrong_count(what, 1, count);
    out[0] = as_double(result.ptr());
    return;
  }
  if (got != count) wrong_count(what, got, count);
  for (int k = 0; k < count; ++k) {
    nb::object item = nb::steal(PySequence_GetItem(result.ptr(), k));
    if (!item.is_valid()) throw nb::python_error();
    out[k] = element(item.ptr(), k, count, what);
  }
}

void check_finite(const double* values, int count, const char* what, double t) {
  for (int k = 0; k < count; ++k) {
    if (std::isfinite(values[k])) continue;
    Text text(9);
    text << (std::isnan(values[k]) ? "NaN" : "infinite") << ": " << what << " gave it at t = " << t << " s";
    throw SignalFailure(text.str());
  }
}

SharedArray::SharedArray(int size)
    : array_(nb::module_::import_("numpy").attr("zeros")(size)),
      data_(nb::cast<nb::ndarray<double, nb::c_contig, nb::device::cpu>>(array_).data()) {}

nb::object to_rows(Rows&& rows, std::size_t columns) {
  double* data = rows.data.get();
  auto* owner = new std::shared_ptr<double[]>(std::move(rows.data));
  nb::capsule capsule(owner, [](void* p) noexcept { delete static_cast<std::shared_ptr<double[]>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double>(data, {rows.size / columns, columns}, capsule));
}

nb::object to_rows(const std::vector<double>& values, std::size_t columns) {
  Rows rows = allocate_rows(values.size());
  std::copy(values.begin(), values.end(), rows.data.get());
  return to_rows(std::move(rows), columns);
}

}  // namespace counterpoint::bind
