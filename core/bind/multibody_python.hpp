#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "multibody/evaluated_model.hpp"
#include "multibody/initial.hpp"
#include "multibody/model.hpp"
#include "multibody/time_function.hpp"

namespace counterpoint::bind {

namespace nb = nanobind;

/// A value prescribed by a Python function of time; derivatives by differences over `interval`, s.
multibody::TimeFunctionPointer make_python_time_function(nb::object function, double interval);

/// A mechanism whose dynamic terms are methods of a Python object (see counterpoint.multibody.HandWritten).
/// `length` is its size, m.
multibody::ModelPointer make_python_model(nb::object model, double length);

/// Dynamic terms from a Python function: answer = function(question), one-dimensional arrays.
multibody::TermFunction make_python_terms(nb::object function, const multibody::EvaluatedModelSizes& sizes);

/// A model with an instant to ask it at: what the analyses in Python work with.
class ModelView {
 public:
  ModelView(multibody::ModelPointer model, double length) : model(std::move(model)), initial(this->model, length) {}

  /// An instant at the values given; elements remember what `held` says, or begin anew when it is empty.
  multibody::Instant at(double t, const std::vector<double>& q, const std::vector<double>& v,
                        const std::vector<double>& u, const std::vector<double>& du, const std::vector<double>& ddu) {
    check(q.size(), model->all_coordinates(), "q");
    check(v.size(), model->all_coordinates(), "v");
    for (const std::vector<double>* values : {&u, &du, &ddu}) check(values->size(), model->inputs(), "u");
    if (!held.empty()) check(held.size(), model->memory(), "memory");
    memory = held.empty() ? std::vector<double>(model->memory(), 0.0) : held;
    multibody::Instant now{.t = t,
                           .q = q.data(),
                           .v = v.data(),
                           .u = u.data(),
                           .du = du.data(),
                           .ddu = ddu.data(),
                           .memory = memory.data(),
                           .step_start = t};
    if (held.empty()) model->start(now, memory.data());
    return now;
  }
  static void check(std::size_t size, int expected, const char* name) {
    if (size != static_cast<std::size_t>(expected)) {
      throw nb::value_error(
          (std::string(name) + " has " + std::to_string(size) + " values; expected " + std::to_string(expected))
              .c_str());
    }
  }

  multibody::ModelPointer model;
  multibody::InitialProblem initial;
  std::vector<double> memory, held;
};

/// The value of a set that has this name.
template <class Choice>
Choice chosen(const std::map<std::string, Choice>& names, const std::string& name) {
  const auto found = names.find(name);
  if (found == names.end()) throw nb::value_error(("\"" + name + "\" is not known").c_str());
  return found->second;
}

/// The name of a value in a set.
template <class Choice>
std::string name_in(const std::map<std::string, Choice>& names, Choice choice) {
  for (const auto& [name, known] : names) {
    if (known == choice) return name;
  }
  internal_error("a choice without a name");
}

void bind_multibody_forces(nb::module_& m);
void bind_multibody_subsystem(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_linear_operations(nb::module_& m);
void bind_step_profile(nb::module_& m);

}  // namespace counterpoint::bind
