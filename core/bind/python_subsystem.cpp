// Subsystems and coupling laws that are written in Python.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"
#include "coupling/subsystem.hpp"
#include "numbers.hpp"

namespace counterpoint::bind {

namespace {

/// u of a Python model: u(t) gives a NumPy array of all inputs, written again at every call.
class InputsView {
 public:
  explicit InputsView(int width) : array_(width), width_(width) {}
  nb::handle call(double t) {
    if (inputs_ == nullptr)
      throw std::runtime_error("inputs can be asked only during step, and in output when feedthrough is declared");
    if (!(t >= first_ - slack_ && t <= last_ + slack_)) refuse(t);
    std::copy_n(inputs_->come_from_elsewhere() ? waited_for(t) : inputs_->at(t), width_, array_.data());
    return array_.object();
  }
  /// Give inputs from one time to another, in s; sums of steps end beside round numbers.
  void point_to(Inputs* inputs, double first, double last) {
    inputs_ = inputs;
    first_ = first;
    last_ = last;
    slack_ = 1e-9 * std::max({std::abs(first), std::abs(last), last - first});
  }

 private:
  /// Values beyond the step would be extrapolated silently, and differently by each scheme.
  [[noreturn]] void refuse(double t) const {
    Text text(9);
    text << "u(" << t << "): inputs are known from t = " << first_ << " s to " << last_
         << " s only, the times of this call; keep earlier ones in the model";
    throw nb::value_error(text.str().c_str());
  }

  /// Who gives the answer may be another thread of this program, which has to run Python first.
  const double* waited_for(double t) const {
    const LeavesInterpreter left;
    return inputs_->at(t);
  }

  SharedArray array_;
  int width_;
  Inputs* inputs_ = nullptr;
  double first_ = 0.0, last_ = 0.0, slack_ = 0.0;
};

/// The inputs can be asked while this lives, also when the model raises.
class Pointing {
 public:
  Pointing(InputsView& view, Inputs* inputs, double first, double last) : view_(view) {
    view_.point_to(inputs, first, last);
  }
  ~Pointing() { view_.point_to(nullptr, 0.0, 0.0); }
  Pointing(const Pointing&) = delete;
  Pointing& operator=(const Pointing&) = delete;

 private:
  InputsView& view_;
};

double read_time(nb::handle result, const char* what) {
  double time = 0.0;
  if (!nb::try_cast(result, time)) {
    throw nb::type_error(
        (std::string(what) + " returned " + nb::repr(result).c_str() + "; expected a time in s").c_str());
  }
  return time;
}

/// A model written in Python that steps itself.
class PythonSubsystem final : public Subsystem {
 public:
  /// Parameters by name, with their values at the start: the last of the inputs, set when they change.
  using Parameters = std::vector<std::pair<std::string, double>>;

  PythonSubsystem(nb::object model, int inputs, int outputs, Parameters parameters)
      : inputs_(inputs),
        outputs_(outputs),
        y_(outputs),
        before_(outputs),
        model_(std::move(model)),
        start_(model_.attr("start")),
        step_(model_.attr("step")),
        output_(model_.attr("output")),
        parameters_(std::move(parameters)),
        known_(parameters_.size()),
        view_object_(
            nb::cast(new InputsView(inputs - static_cast<int>(parameters_.size())), nb::rv_policy::take_ownership)),
        view_(nb::cast<InputsView*>(view_object_)) {
    own_pace_ = !model_.attr("next_step").is_none();
    if (own_pace_) next_step_ = model_.attr("next_step");
    saves_ = nb::cast<bool>(model_.attr("can_save"));
    stops_early_ = nb::cast<bool>(model_.attr("stops_early"));
    if (!model_.attr("output_before_event").is_none()) output_before_event_ = model_.attr("output_before_event");
    feedthrough_ = nb::len(nb::object(model_.attr("feedthrough"))) > 0;
  }
  ~PythonSubsystem() override {
    HoldsInterpreter held;
    for (nb::object* object : {&model_, &start_, &step_, &output_, &next_step_, &output_before_event_, &view_object_})
      object->reset();
  }

  int input_width() const override { return inputs_; }
  int output_width() const override { return outputs_; }

  void start(double t) override {
    in_python([&] {
      for (std::size_t k = 0; k < parameters_.size(); ++k) set_parameter(k, parameters_[k].second);
      start_(t);
    });
  }

  void finish() noexcept override {
    HoldsInterpreter held;
    PyObject* done = surviving_exit([this] { return PyObject_CallMethod(model_.ptr(), "finish", nullptr); });
    if (done == nullptr) PyErr_WriteUnraisable(model_.ptr());  // the run is over: its result is not lost for this
    Py_XDECREF(done);
  }

  double step(double t, double t_end, Inputs& u) override {
    return in_python([&] {
      if (!parameters_.empty()) set_parameters(u.at(t));
      const Pointing pointing(*view_, &u, t, t_end);
      const nb::object reached = step_(t, t_end, view_object_);
      return reached.is_none() ? t_end : read_time(reached, "step");
    });
  }

  const double* output(double t, Inputs& u) override {
    in_python([&] {
      if (!parameters_.empty()) set_parameters(u.at(t));
      const Pointing pointing(*view_, feedthrough_ ? &u : nullptr, t, t);
      read_values(output_(t, view_object_), y_.data(), outputs_, "output");
    });
    return y_.data();
  }

  bool stops_early() const override { return stops_early_; }

  const double* output_before_event() override {
    if (!output_before_event_.is_valid()) return nullptr;
    return in_python([&]() -> const double* {
      const nb::object values = output_before_event_();
      if (values.is_none()) return nullptr;
      read_values(values, before_.data(), outputs_, "output_before_event");
      return before_.data();
    });
  }

  double preferred_step() const override {
    if (!own_pace_) return 0.0;
    return in_python([&] { return read_time(next_step_(), "next_step"); });
  }

  struct Saved final : SavedState {
    explicit Saved(nb::object object) : state(std::move(object)) {}
    ~Saved() override {
      HoldsInterpreter held;
      state.reset();
    }
    nb::object state;
  };

  std::unique_ptr<SavedState> save() const override {
    if (!saves_) return nullptr;
    return in_python([&]() -> std::unique_ptr<SavedState> { return std::make_unique<Saved>(model_.attr("save")()); });
  }

  void restore(const SavedState& state) override {
    in_python([&] { model_.attr("restore")(static_cast<const Saved&>(state).state); });
    std::fill(known_.begin(), known_.end(), std::nan(""));  // the state may have them or not: they are set again
  }

 private:
  void set_parameter(std::size_t k, double value) {
    model_.attr("set_parameter")(parameters_[k].first, value);
    known_[k] = value;
  }
  void set_parameters(const double* u) {
    const double* values = u + inputs_ - parameters_.size();
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      if (values[k] != known_[k]) set_parameter(k, values[k]);
    }
  }

  int inputs_;
  int outputs_;
  std::vector<double> y_, before_;
  bool own_pace_ = false;
  bool saves_ = false;
  bool stops_early_ = false;
  bool feedthrough_ = false;
  nb::object model_;
  nb::object start_;
  nb::object step_;
  nb::object output_;
  nb::object next_step_;
  nb::object output_before_event_;
  Parameters parameters_;
  std::vector<double> known_;  ///< their values in the model; NaN: not known
  nb::object view_object_;
  InputsView* view_;
};

/// A coupling law written in Python: a function of the signals, one after another.
class PythonLaw final : public CouplingLaw {
 public:
  PythonLaw(nb::object function, std::vector<int> widths, int width)
      : function_(std::move(function)), widths_(std::move(widths)), width_(width) {}
  ~PythonLaw() override {
    HoldsInterpreter held;
    function_.reset();
  }
  void evaluate(double t, const double* signals, double* out) const override {
    in_python([&] { read_values(function_(*arguments(signals)), out, width_, "the coupling law"); });
    check_finite(out, width_, "the coupling law", t);
  }

 private:
  nb::list arguments(const double* signals) const {
    nb::list made;
    for (int width : widths_) {
      if (width == 1) {
        made.append(*signals);
      } else {
        made.append(to_rows(std::vector<double>(signals, signals + width), width).attr("ravel")());
      }
      signals += width;
    }
    return made;
  }

  nb::object function_;
  std::vector<int> widths_;
  int width_;
};

}  // namespace

void bind_python_subsystems(nb::module_& m) {
  nb::class_<InputsView>(m, "InputsView", "u(t): the inputs of a Python model at a time.")
      .def("__call__", &InputsView::call, nb::arg("t"),
           nb::sig("def __call__(self, t: float) -> \"numpy.typing.NDArray[numpy.float64]\""));

  m.def(
      "python_subsystem",
      [](nb::object model, int inputs, int outputs,
         std::vector<std::pair<std::string, double>> parameters) -> SubsystemPointer {
        return std::make_shared<PythonSubsystem>(std::move(model), inputs, outputs, std::move(parameters));
      },
      nb::arg("model"), nb::arg("inputs"), nb::arg("outputs"), nb::arg("parameters"));
  m.def(
      "python_law",
      [](nb::object function, std::vector<int> widths, int width) -> std::shared_ptr<CouplingLaw> {
        return std::make_shared<PythonLaw>(std::move(function), std::move(widths), width);
      },
      nb::arg("function"), nb::arg("widths"), nb::arg("width"));
}

}  // namespace counterpoint::bind
