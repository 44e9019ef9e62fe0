#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"
#include "check.hpp"
#include "ode/probed_subsystem.hpp"
#include "ode/recipes.hpp"

namespace counterpoint::bind {

namespace {

using Array2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig>;

Matrix to_matrix(const Array2& a) {
  return Eigen::Map<const Matrix>(a.data(), static_cast<Eigen::Index>(a.shape(0)),
                                  static_cast<Eigen::Index>(a.shape(1)));
}

/// A Python function (t, x, u) -> values with arrays that are written again at every call.
class PythonFunction {
 public:
  PythonFunction(nb::object function, int states, int inputs, std::string name)
      : function_(std::move(function)),
        name_(std::move(name)),
        x_(states),
        u_(inputs),
        states_(states),
        inputs_(inputs) {}
  ~PythonFunction() {
    HoldsInterpreter held;
    function_.reset();
  }
  PythonFunction(const PythonFunction&) = delete;
  PythonFunction& operator=(const PythonFunction&) = delete;

  void call(double t, const double* x, const double* u, double* out, int count) {
    in_python([&] {
      std::copy_n(x, states_, x_.data());
      std::copy_n(u, inputs_, u_.data());
      read_values(function_(t, x_.object(), u_.object()), out, count, name_.c_str());
    });
  }

 private:
  nb::object function_;
  std::string name_;
  SharedArray x_;
  SharedArray u_;
  int states_;
  int inputs_;
};

class PythonRightHandSide final : public RightHandSide {
 public:
  PythonRightHandSide(nb::object function, int states, int inputs)
      : RightHandSide(states, inputs),
        function_(std::make_unique<PythonFunction>(std::move(function), states, inputs, "the right-hand side")) {}
  void evaluate(double t, const double* x, const double* u, double* dx) const override {
    function_->call(t, x, u, dx, states());
  }

 private:
  std::unique_ptr<PythonFunction> function_;
};

class PythonOutput final : public OutputMap {
 public:
  PythonOutput(nb::object function, int states, int inputs, int width, bool uses_inputs)
      : function_(std::make_unique<PythonFunction>(std::move(function), states, inputs, "the output function")),
        width_(width),
        uses_inputs_(uses_inputs) {}
  int width() const override { return width_; }
  bool uses_inputs() const override { return uses_inputs_; }
  void evaluate(double t, const double* x, const double* u, double* y) const override {
    function_->call(t, x, u, y, width_);
  }

 private:
  std::unique_ptr<PythonFunction> function_;
  int width_;
  bool uses_inputs_;
};

std::vector<double> to_values(const Array2& a) { return {a.data(), a.data() + a.size()}; }

/// A subsystem that is probed; `model` was made by `ode_subsystem`.
std::shared_ptr<ProbedSubsystem> make_probed(const SubsystemPointer& model, std::vector<double> times,
                                             const Array2& values, const Array2& slopes, std::vector<double> x,
                                             std::vector<double> earlier, std::vector<double> ends) {
  auto ode = std::dynamic_pointer_cast<OdeSubsystem>(model);
  COUNTERPOINT_ASSERT(ode != nullptr);
  ProbedSubsystem::Past past{std::move(times), to_values(values), to_values(slopes)};
  return std::make_shared<ProbedSubsystem>(
      std::move(ode), std::move(past), ProbedSubsystem::Beginning{std::move(x), std::move(earlier)}, std::move(ends));
}

CompiledRightHandSide::Function to_function(std::uintptr_t address) {
  return reinterpret_cast<CompiledRightHandSide::Function>(address);
}

}  // namespace

void bind_ode(nb::module_& m) {
  nb::class_<RightHandSide>(m, "RightHandSide")
      .def(
          "evaluate",
          [](const RightHandSide& f, double t, const std::vector<double>& x, const std::vector<double>& u) {
            std::vector<double> dx(f.states());
            f.evaluate(t, x.data(), u.data(), dx.data());
            return dx;
          },
          nb::arg("t"), nb::arg("x"), nb::arg("u"));
  nb::class_<OutputMap>(m, "OutputMap")
      .def(
          "evaluate",
          [](const OutputMap& g, double t, const std::vector<double>& x, const std::vector<double>& u) {
            std::vector<double> y(g.width());
            g.evaluate(t, x.data(), u.data(), y.data());
            return y;
          },
          nb::arg("t"), nb::arg("x"), nb::arg("u"));
  nb::class_<SolverOptions>(m, "SolverOptions")
      .def(nb::init<>())
      .def_rw("relative_tolerance", &SolverOptions::relative_tolerance)
      .def_rw("absolute_tolerance", &SolverOptions::absolute_tolerance)
      .def_rw("first_step", &SolverOptions::first_step)
      .def_rw("max_step", &SolverOptions::max_step)
      .def_rw("beta", &SolverOptions::beta)
      .def_rw("gamma", &SolverOptions::gamma);

  m.def(
      "linear_right_hand_side",
      [](Array2 a, Array2 b) -> RightHandSidePointer {
        return recipe::make(recipe::linear_right_hand_side_factory, to_matrix(a), to_matrix(b));
      },
      nb::arg("a"), nb::arg("b"));
  m.def(
      "compiled_right_hand_side",
      [](std::uintptr_t address, int states, int inputs) -> RightHandSidePointer {
        return std::make_shared<CompiledRightHandSide>(states, inputs, to_function(address));
      },
      nb::arg("address"), nb::arg("states"), nb::arg("inputs"));
  m.def(
      "python_right_hand_side",
      [](nb::object function, int states, int inputs) -> RightHandSidePointer {
        return std::make_shared<PythonRightHandSide>(std::move(function), states, inputs);
      },
      nb::arg("function"), nb::arg("states"), nb::arg("inputs"));

  m.def("state_output", recipe::maker(recipe::state_output_factory), nb::arg("states"));
  m.def(
      "linear_output",
      [](Array2 c, Array2 d) { return recipe::make(recipe::linear_output_factory, to_matrix(c), to_matrix(d)); },
      nb::arg("c"), nb::arg("d"));
  m.def(
      "compiled_output",
      [](std::uintptr_t address, int width, bool uses_inputs) {
        return make_compiled_output(width, to_function(address), uses_inputs);
      },
      nb::arg("address"), nb::arg("width"), nb::arg("uses_inputs"));
  m.def(
      "python_output",
      [](nb::object function, int states, int inputs, int width, bool uses_inputs) -> OutputMapPointer {
        return std::make_shared<PythonOutput>(std::move(function), states, inputs, width, uses_inputs);
      },
      nb::arg("function"), nb::arg("states"), nb::arg("inputs"), nb::arg("width"), nb::arg("uses_inputs"));

  nb::class_<OdeSubsystem, Subsystem>(m, "OdeSubsystem").def_prop_ro("state", &OdeSubsystem::state);
  m.def(
      "ode_subsystem",
      [](RightHandSidePointer f, OutputMapPointer g, std::vector<double> x0, const std::string& solver,
         const SolverOptions& options) -> SubsystemPointer {
        return recipe::make(recipe::ode_factory, std::move(f), std::move(g), {std::move(x0)}, ode_solver(solver),
                            options);
      },
      nb::arg("right_hand_side"), nb::arg("output"), nb::arg("x0"), nb::arg("solver"), nb::arg("options"));

  nb::class_<ProbedSubsystem, Subsystem>(m, "ProbedSubsystem")
      .def("published",
           [](const ProbedSubsystem& self) {
             return to_rows(self.published(), 1 + 2 * static_cast<std::size_t>(self.output_width()));
           })
      .def_prop_ro("gave_slopes", &ProbedSubsystem::gave_slopes)
      .def_prop_ro("state", [](const ProbedSubsystem& self) { return self.model().state(); })
      .def_prop_ro("earlier_states", [](const ProbedSubsystem& self) { return self.model().earlier_states(); });
  m.def("probed_subsystem", &make_probed, nb::arg("model"), nb::arg("times"), nb::arg("values"), nb::arg("slopes"),
        nb::arg("x"), nb::arg("earlier"), nb::arg("ends"));

  m.def(
      "table",
      [](std::vector<double> times, Array2 values, bool hold) -> SubsystemPointer {
        const double* first = values.data();
        std::vector<double> rows(first, first + values.size());
        return recipe::make(recipe::table_factory,
                            {std::move(times), std::move(rows), static_cast<int>(values.shape(1)),
                             hold ? Table::Kind::hold : Table::Kind::linear});
      },
      nb::arg("times"), nb::arg("values"), nb::arg("hold"));
}

}  // namespace counterpoint::bind
