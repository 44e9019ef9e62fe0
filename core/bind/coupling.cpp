#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <new>
#include <type_traits>

#include "bind/interpreter_lock.hpp"
#include "bind/python_values.hpp"
#include "bind/signal_watch.hpp"
#include "coupling/cancellation.hpp"
#include "coupling/embedded.hpp"
#include "coupling/fast/deferred_comparison.hpp"
#include "coupling/paced_window.hpp"
#include "coupling/repeated_start.hpp"
#include "coupling/reselection.hpp"
#include "coupling/response_window.hpp"
#include "coupling/scheduler.hpp"
#include "coupling/windowed_scheduler.hpp"
#include "fmi/own_inputs.hpp"
#include "numbers.hpp"

namespace counterpoint::bind {

namespace {

/// Rows of time and outputs that a participant has recorded.
struct ParticipantRows {
  int participant;
  nb::object rows;
};

/// Rows of time, assumed and arrived values of a connection.
struct ComparedRows {
  int connection;
  nb::object rows;
};

/// Statistics of the defects of a connection.
struct DefectFigures {
  long count;
  double maximum, time_of_maximum, rms, scale, magnitude;
};

DefectFigures figures_of(const Defect& x) {
  return {x.count(), x.maximum(), x.time_of_maximum(), x.rms(), x.scale(), x.magnitude()};
}

using RecordedRows = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

fast::DeferredComparison::Record record_of(const RecordedRows& rows) {
  return {rows.data(), rows.shape(0), rows.shape(1)};
}

Rows joined(const std::vector<Rows>& blocks) {
  std::size_t doubles = 0;
  for (const Rows& block : blocks) doubles += block.size;
  Rows all = allocate_rows(doubles);
  double* place = all.data.get();
  for (const Rows& block : blocks) place = std::copy_n(block.data.get(), block.size, place);
  return all;
}

/// Few rows in one piece: each piece costs more in Python than copying so many numbers.
std::vector<Rows> joined_if_small(std::vector<Rows> blocks) {
  constexpr std::size_t small = 1 << 17;
  std::size_t doubles = 0;
  for (const Rows& block : blocks) doubles += block.size;
  if (blocks.size() < 2 || doubles > small) return blocks;
  return {joined(blocks)};
}

/// Rows (t, assumed, arrived) that become an array when they are first read: NumPy sees one.
class DefectRows {
 public:
  explicit DefectRows(std::vector<fast::DerivedRows> blocks) : blocks_(std::move(blocks)) {
    for (const fast::DerivedRows& block : blocks_) count_ += block.count();
  }
  std::size_t count() const { return count_; }
  nb::object array() const {
    Rows made = allocate_rows(3 * count_);
    double* row = made.data.get();
    for (const fast::DerivedRows& block : blocks_) {
      block.write(row);
      row += 3 * block.count();
    }
    return to_rows(std::move(made), 3);
  }

 private:
  std::vector<fast::DerivedRows> blocks_;
  std::size_t count_ = 0;
};

/// Signals in calls that keep Python's lock: its handlers are called at the next step of a native loop.
class SignalPolling {
 public:
  SignalPolling() : scope_(&cancellation_) {
    cancellation_.set_attend([this] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      cancellation_.ask_for_attention();
    });
    cancellation_.ask_for_attention();
  }

 private:
  Cancellation cancellation_;
  Cancellation::Scope scope_;
};

/// Whether rows are recorded that may yet be taken back.
template <class Driver>
bool is_undecided(const Driver& driver) {
  if constexpr (requires { driver.has_open_window(); }) return driver.has_open_window();
  return false;
}

/// A scheduler may have left for later what follows from samples.
template <class Driver>
void bring_up_to_date(const Network::ConnectionEnd& connection) {
  if constexpr (std::is_same_v<Driver, Scheduler>) Scheduler::bring_up_to_date(connection);
}

/// What drivers have recorded since it was last taken away.
template <class Driver, class Class>
void bind_taking(Class& c) {
  c.def(
      "take_rows",
      [](Driver& d, std::size_t at_least) {
        nb::list all;
        if (is_undecided(d)) return all;
        std::vector<Participant>& participants = d.network().participants;
        for (std::size_t i = 0; i < participants.size(); ++i) {
          if (participants[i].row_count() < at_least) continue;
          for (Rows& rows : joined_if_small(participants[i].take_rows())) {
            nb::object made = to_rows(std::move(rows), 1 + participants[i].history.width());
            all.append(ParticipantRows{static_cast<int>(i), std::move(made)});
          }
        }
        return all;
      },
      nb::arg("at_least"), nb::sig("def take_rows(self, at_least: int) -> list[ParticipantRows]"),
      "Rows recorded since the last call, of participants with at least this many.");
  c.def(
      "take_defect_rows",
      [](Driver& d, std::size_t at_least) {
        nb::list all;
        if (is_undecided(d)) return all;
        for (int k = 0; k < d.network().connection_count(); ++k) {
          const Network::ConnectionEnd& connection = d.network().connection(k);
          Defect& defect = connection.comparison().defect;
          if (at_least <= 1) bring_up_to_date<Driver>(connection);
          if (defect.derived.is_used()) {
            if (!defect.derived.is_worth_giving(at_least)) continue;
            bring_up_to_date<Driver>(connection);
            all.append(ComparedRows{k, nb::cast(DefectRows(defect.take_derived()))});
            continue;
          }
          if (defect.row_count() < at_least) continue;
          const int width = connection.connection().samples.width;
          for (Rows& rows : defect.take_rows()) all.append(ComparedRows{k, to_rows(std::move(rows), 1 + 2 * width)});
        }
        return all;
      },
      nb::arg("at_least"), nb::sig("def take_defect_rows(self, at_least: int) -> list[ComparedRows]"),
      "Rows of time, assumed and arrived values since the last call, of connections that have at least this many.");
}

/// Where the steps of a driver are chosen: by participant, -1 for all together; null where no law chooses them.
template <class Driver>
StepChooser* chooser_of(Driver& driver, int participant) {
  if (participant < 0) {
    if constexpr (requires { driver.window(); }) {
      if (auto* paced = dynamic_cast<PacedWindow*>(&driver.window())) return &paced->chooser;
    }
    return nullptr;
  }
  auto* pace = dynamic_cast<LawPace*>(driver.network().participants.at(participant).pace());
  return pace == nullptr ? nullptr : &pace->chooser;
}

/// What paces have chosen.
template <class Driver, class Class>
void bind_steps(Class& c) {
  c.def(
      "take_step_rows",
      [](Driver& d, std::size_t at_least) {
        nb::list all;
        if (is_undecided(d)) return all;
        for (int i = -1; i < static_cast<int>(d.network().participants.size()); ++i) {
          StepChooser* chooser = chooser_of(d, i);
          if (chooser == nullptr || chooser->rows.rows() < at_least) continue;
          for (Rows& rows : chooser->rows.take())
            all.append(ParticipantRows{i, to_rows(std::move(rows), StepChooser::columns)});
        }
        return all;
      },
      nb::arg("at_least"), nb::sig("def take_step_rows(self, at_least: int) -> list[ParticipantRows]"),
      "Rows of start, length, rule, estimate, accepted, signal since the last call; -1: of all participants together.");
  c.def(
      "step_tally",
      [](Driver& d, int participant) {
        const StepChooser* chooser = chooser_of(d, participant);
        return chooser == nullptr ? StepTally{} : chooser->tally;
      },
      nb::arg("participant"), "Statistics of the steps that a pace has chosen; -1: of all participants together.");
  c.def(
      "finish_steps",
      [](Driver& d) {
        for (int i = -1; i < static_cast<int>(d.network().participants.size()); ++i) {
          const double t = i < 0 ? d.network().time() : d.network().participants[i].t;
          if (StepChooser* chooser = chooser_of(d, i)) chooser->finish(t);
        }
      },
      "The run is over: write the last steps.");
}

/// For a call that does not end: what it is waiting for, and how to give it up.
template <class Driver, class Class>
void bind_watching(Class& c) {
  c.def(
      "whereabouts",
      [](Driver& d, std::vector<std::string> names, std::string doing) {
        return std::make_shared<Whereabouts>([&d, names = std::move(names), doing = std::move(doing)] {
          const std::optional<CallUnderWay> call = d.call_under_way();
          if (!call) return std::string("the step under way");
          Text text(9);
          text << '"' << names[static_cast<std::size_t>(call->participant)] << "\" " << doing << " t = " << call->t
               << " s";
          return text.str();
        });
      },
      nb::arg("names"), nb::arg("doing"), nb::keep_alive<0, 1>(),
      "The participant at work, and the start of its step.");
  c.def(
      "abandon",
      [](Driver& d) {
        if constexpr (requires { d.abandon(); }) d.abandon();
      },
      "The present call will never return: earlier results can be taken, nothing else may be called.");
}

/// Methods that all drivers share.
template <class Driver, class Class>
void bind_network(Class& c) {
  bind_taking<Driver>(c);
  bind_watching<Driver>(c);
  bind_steps<Driver>(c);
  c.def("start", [](Driver& d) { d.start(); }, nb::call_guard<LeavesInterpreter>());
  c.def(
      "finish",
      [](Driver& d) {
        if constexpr (requires { d.finish(); }) {
          d.finish();
        } else {
          d.network().finish();
        }
      },
      nb::call_guard<LeavesInterpreter>(), "The run is over: release the subsystems.");
  c.def("advance", &Driver::advance, nb::arg("target"), nb::arg("wall_seconds"), nb::call_guard<LeavesInterpreter>());
  c.def("time_of", [](Driver& d, int i) { return d.network().participants.at(i).t; });
  c.def(
      "next_of", [](Driver& d, int i) { return d.network().participants.at(i).t_next; },
      "End of the step that a participant has proposed, s; infinity when it has finished.");
  c.def(
      "samples_from",
      [](Driver& d, int i, std::size_t first) {
        History& h = d.network().participants.at(i).history;
        const int width = h.width();
        const int columns = 1 + (h.has_derivatives() ? 2 : 1) * width;
        std::vector<double> rows;
        rows.reserve((h.end() - first) * columns);
        for (std::size_t k = first; k < h.end(); ++k) {
          rows.push_back(h.time(k));
          rows.insert(rows.end(), h.value(k), h.value(k) + width);
          if (h.has_derivatives()) rows.insert(rows.end(), h.derivative(k), h.derivative(k) + width);
        }
        h.keep_from(h.end());
        return to_rows(std::move(rows), columns);
      },
      nb::arg("participant"), nb::arg("first"),
      nb::sig("def samples_from(self, participant: int, first: int) -> NDArray[numpy.float64]"),
      "Rows of time, outputs and their derivatives (if they are kept) from sample `first` on; later ones are kept "
      "until they are requested.");
  c.def("steps", [](Driver& d, int i) { return d.network().participants.at(i).steps; });
  c.def(
      "evaluations", [](Driver& d, int i) { return d.network().participants.at(i).subsystem->evaluations(); },
      "Number of evaluations of a participant's equations; -1: not counted.");
  c.def("seconds", [](Driver& d, int i) {
    const Participant& p = d.network().participants.at(i);
    return p.stopwatch.seconds(p.steps);
  });
  c.def_prop_ro(
      "time",
      [](Driver& d) {
        if constexpr (requires { d.time(); })
          return d.time();
        else
          return d.network().time();
      },
      "Time up to which all results are final.");
  c.def(
      "undefined_since", [](Driver& d, int i) { return d.network().participants.at(i).undefined_since(); },
      nb::arg("participant"), "Per output: time since which it is NaN or infinite, s; empty if none may be.");
  c.def("values", [](Driver& d, int i) {
    const History& h = d.network().participants.at(i).history;
    return std::vector<double>(h.value(h.end() - 1), h.value(h.end() - 1) + h.width());
  });
  c.def("set_constant", [](Driver& d, int i, int offset, double value) {
    Participant& p = d.network().participants.at(i);
    if (auto* own = dynamic_cast<fmi::OwnInputs*>(p.subsystem.get())) own->write_input(offset);
    p.inputs->set_constant(offset, value);
  });
  c.def(
      "change_approximation",
      [](Driver& d, int connection, const ApproximationPointer& approximation) {
        change_approximation(d.network(), connection, approximation);
      },
      nb::arg("connection"), nb::arg("approximation"), "Between steps, without fast paths.");
  c.def(
      "event_records",
      [](Driver& d) {
        std::vector<InputEvents::Record> all;
        for (const Participant& p : d.network().participants) {
          if (const InputEvents* events = p.inputs->events())
            all.insert(all.end(), events->records().begin(), events->records().end());
        }
        return all;
      },
      "Events so far, by participant.");
  c.def(
      "defect",
      [](Driver& d, int k) {
        bring_up_to_date<Driver>(d.network().connection(k));
        return figures_of(d.network().connection(k).comparison().defect);
      },
      nb::arg("connection"), "Defects of a connection so far.");
  c.def(
      "deferred_comparisons", [](Driver& d) { return fast::DeferredComparisons(d.network()); },
      "The comparisons that were deferred until after the run. Call it once, when the run has ended.");
  c.def(
      "deferred_comparison",
      [](Driver& d, int k) -> std::optional<fast::DeferredComparison> {
        if (!fast::DeferredComparison::is_needed(d.network(), k)) return std::nullopt;
        return fast::DeferredComparison(d.network(), k);
      },
      nb::arg("connection"), "The deferred comparison of a connection, if there is one.");
  c.def(
      "comparison_settings",
      [](Driver& d, int k) {
        const std::string settings = fast::DeferredComparison::settings(d.network(), k);
        return nb::bytes(settings.data(), settings.size());
      },
      nb::arg("connection"), "Settings of a deferred comparison, known before the run; empty if nothing is compared.");
  c.def_prop_ro("failure", [](Driver& d) { return d.network().failure; }, "Why it stopped; kind none if it did not.");
}

StepClock clock_of(const RunSpec& spec) { return {spec.start, spec.until, 0.0, spec.tolerance}; }

void bind_recorded(nb::module_& m) {
  nb::class_<DefectRows>(m, "DefectRows", "Rows of time, assumed and arrived value, computed when they are first read.")
      .def("__len__", &DefectRows::count)
      .def_prop_ro(
          "shape", [](const DefectRows& self) { return nb::make_tuple(self.count(), 3); },
          nb::sig("def shape(self) -> tuple[int, int]"))
      .def(
          "__array__", [](const DefectRows& self, nb::handle, nb::handle) { return self.array(); },
          nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none(),
          nb::sig("def __array__(self, dtype: object = None, copy: object = None) -> NDArray[numpy.float64]"));
  nb::class_<ParticipantRows>(m, "ParticipantRows", "Rows recorded of a participant.")
      .def_ro("participant", &ParticipantRows::participant, "By number.")
      .def_ro("rows", &ParticipantRows::rows, nb::sig("def rows(self) -> NDArray[numpy.float64]"),
              "Time and outputs, one row per published sample.");
  nb::class_<ComparedRows>(m, "ComparedRows", "Rows compared on a connection.")
      .def_ro("connection", &ComparedRows::connection, "By number.")
      .def_ro("rows", &ComparedRows::rows, nb::sig("def rows(self) -> NDArray[numpy.float64] | DefectRows"),
              "Time, assumed and arrived values, one row per comparison.");
  nb::class_<fast::DeferredComparison>(m, "DeferredComparison", "A comparison made after the run, from its record.")
      .def(
          "__init__",
          [](fast::DeferredComparison* self, const nb::bytes& settings, const std::vector<double>& numbers) {
            new (self) fast::DeferredComparison(std::string(settings.c_str(), settings.size()), numbers);
          },
          nb::arg("settings"), nb::arg("numbers"))
      .def_static("number_count", &fast::DeferredComparison::number_count, nb::arg("width"), "Length of `numbers`.")
      .def_prop_ro("numbers", &fast::DeferredComparison::numbers,
                   "The time since which it is deferred and the figures compared before, for a file.")
      .def_prop_ro(
          "first_column", &fast::DeferredComparison::first_column,
          "First column of its values among the outputs of the source; one read from a file gets only these columns.")
      .def_prop_ro("width", &fast::DeferredComparison::width)
      .def_prop_ro("source", &fast::DeferredComparison::source, "Participant that published.")
      .def_prop_ro("consumer", &fast::DeferredComparison::consumer, "Participant that assumed.")
      .def(
          "compare",
          [](const fast::DeferredComparison& self, const RecordedRows& source, const RecordedRows& consumer) {
            Defect defect = self.compare(record_of(source), record_of(consumer));
            return nb::make_tuple(to_rows(joined(defect.take_rows()), self.columns()), figures_of(defect));
          },
          nb::arg("source"), nb::arg("consumer"),
          nb::sig("def compare(self, source: NDArray[numpy.float64], consumer: NDArray[numpy.float64]) -> "
                  "tuple[NDArray[numpy.float64], DefectFigures]"),
          "Rows of time, assumed and arrived values since it was deferred, and the figures of the whole run; "
          "from "
          "all rows that source and consumer have recorded.");
  nb::class_<fast::DeferredComparisons>(m, "DeferredComparisons", "The deferred comparisons of a run.")
      .def_prop_ro("connections", &fast::DeferredComparisons::connections, "By number, in their order.")
      .def("__getitem__", &fast::DeferredComparisons::of, nb::arg("connection"), nb::rv_policy::reference_internal);
  nb::class_<DefectFigures>(m, "DefectFigures", "Statistics of the defects of a connection.")
      .def_ro("count", &DefectFigures::count, "Comparisons.")
      .def_ro("maximum", &DefectFigures::maximum, "Largest difference between assumed and arrived values.")
      .def_ro("time_of_maximum", &DefectFigures::time_of_maximum, "s")
      .def_ro("rms", &DefectFigures::rms)
      .def_ro("scale", &DefectFigures::scale, "Of the signal.")
      .def_ro("magnitude", &DefectFigures::magnitude, "Largest absolute value of the signal.");
  nb::class_<InputEvents::Record>(m, "EventRecord", "Begin or end of an event.")
      .def_ro("event", &InputEvents::Record::event, "Its number in the run.")
      .def_ro("begins", &InputEvents::Record::begins, "Whether it began; otherwise it ended.")
      .def_ro("time", &InputEvents::Record::time, "When it happened, s.")
      .def_ro("effective", &InputEvents::Record::effective, "Start of the first step that it changes, s.");
}

}  // namespace

void bind_coupling(nb::module_& m) {
  bind_recorded(m);
  nb::class_<Scheduler> scheduler(m, "Scheduler", "Applies the precedence rule to N subsystems.");
  scheduler.def(
      "__init__",
      [](Scheduler* self, const RunSpec& spec, int threads) {
        new (self) Scheduler(spec, threads);
        self->compare_when_asked();
      },
      nb::arg("spec"), nb::arg("threads"));
  bind_network<Scheduler>(scheduler);

  nb::class_<WindowedScheduler> windowed(m, "WindowedScheduler", "The precedence rule in windows that are repeated.");
  windowed.def(nb::init<const RunSpec&, const WindowSpec&, int>(), nb::arg("spec"), nb::arg("window"),
               nb::arg("threads"));
  windowed.def_static(
      "repeating_start",
      [](const RunSpec& spec, int threads, double end, double tolerance, bool optional) {
        auto window = std::make_unique<RepeatedStart>(end, tolerance, optional);
        return std::make_unique<WindowedScheduler>(spec, std::move(window), threads);
      },
      nb::arg("spec"), nb::arg("threads"), nb::arg("end"), nb::arg("tolerance"), nb::arg("optional"),
      "The first steps, up to `end` (s), are repeated until they agree; what follows is not. Where that fails and is "
      "optional, they are made once.");
  bind_network<WindowedScheduler>(windowed);
  m.def(
      "paced_scheduler",
      [](RunSpec& spec, int threads, std::shared_ptr<StepLaw> law, const StepLimits& limits, bool rejects) {
        if (law->listens()) spec.indicators.push_back(law);
        auto window = std::make_unique<PacedWindow>(std::move(law), limits, clock_of(spec), rejects);
        return std::make_unique<WindowedScheduler>(spec, std::move(window), threads);
      },
      nb::arg("spec"), nb::arg("threads"), nb::arg("law"), nb::arg("limits"), nb::arg("rejects"),
      "All participants make the steps chosen by the law, which is told of arrived samples if it listens. Steps that "
      "met an unexpected event may be rejected.");
  m.def(
      "two_pass_scheduler",
      [](RunSpec& spec, int threads, std::shared_ptr<StepLaw> law, const StepLimits& limits, double tolerance,
         std::vector<OutputTolerance> outputs, std::shared_ptr<SharedLength> length) {
        using Method = TwoPassWindow::Method;
        const Method method = length ? Method::doubling : Method::predictor_corrector;
        if (law->listens()) spec.indicators.push_back(law);
        auto window = std::make_unique<TwoPassWindow>(
            std::dynamic_pointer_cast<PassLaw>(law), limits, clock_of(spec),
            TwoPassWindow::Setup{method, tolerance, std::move(outputs), std::move(length)});
        return std::make_unique<WindowedScheduler>(spec, std::move(window), threads);
      },
      nb::arg("spec"), nb::arg("threads"), nb::arg("law"), nb::arg("limits"), nb::arg("tolerance"), nb::arg("outputs"),
      nb::arg("length").none(), "All participants make each step twice: interpolating, or with half the length.");
  m.def(
      "estimating_scheduler",
      [](const RunSpec& spec, int threads, double length, int order) {
        auto window = std::make_unique<ResponseWindow>(length, order, spec.start);
        return std::make_unique<WindowedScheduler>(spec, std::move(window), threads);
      },
      nb::arg("spec"), nb::arg("threads"), nb::arg("length"), nb::arg("order"),
      "Windows that are made once and begin with an estimate of their end.");
  windowed.def_prop_ro("has_open_window", &WindowedScheduler::has_open_window,
                       "Rows are held back until the window is complete.");
  windowed.def("give_up", &WindowedScheduler::give_up, "Discard the open window; nothing else may be called.");
  windowed.def_prop_ro(
      "tally", [](const WindowedScheduler& self) { return self.tally(); }, "Statistics of the windows so far.");

  nb::class_<SavedState>(m, "SavedState", "A state that can be restored.");
  nb::class_<EmbeddedInterface> embedded(m, "EmbeddedInterface", "A host integrates; the others advance on demand.");
  embedded.def(nb::init<const RunSpec&, int>(), nb::arg("spec"), nb::arg("host"));
  bind_network<EmbeddedInterface>(embedded);
  embedded.def(
      "evaluate",
      [](EmbeddedInterface& self, double t, const std::vector<double>& y, bool is_major, bool accepted_only) {
        Participant& host = self.network().participants[self.host()];
        self.network().forget_failure();
        const SignalPolling polling;
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
  embedded.def("save", &EmbeddedInterface::save, "The complete state; None if a subsystem cannot save.");
  embedded.def("restore", &EmbeddedInterface::restore, nb::arg("state"));
}

}  // namespace counterpoint::bind
