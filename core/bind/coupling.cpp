#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/python_values.hpp"
#include "coupling/embedded.hpp"
#include "coupling/scheduler.hpp"
#include "coupling/windowed_scheduler.hpp"

namespace counterpoint::bind {

namespace {

/// u of a Python model: u(t) gives a NumPy array of all inputs, written again at every call.
class InputsView {
 public:
  explicit InputsView(int width) : array_(width), width_(width) {}
  nb::handle call(double t) {
    if (inputs_ == nullptr)
      throw std::runtime_error("inputs can be asked only during step, and in output when feedthrough is declared");
    std::copy_n(inputs_->come_from_elsewhere() ? waited_for(t) : inputs_->at(t), width_, array_.data());
    return array_.object();
  }
  void point_to(Inputs* inputs) { inputs_ = inputs; }

 private:
  /// Who gives the answer may be another thread of this program, which has to run Python first.
  const double* waited_for(double t) const {
    const nb::gil_scoped_release released;
    return inputs_->at(t);
  }

  SharedArray array_;
  int width_;
  Inputs* inputs_ = nullptr;
};

/// The inputs can be asked while this lives, also when the model raises.
class Pointing {
 public:
  Pointing(InputsView& view, Inputs* inputs) : view_(view) { view_.point_to(inputs); }
  ~Pointing() { view_.point_to(nullptr); }
  Pointing(const Pointing&) = delete;
  Pointing& operator=(const Pointing&) = delete;

 private:
  InputsView& view_;
};

double read_time(nb::handle result, const char* what) {
  double time = 0.0;
  if (!nb::try_cast(result, time)) {
    throw nb::type_error(
        (std::string(what) + " returned " + nb::repr(result).c_str() + "; a time in s is expected").c_str());
  }
  return time;
}

/// A model written in Python that steps itself.
class PythonSubsystem final : public Subsystem {
 public:
  PythonSubsystem(nb::object model, int inputs, int outputs)
      : inputs_(inputs),
        outputs_(outputs),
        y_(outputs),
        before_(outputs),
        model_(std::move(model)),
        start_(model_.attr("start")),
        step_(model_.attr("step")),
        output_(model_.attr("output")),
        view_object_(nb::cast(new InputsView(inputs), nb::rv_policy::take_ownership)),
        view_(nb::cast<InputsView*>(view_object_)) {
    own_pace_ = !model_.attr("next_step").is_none();
    if (own_pace_) next_step_ = model_.attr("next_step");
    saves_ = nb::cast<bool>(model_.attr("can_save"));
    stops_early_ = nb::cast<bool>(model_.attr("stops_early"));
    if (!model_.attr("output_before_event").is_none()) output_before_event_ = model_.attr("output_before_event");
    feedthrough_ = nb::len(nb::list(model_.attr("feedthrough"))) > 0;
  }
  ~PythonSubsystem() override {
    nb::gil_scoped_acquire gil;
    for (nb::object* object : {&model_, &start_, &step_, &output_, &next_step_, &output_before_event_, &view_object_})
      object->reset();
  }

  int input_width() const override { return inputs_; }
  int output_width() const override { return outputs_; }

  void start(double t) override {
    nb::gil_scoped_acquire gil;
    start_(t);
  }

  void finish() noexcept override {
    nb::gil_scoped_acquire gil;
    PyObject* done = PyObject_CallMethod(model_.ptr(), "finish", nullptr);
    if (done == nullptr) PyErr_WriteUnraisable(model_.ptr());  // the run is over: its result is not lost for this
    Py_XDECREF(done);
  }

  double step(double t, double t_end, Inputs& u) override {
    nb::gil_scoped_acquire gil;
    const Pointing pointing(*view_, &u);
    const nb::object reached = step_(t, t_end, view_object_);
    return reached.is_none() ? t_end : read_time(reached, "step");
  }

  const double* output(double t, Inputs& u) override {
    nb::gil_scoped_acquire gil;
    const Pointing pointing(*view_, feedthrough_ ? &u : nullptr);
    const nb::object values = output_(t, view_object_);
    read_values(values, y_.data(), outputs_, "output");
    return y_.data();
  }

  bool stops_early() const override { return stops_early_; }

  const double* output_before_event() override {
    if (!output_before_event_.is_valid()) return nullptr;
    nb::gil_scoped_acquire gil;
    const nb::object values = output_before_event_();
    if (values.is_none()) return nullptr;
    read_values(values, before_.data(), outputs_, "output_before_event");
    return before_.data();
  }

  double preferred_step() const override {
    if (!own_pace_) return 0.0;
    nb::gil_scoped_acquire gil;
    return read_time(next_step_(), "next_step");
  }

  struct Saved final : SavedState {
    explicit Saved(nb::object object) : state(std::move(object)) {}
    ~Saved() override {
      nb::gil_scoped_acquire gil;
      state.reset();
    }
    nb::object state;
  };

  std::unique_ptr<SavedState> save() const override {
    nb::gil_scoped_acquire gil;
    if (!saves_) return nullptr;
    return std::make_unique<Saved>(nb::object(model_.attr("save")()));
  }

  void restore(const SavedState& state) override {
    nb::gil_scoped_acquire gil;
    model_.attr("restore")(static_cast<const Saved&>(state).state);
  }

 private:
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
  nb::object view_object_;
  InputsView* view_;
};

/// A coupling law written in Python: a function of the signals, one after another.
class PythonLaw final : public CouplingLaw {
 public:
  PythonLaw(nb::object function, std::vector<int> widths, int width)
      : function_(std::move(function)), widths_(std::move(widths)), width_(width) {}
  ~PythonLaw() override {
    nb::gil_scoped_acquire gil;
    function_.reset();
  }
  void evaluate(double t, const double* signals, double* out) const override {
    nb::gil_scoped_acquire gil;
    nb::list arguments;
    for (int width : widths_) {
      if (width == 1) {
        arguments.append(*signals);
      } else {
        arguments.append(to_rows(std::vector<double>(signals, signals + width), width).attr("ravel")());
      }
      signals += width;
    }
    read_values(function_(*arguments), out, width_, "the coupling law");
    check_finite(out, width_, "the coupling law", t);
  }

 private:
  nb::object function_;
  std::vector<int> widths_;
  int width_;
};

/// Rows (t, assumed, arrived) that become an array when they are first read: NumPy sees one.
class DefectRows {
 public:
  explicit DefectRows(fast::DerivedRows rows) : rows_(std::move(rows)) {}
  std::size_t count() const { return rows_.count(); }
  nb::object array() const {
    Rows made = allocate_rows(3 * rows_.count());
    rows_.write(made.data.get());
    return to_rows(std::move(made), 3);
  }

 private:
  fast::DerivedRows rows_;
};

/// Whether rows are recorded that may yet be taken back.
template <class Driver>
bool is_undecided(const Driver& driver) {
  if constexpr (requires { driver.has_open_window(); }) return driver.has_open_window();
  return false;
}

/// Methods that all drivers share.
template <class Driver, class Class>
void bind_network(Class& c) {
  c.def("start", [](Driver& d) { d.start(); }, nb::call_guard<nb::gil_scoped_release>());
  c.def(
      "finish", [](Driver& d) { d.network().finish(); }, nb::call_guard<nb::gil_scoped_release>(),
      "The run is over: let subsystems go.");
  c.def("advance", &Driver::advance, nb::arg("target"), nb::arg("wall_seconds"),
        nb::call_guard<nb::gil_scoped_release>());
  c.def("time_of", [](Driver& d, int i) { return d.network().participants.at(i).t; });
  c.def("steps", [](Driver& d, int i) { return d.network().participants.at(i).steps; });
  c.def("seconds", [](Driver& d, int i) {
    const Participant& p = d.network().participants.at(i);
    return p.stopwatch.seconds(p.steps);
  });
  c.def(
      "take_rows",
      [](Driver& d, std::size_t at_least) {
        nb::list all;
        if (is_undecided(d)) return all;
        std::vector<Participant>& participants = d.network().participants;
        for (std::size_t i = 0; i < participants.size(); ++i) {
          if (participants[i].row_count() < at_least) continue;
          for (Rows& rows : participants[i].take_rows()) {
            all.append(nb::make_tuple(i, to_rows(std::move(rows), 1 + participants[i].history.width())));
          }
        }
        return all;
      },
      nb::arg("at_least"), nb::sig("def take_rows(self, at_least: int) -> list[tuple[int, NDArray[numpy.float64]]]"),
      "Blocks (subsystem, rows of time and outputs) recorded since the last call, where there are so many rows.");
  c.def_prop_ro(
      "time",
      [](Driver& d) {
        if constexpr (requires { d.time(); })
          return d.time();
        else
          return d.network().time();
      },
      "Time that every subsystem has reached for good.");
  c.def("values", [](Driver& d, int i) {
    const History& h = d.network().participants.at(i).history;
    return std::vector<double>(h.value(h.end() - 1), h.value(h.end() - 1) + h.width());
  });
  c.def("set_constant", [](Driver& d, int i, int offset, double value) {
    d.network().participants.at(i).inputs->set_constant(offset, value);
  });
  c.def(
      "take_defect_rows",
      [](Driver& d, std::size_t at_least) {
        nb::list all;
        if (is_undecided(d)) return all;
        for (int k = 0; k < d.network().connection_count(); ++k) {
          const Network::ConnectionEnd& connection = d.network().connection(k);
          Defect& defect = connection.comparison().defect;
          if (defect.derived.is_used()) {
            if (!defect.derived.is_worth_giving(at_least)) continue;
            for (fast::DerivedRows& rows : defect.derived.take()) {
              all.append(nb::make_tuple(k, DefectRows(std::move(rows))));
            }
            continue;
          }
          if (defect.row_count() < at_least) continue;
          const int width = connection.connection().samples.width;
          for (Rows& rows : defect.take_rows()) {
            all.append(nb::make_tuple(k, to_rows(std::move(rows), 1 + 2 * width)));
          }
        }
        return all;
      },
      nb::arg("at_least"),
      nb::sig("def take_defect_rows(self, at_least: int) -> list[tuple[int, NDArray[numpy.float64] | DefectRows]]"),
      "Blocks (connection, rows of time, assumed and arrived values) since the last call, where there are so many "
      "rows.");
  c.def(
      "defect",
      [](Driver& d, int k) {
        const Defect& x = d.network().connection(k).comparison().defect;
        return std::make_tuple(x.count(), x.maximum(), x.time_of_maximum(), x.rms(), x.scale(), x.magnitude());
      },
      "(count, maximum, time of maximum, rms, scale of the signal, largest value)");
  c.def_prop_ro(
      "failure",
      [](Driver& d) {
        const Failure& f = d.network().failure;
        static const char* const names[] = {"none",  "not_finite", "signal",    "solver", "contract",
                                            "model", "proposal",   "component", "death"};
        return std::make_tuple(std::string(names[static_cast<int>(f.kind)]), f.subsystem, f.output, f.start, f.end);
      },
      "(kind, subsystem, output, start of the step, end of the step)");
}

}  // namespace

void bind_coupling(nb::module_& m) {
  nb::class_<InputsView>(m, "InputsView", "u(t): the inputs of a Python model at a time.")
      .def("__call__", &InputsView::call, nb::arg("t"),
           nb::sig("def __call__(self, t: float) -> \"numpy.typing.NDArray[numpy.float64]\""));

  nb::class_<DefectRows>(m, "DefectRows", "Rows of time, assumed and arrived value, made when they are first read.")
      .def("__len__", &DefectRows::count)
      .def_prop_ro("shape", [](const DefectRows& self) { return nb::make_tuple(self.count(), 3); })
      .def(
          "__array__", [](const DefectRows& self, nb::handle, nb::handle) { return self.array(); },
          nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none(),
          nb::sig("def __array__(self, dtype: object = None, copy: object = None) -> NDArray[numpy.float64]"));

  nb::class_<Subsystem>(m, "Subsystem")
      .def("start", &Subsystem::start, nb::arg("t"), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("input_width", &Subsystem::input_width)
      .def_prop_ro("output_width", &Subsystem::output_width)
      .def_prop_ro("preferred_step", &Subsystem::preferred_step);
  m.def(
      "python_subsystem",
      [](nb::object model, int inputs, int outputs) -> SubsystemPointer {
        return std::make_shared<PythonSubsystem>(std::move(model), inputs, outputs);
      },
      nb::arg("model"), nb::arg("inputs"), nb::arg("outputs"));
  m.def(
      "host_ports",
      [](int inputs, int outputs) -> SubsystemPointer { return std::make_shared<HostPorts>(inputs, outputs); },
      nb::arg("inputs"), nb::arg("outputs"));

  nb::class_<RunSpec>(m, "RunSpec")
      .def(
          "__init__",
          [](RunSpec* self, double start, double until, double tolerance, int initial_passes) {
            new (self) RunSpec{{}, {}, {}, start, until, tolerance, initial_passes, {}};
          },
          nb::arg("start"), nb::arg("until"), nb::arg("tolerance"), nb::arg("initial_passes"))
      .def_rw("fast_paths", &RunSpec::fast_paths, "Whether what is faster and the same is used; tests turn it off.")
      .def(
          "add_participant",
          [](RunSpec& self, SubsystemPointer subsystem, double step, std::vector<double> constants,
             std::vector<int> waits_for, bool records, bool may_overrun) {
            self.participants.push_back(
                {std::move(subsystem), step, std::move(constants), std::move(waits_for), records, may_overrun});
          },
          nb::arg("subsystem"), nb::arg("step"), nb::arg("constants"), nb::arg("waits_for"), nb::arg("records"),
          nb::arg("may_overrun"))
      .def(
          "add_connection",
          [](RunSpec& self, int source, int source_offset, int width, int target, int target_offset, int target_width,
             ApproximationPointer approximation, double gain, double offset, std::optional<double> initial, int law) {
            self.connections.push_back({source, source_offset, width, target, target_offset, target_width,
                                        std::move(approximation), gain, offset, initial, law});
          },
          nb::arg("source"), nb::arg("source_offset"), nb::arg("width"), nb::arg("target"), nb::arg("target_offset"),
          nb::arg("target_width"), nb::arg("approximation"), nb::arg("gain"), nb::arg("offset"),
          nb::arg("initial").none(), nb::arg("law"))
      .def(
          "tear_input",
          [](RunSpec& self, int participant, int offset, int width, std::string label) {
            self.torn.push_back({participant, offset, width, std::move(label)});
          },
          nb::arg("participant"), nb::arg("offset"), nb::arg("width"), nb::arg("label"))
      .def(
          "add_law",
          [](RunSpec& self, nb::object function, std::vector<int> widths, int target, int target_offset, int width) {
            self.laws.push_back(
                {std::make_shared<PythonLaw>(std::move(function), std::move(widths), width), target, target_offset});
          },
          nb::arg("function"), nb::arg("widths"), nb::arg("target"), nb::arg("target_offset"), nb::arg("width"));

  nb::class_<Scheduler> scheduler(m, "Scheduler", "Applies the precedence rule to N subsystems.");
  scheduler.def(nb::init<const RunSpec&, int>(), nb::arg("spec"), nb::arg("threads"));
  bind_network<Scheduler>(scheduler);

  nb::class_<WindowedScheduler> windowed(m, "WindowedScheduler", "The precedence rule in windows that are repeated.");
  windowed.def(
      "__init__",
      [](WindowedScheduler* self, const RunSpec& spec, int threads, double length, int repeats, double tolerance) {
        new (self) WindowedScheduler(spec, {length, repeats, tolerance}, threads);
      },
      nb::arg("spec"), nb::arg("threads"), nb::arg("length"), nb::arg("repeats"), nb::arg("tolerance"));
  bind_network<WindowedScheduler>(windowed);
  windowed.def_prop_ro("has_open_window", &WindowedScheduler::has_open_window,
                       "Rows are held back until the window is done.");
  windowed.def("give_up", &WindowedScheduler::give_up, "Forget the window that is under way; nothing can follow.");
  windowed.def_prop_ro(
      "windows",
      [](const WindowedScheduler& self) {
        const WindowTally w = self.tally();
        return std::make_tuple(w.windows, w.passes, w.not_converged, w.largest_change, w.time_of_largest);
      },
      "(windows, passes, windows not converged, largest change by a last repeat, end of that window)");

  nb::class_<SavedState>(m, "SavedState", "A state to go back to.");
  nb::class_<EmbeddedInterface> embedded(m, "EmbeddedInterface",
                                         "A host integrates; the others are advanced on demand.");
  embedded.def(nb::init<const RunSpec&, int>(), nb::arg("spec"), nb::arg("host"));
  bind_network<EmbeddedInterface>(embedded);
  embedded.def(
      "evaluate",
      [](EmbeddedInterface& self, double t, const std::vector<double>& y, bool is_major, bool accepted_only) {
        Participant& host = self.network().participants[self.host()];
        self.network().failure = Failure{};
        if (is_major && static_cast<int>(y.size()) != host.history.width()) {
          throw nb::value_error(("evaluate: " + std::to_string(y.size()) + " outputs given; the host has " +
                                 std::to_string(host.history.width()))
                                    .c_str());
        }
        using Reach = EmbeddedInterface::Reach;
        const double* u = self.evaluate(t, y.data(), is_major, accepted_only ? Reach::to_accepted : Reach::freely);
        return std::vector<double>(u, u + host.inputs->width());
      },
      nb::arg("t"), nb::arg("y"), nb::arg("is_major"), nb::arg("accepted_only"));
  embedded.def("save", &EmbeddedInterface::save, "Everything now; None when a subsystem cannot save.");
  embedded.def("restore", &EmbeddedInterface::restore, nb::arg("state"));
}

}  // namespace counterpoint::bind
