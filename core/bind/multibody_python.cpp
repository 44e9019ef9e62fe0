// Models and functions of the multibody room that are written in Python.
#include "bind/multibody_python.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"

namespace counterpoint::bind {

using namespace counterpoint::multibody;

namespace {

class PythonTimeFunction final : public TimeFunction {
 public:
  PythonTimeFunction(nb::object function, double interval) : function_(std::move(function)), interval_(interval) {}
  ~PythonTimeFunction() override {
    HoldsInterpreter held;
    function_.reset();
  }

  Prescribed at(const Instant& now) const override {
    const double before = value(now.t - interval_), here = value(now.t), after = value(now.t + interval_);
    return {here, (after - before) / (2.0 * interval_), (after - 2.0 * here + before) / (interval_ * interval_)};
  }

 private:
  double value(double t) const {
    return in_python([&] {
      double made = 0.0;
      read_values(function_(t), &made, 1, "a function of time");
      return made;
    });
  }
  nb::object function_;
  double interval_;
};

/// Dynamic terms from the methods of a Python object. Its matrices are dense arrays or, where it names places, values
/// on them.
class PythonModel final : public Model {
 public:
  PythonModel(nb::object model, double length) : model_(std::move(model)), length_(length) {
    const int n = nb::cast<int>(model_.attr("coordinates")), m = nb::cast<int>(model_.attr("equations"));
    inputs_ = nb::cast<int>(model_.attr("input_count"));
    mass_pattern_ = pattern("mass_places", n, n);
    jacobian_pattern_ = pattern("jacobian_places", m, n);
    tangent_pattern_ = pattern("tangent_places", n, n);
    constant_mass_ = nb::cast<bool>(model_.attr("constant_mass"));
    rheonomic_ = nb::cast<bool>(model_.attr("rheonomic"));
    has_acceleration_terms_ = nb::cast<bool>(model_.attr("has_acceleration_terms"));
    has_tangent_ = nb::cast<bool>(model_.attr("has_tangent"));
    q_ = std::make_unique<SharedArray>(n);
    v_ = std::make_unique<SharedArray>(n);
    u_ = std::make_unique<SharedArray>(inputs_);
  }
  ~PythonModel() override {
    HoldsInterpreter held;
    model_.reset();
    q_.reset();
    v_.reset();
    u_.reset();
  }

  bool constant_mass() const override { return constant_mass_; }
  bool rheonomic() const override { return rheonomic_; }
  bool has_tangent() const override { return has_tangent_; }

  void mass(const Instant& now, double* values) const override {
    in_python([&] {
      take(now);
      read_values(model_.attr("mass_values")(now.t, q_->object()), values, mass_pattern_.entries(), "mass");
    });
  }
  void constraints(const Instant& now, double* phi, double* jacobian) const override {
    if (equations() == 0) return;
    in_python([&] {
      take(now);
      read_values(model_.attr("constraints")(now.t, q_->object()), phi, equations(), "constraints");
      read_values(model_.attr("jacobian_values")(now.t, q_->object()), jacobian, jacobian_pattern_.entries(),
                  "jacobian");
    });
  }
  void velocity_terms(const Instant& now, double* phi_t) const override {
    in_python([&] {
      take(now);
      read_values(model_.attr("velocity_terms")(now.t, q_->object()), phi_t, equations(), "velocity_terms");
    });
  }
  void acceleration_terms(const Instant& now, double* rest) const override {
    if (equations() == 0) return;
    if (!has_acceleration_terms_) return difference_of_rates(*this, now, length_, rest);
    in_python([&] {
      take(now);
      read_values(model_.attr("acceleration_terms")(now.t, q_->object(), v_->object()), rest, equations(),
                  "acceleration_terms");
    });
  }
  void forces(const Instant& now, double* Q) const override {
    in_python([&] {
      take(now);
      read_values(model_.attr("forces")(now.t, q_->object(), v_->object(), u_->object()), Q, coordinates(), "forces");
    });
  }
  void add_tangent(const Instant& now, double stiffness, double damping, double* values) const override {
    if (!has_tangent_) return;
    in_python([&] {
      take(now);
      std::vector<double> made(tangent_pattern_.entries());
      read_values(model_.attr("tangent_values")(now.t, q_->object(), v_->object(), stiffness, damping), made.data(),
                  tangent_pattern_.entries(), "stiffness and damping");
      for (std::size_t k = 0; k < made.size(); ++k) values[k] += made[k];
    });
  }
  double potential_energy(const Instant& now) const override {
    return in_python([&] {
      take(now);
      double energy = 0.0;
      read_values(model_.attr("potential_energy")(now.t, q_->object()), &energy, 1, "potential_energy");
      return energy;
    });
  }
  std::string equation_name(int equation) const override {
    return in_python([&] { return nb::cast<std::string>(model_.attr("equation_name")(equation)); });
  }

 private:
  SparsePattern pattern(const char* name, int rows, int columns) const {
    return SparsePattern::from(rows, columns, nb::cast<std::vector<std::pair<int, int>>>(model_.attr(name)()));
  }
  void take(const Instant& now) const {
    std::copy_n(now.q, coordinates(), q_->data());
    if (now.v != nullptr) std::copy_n(now.v, coordinates(), v_->data());
    if (inputs_ > 0) std::copy_n(now.u, inputs_, u_->data());
  }

  nb::object model_;
  double length_;
  bool constant_mass_, rheonomic_, has_acceleration_terms_, has_tangent_;
  std::unique_ptr<SharedArray> q_, v_, u_;
};

class PythonTerms {
 public:
  PythonTerms(nb::object function, const EvaluatedModelSizes& sizes)
      : function_(std::move(function)),
        asked_(1 + 2 * sizes.coordinates + sizes.inputs),
        answered_(sizes.answered()),
        parts_{{"M", sizes.coordinates * sizes.coordinates},
               {"Phi", sizes.equations},
               {"J", sizes.equations * sizes.coordinates},
               {"Q", sizes.coordinates}},
        question_(std::make_unique<SharedArray>(asked_)) {
    if (sizes.rates) parts_.push_back({"c", sizes.equations});
    if (sizes.rheonomic) parts_.push_back({"Phi_t", sizes.equations});
  }
  ~PythonTerms() {
    HoldsInterpreter held;
    function_.reset();
    question_.reset();
  }

  void ask(const double* question, double* answer) {
    in_python([&] {
      std::copy_n(question, asked_, question_->data());
      read_values(function_(question_->object()), answer, answered_, "dynamic terms");
      for (const Part& part : parts_) {
        check_finite(answer, part.count, part.name, question[0]);
        answer += part.count;
      }
    });
  }

 private:
  struct Part {
    const char* name;
    int count;
  };
  nb::object function_;
  int asked_, answered_;
  std::vector<Part> parts_;
  std::unique_ptr<SharedArray> question_;
};

}  // namespace

TimeFunctionPointer make_python_time_function(nb::object function, double interval) {
  return std::make_shared<PythonTimeFunction>(std::move(function), interval);
}

ModelPointer make_python_model(nb::object model, double length) {
  return std::make_shared<PythonModel>(std::move(model), length);
}

TermFunction make_python_terms(nb::object function, const EvaluatedModelSizes& sizes) {
  auto terms = std::make_shared<PythonTerms>(std::move(function), sizes);
  return [terms](const double* question, double* answer) { terms->ask(question, answer); };
}

}  // namespace counterpoint::bind
