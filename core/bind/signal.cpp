#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"
#include "signal/approximation.hpp"
#include "signal/recipes.hpp"

namespace counterpoint::bind {

namespace {

/// An approximation written in Python: `evaluate(times, values, t)` on the frozen samples.
class PythonApproximation final : public Approximation {
 public:
  PythonApproximation(nb::object evaluate, int points, std::string name)
      : evaluate_(std::move(evaluate)), points_(points), name_(std::move(name)) {
    if (points < 1) throw nb::value_error("an approximation needs at least one point");
  }
  ~PythonApproximation() override {
    HoldsInterpreter held;
    evaluate_.reset();
  }
  int points_behind() const override { return points_; }
  std::string name() const override { return name_; }

  void build(const Samples& s, const ConsumerStep&, double t, Polynomial& out) const override {
    in_python([&] { evaluate(s, t, out); });
  }

 private:
  void evaluate(const Samples& s, double t, Polynomial& out) const {
    const std::size_t newest = s.ahead_of(t);
    const std::size_t count = std::min<std::size_t>(points_, newest - s.begin + 1);
    std::vector<double> times(count);
    std::vector<double> values(count * s.width);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t sample = newest - count + 1 + k;
      times[k] = s.time(sample);
      std::copy_n(s.value(sample), s.width, values.begin() + k * s.width);
    }
    nb::object axis = to_rows(std::move(times), 1).attr("ravel")();
    const nb::object result = evaluate_(axis, to_rows(std::move(values), s.width), t);
    out.degree = 0;
    read_values(result, out.coefficient(0), out.width, name_.c_str());
    check_finite(out.coefficient(0), out.width, name_.c_str(), t);
    out.invalidate();  // right at t only: asked again at every time
  }

  nb::object evaluate_;
  int points_;
  std::string name_;
};

}  // namespace

void bind_signal(nb::module_& m) {
  nb::class_<Approximation>(m, "Approximation", "Computes an input from samples at any given time.")
      .def_prop_ro("name", &Approximation::name)
      .def_prop_ro("depends_on_step", &Approximation::depends_on_step)
      .def_prop_ro("wants_derivatives", &Approximation::wants_derivatives);

  m.def(
      "hold",
      [](const std::string& side) {
        if (side != "behind" && side != "ahead") {
          throw nb::value_error(("hold: side \"" + side + "\"; expected \"behind\" or \"ahead\"").c_str());
        }
        return recipe::make(recipe::hold_factory, side == "behind" ? HoldSide::behind : HoldSide::ahead);
      },
      nb::arg("side"));
  m.def("lagrange", recipe::maker(recipe::lagrange_factory), nb::arg("order"));
  m.def("hermite", recipe::maker(recipe::hermite_factory));
  m.def("spline", recipe::maker(recipe::spline_factory));
  m.def("taylor", recipe::maker(recipe::taylor_factory), nb::arg("order"));
  m.def("least_squares", recipe::maker(recipe::least_squares_factory), nb::arg("order"), nb::arg("points"));
  m.def(
      "mean",
      [](const std::string& kind) {
        if (kind != "arithmetic" && kind != "time-weighted") {
          throw nb::value_error(("mean: kind \"" + kind + "\"; expected \"arithmetic\" or \"time-weighted\"").c_str());
        }
        return recipe::make(recipe::mean_factory,
                            kind == "arithmetic" ? MeanKind::arithmetic : MeanKind::time_weighted);
      },
      nb::arg("kind"));
  m.def("variable_order", recipe::maker(recipe::variable_order_factory), nb::arg("lowest"), nb::arg("highest"));
  m.def("transition", recipe::maker(recipe::transition_factory), nb::arg("order"));
  m.def("energy_corrected", recipe::maker(recipe::energy_corrected_factory), nb::arg("order"), nb::arg("column"),
        nb::arg("sign"), nb::arg("differentiated"));
  m.def(
      "python_approximation",
      [](nb::object evaluate, int points, const std::string& name) -> ApproximationPointer {
        return std::make_shared<PythonApproximation>(std::move(evaluate), points, name);
      },
      nb::arg("evaluate"), nb::arg("points"), nb::arg("name"));
  m.def(
      "approximate",
      [](const ApproximationPointer& approximation, nb::ndarray<const double, nb::ndim<1>, nb::c_contig> times,
         nb::ndarray<const double, nb::ndim<2>, nb::c_contig> values, nb::object derivatives,
         nb::ndarray<const double, nb::ndim<1>, nb::c_contig> at) {
        const int width = static_cast<int>(values.shape(1));
        const bool slopes = !derivatives.is_none();
        nb::ndarray<const double, nb::ndim<2>, nb::c_contig> slope_array;
        if (slopes) slope_array = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig>>(derivatives);
        History history(width, slopes);
        history.make_room(0, times.shape(0));
        for (std::size_t k = 0; k < times.shape(0); ++k) {
          history.append(times.data()[k], values.data() + k * width, slopes ? slope_array.data() + k * width : nullptr);
        }
        history.commit();
        const double span = times.data()[times.shape(0) - 1] - times.data()[0];
        Samples samples{&history, 0, history.end(), 0, width, 1e-12 * span};
        ConsumerStep step{at.data()[0], at.data()[at.shape(0) - 1], at.data()[0], nullptr};
        Polynomial polynomial(width);
        std::vector<double> rows(at.shape(0) * width);
        for (std::size_t k = 0; k < at.shape(0); ++k) {
          if (!polynomial.covers(at.data()[k])) approximation->build(samples, step, at.data()[k], polynomial);
          polynomial.evaluate(at.data()[k], rows.data() + k * width);
        }
        return to_rows(std::move(rows), width);
      },
      nb::arg("approximation"), nb::arg("times"), nb::arg("values"), nb::arg("derivatives").none(), nb::arg("at"),
      "Values of an approximation at the given times, from all given samples.");
}

}  // namespace counterpoint::bind
