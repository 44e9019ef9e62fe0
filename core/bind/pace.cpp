// Paces: how steps are chosen, and what was chosen.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"
#include "coupling/error_laws.hpp"
#include "coupling/network.hpp"
#include "coupling/paced_window.hpp"
#include "coupling/step_laws.hpp"

namespace counterpoint::bind {

namespace {

/// A law written in Python: a function of the time, the last length, what was compared and the latest outputs.
class PythonStepLaw final : public StepLaw {
 public:
  PythonStepLaw(nb::object function, int connections) : function_(std::move(function)), compared_(connections) {}
  ~PythonStepLaw() override {
    HoldsInterpreter held;
    function_.reset();
  }
  void join(const Network& network, int participant) override {
    network_ = &network;
    participant_ = participant;
  }
  bool listens() const override { return true; }
  void arrived(const Arrival& arrival) override {
    compared_[arrival.connection].push_back({arrival.t, arrival.sample, arrival.assumed[0], arrival.arrived[0]});
  }
  StepChoice propose(double t, double last, double known) override {
    return in_python([&] {
      nb::list compared;
      for (std::size_t k = 0; k < compared_.size(); ++k) take(k, participant_ < 0 ? t : known, compared);
      const nb::object answer = function_(t, last, compared, outputs(known));
      const auto [length, estimate] = nb::cast<std::pair<double, double>>(answer);
      return StepChoice{length, StepRule::law, estimate, -1};
    });
  }

 private:
  struct Compared {
    double t, sample, assumed, arrived;
  };
  void take(std::size_t k, double known, nb::list& into) {
    std::vector<Compared>& all = compared_[k];
    const double slack = network_->tolerance;
    std::size_t used = 0;
    for (; used < all.size() && all[used].sample <= known + slack; ++used)
      into.append(nb::make_tuple(static_cast<int>(k), all[used].t, all[used].assumed, all[used].arrived));
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(used));
  }
  /// Per participant the latest outputs that may be looked at.
  nb::list outputs(double known) const {
    nb::list all;
    for (std::size_t i = 0; i < network_->participants.size(); ++i) {
      const History& h = network_->participants[i].history;
      const bool own = participant_ < 0 || static_cast<int>(i) == participant_;
      const std::size_t k = own ? h.appended() - 1 : h.last_not_after(known + network_->tolerance);
      nb::list values;
      for (int j = 0; j < h.width(); ++j) values.append(h.value(k)[j]);
      all.append(values);
    }
    return all;
  }

  nb::object function_;
  std::vector<std::vector<Compared>> compared_;  ///< by connection
  const Network* network_ = nullptr;
  int participant_ = -1;
};

void bind_laws(nb::module_& m) {
  nb::class_<StepLaw>(m, "StepLaw", "Chooses step lengths from the course of a run.");
  nb::class_<SignalTolerance>(m, "SignalTolerance", "Allowed error of a signal.")
      .def(
          "__init__",
          [](SignalTolerance* self, double absolute, double scale, int order, bool counts) {
            new (self) SignalTolerance{absolute, scale, order, counts};
          },
          nb::arg("absolute"), nb::arg("scale"), nb::arg("order"), nb::arg("counts"));
  nb::class_<LeadingSignal>(m, "LeadingSignal", "A scalar output that controls the steps.")
      .def(
          "__init__",
          [](LeadingSignal* self, int participant, int column, int derivative) {
            new (self) LeadingSignal{participant, column, derivative};
          },
          nb::arg("participant"), nb::arg("column"), nb::arg("derivative"));
  m.def(
      "table_law",
      [](std::vector<double> times, std::vector<double> steps, bool is_held) -> std::shared_ptr<StepLaw> {
        return std::make_shared<TableLaw>(std::move(times), std::move(steps), is_held);
      },
      nb::arg("times"), nb::arg("steps"), nb::arg("is_held"), "Steps over time.");
  m.def(
      "gradient_law",
      [](std::vector<LeadingSignal> signals, double smallest, double largest, double p0,
         double p1) -> std::shared_ptr<StepLaw> {
        return std::make_shared<GradientLaw>(std::move(signals), GradientLaw::Parameters{smallest, largest, p0, p1});
      },
      nb::arg("signals"), nb::arg("smallest"), nb::arg("largest"), nb::arg("p0"), nb::arg("p1"),
      "Long steps while signals change little.");
  m.def(
      "extrapolation_law",
      [](std::vector<LeadingSignal> signals, double tolerance, std::vector<double> absolute,
         double ahead) -> std::shared_ptr<StepLaw> {
        return std::make_shared<ExtrapolationLaw>(std::move(signals), tolerance, std::move(absolute), ahead);
      },
      nb::arg("signals"), nb::arg("tolerance"), nb::arg("absolute"), nb::arg("ahead"),
      "Steps whose extrapolation error is the tolerance.");
  m.def(
      "defect_law",
      [](double tolerance, std::vector<SignalTolerance> signals, double ahead) -> std::shared_ptr<StepLaw> {
        return std::make_shared<DefectLaw>(tolerance, std::move(signals), ahead);
      },
      nb::arg("tolerance"), nb::arg("signals"), nb::arg("ahead"), "Steps chosen from assumed and arrived values.");
  m.def(
      "energy_law",
      [](double tolerance, double absolute, const std::vector<std::pair<int, int>>& pairs, int connections,
         int order) -> std::shared_ptr<StepLaw> {
        std::vector<BondSpec> bonds;
        for (const auto& [effort, flow] : pairs) bonds.push_back({effort, flow});
        return std::make_shared<EnergyLaw>(tolerance, absolute, std::move(bonds), connections, order);
      },
      nb::arg("tolerance"), nb::arg("absolute"), nb::arg("bonds"), nb::arg("connections"), nb::arg("order"),
      "Steps chosen from the power that the interface creates or destroys.");
  m.def(
      "pass_law",
      [](int order, double tolerance,
         const std::vector<std::pair<SignalTolerance, int>>& inputs) -> std::shared_ptr<StepLaw> {
        std::vector<AssumedInput> assumed;
        for (const auto& [of_input, signal] : inputs) assumed.push_back({of_input, signal});
        return std::make_shared<PassLaw>(order, tolerance, std::move(assumed));
      },
      nb::arg("order"), nb::arg("tolerance"), nb::arg("inputs"),
      "Steps chosen from the difference of two passes; inputs whose defects count have a tolerance and a signal.");
  m.def(
      "python_step_law",
      [](nb::object function, int connections) -> std::shared_ptr<StepLaw> {
        return std::make_shared<PythonStepLaw>(std::move(function), connections);
      },
      nb::arg("function"), nb::arg("connections"), "A Python function that returns a length and an estimate.");
}

}  // namespace

void bind_pace(nb::module_& m) {
  bind_laws(m);
  nb::class_<StepLimits>(m, "StepLimits", "Limits of the step length.")
      .def(nb::init<>())
      .def_rw("first", &StepLimits::first, "s")
      .def_rw("smallest", &StepLimits::smallest, "s")
      .def_rw("largest", &StepLimits::largest, "s")
      .def_rw("growth", &StepLimits::growth)
      .def_rw("reduction", &StepLimits::reduction)
      .def_rw("alignment", &StepLimits::alignment, "s")
      .def_rw("even", &StepLimits::even)
      .def_rw("foresees", &StepLimits::foresees);
  nb::class_<StepTally>(m, "StepTally", "Statistics of the chosen steps.")
      .def_ro("accepted", &StepTally::accepted)
      .def_ro("rejected", &StepTally::rejected)
      .def_ro("shortest", &StepTally::shortest, "Of the accepted steps, s.")
      .def_ro("longest", &StepTally::longest, "Of the accepted steps, s.")
      .def_ro("at_smallest", &StepTally::at_smallest,
              "Accepted steps that were held at the smallest length and missed the tolerance.")
      .def_ro("kept_there", &StepTally::kept_there, "How many of them by each signal, by its number in the law.")
      .def_ro("saw_change", &StepTally::saw_change, "Whether any step had an estimate above zero.");
  nb::class_<Pace>(m, "Pace", "How the next step of one participant is chosen.");
  m.def(
      "law_pace",
      [](std::shared_ptr<StepLaw> law, const StepLimits& limits) -> std::shared_ptr<Pace> {
        return std::make_shared<LawPace>(std::move(law), limits);
      },
      nb::arg("law"), nb::arg("limits"));
  nb::class_<SharedLength, Pace>(m, "SharedLength", "Lengths of steps within a window, the same for all participants.")
      .def(nb::init<>());
  nb::class_<OutputTolerance>(m, "OutputTolerance", "An output whose error is estimated from two passes.")
      .def(
          "__init__",
          [](OutputTolerance* self, int participant, int column, const SignalTolerance& tolerance) {
            new (self) OutputTolerance{participant, column, tolerance};
          },
          nb::arg("participant"), nb::arg("column"), nb::arg("tolerance"));
  nb::class_<WallClock>(m, "WallClock", "Synchronises a run with the wall clock.")
      .def(nb::init<double, double>(), nb::arg("factor"), nb::arg("start"))
      .def("tally", &WallClock::tally, nb::arg("participant"), "Of the steps of a participant.");
  nb::class_<WallClock::Tally>(m, "WallClockTally", "Steps that ended later than their time on the wall clock.")
      .def_ro("steps", &WallClock::Tally::steps)
      .def_ro("overruns", &WallClock::Tally::overruns)
      .def_ro("latest", &WallClock::Tally::latest, "Largest delay, s of wall time.")
      .def_ro("time_of_latest", &WallClock::Tally::time_of_latest, "s of the run.");
}

}  // namespace counterpoint::bind
