#include "diagram/diagram_subsystem.hpp"

#include <algorithm>
#include <cmath>

#include "recipe/factory.hpp"

namespace counterpoint::diagram {

struct DiagramSubsystem::Saved final : SavedState {
  Saved(std::shared_ptr<const Simulator::Saved> state, bool begun, double step)
      : simulator(std::move(state)), has_begun(begun), last_step(step) {}
  bool write(recipe::Writer& writer) const override {
    writer(has_begun, last_step);
    return Simulator::write(*simulator, writer);
  }
  std::shared_ptr<const Simulator::Saved> simulator;
  bool has_begun;
  double last_step;
};

DiagramSubsystem::DiagramSubsystem(FlatDiagram diagram, const SimulatorOptions& options, bool publishes_events,
                                   double preferred_step)
    : simulator_(std::move(diagram), options),
      publishes_events_(publishes_events),
      preferred_step_(preferred_step),
      y_(simulator_.execution().outputs()),
      dy_(y_.size()) {
  const Execution& execution = simulator_.execution();
  for (std::size_t b = 0; b < execution.diagram().blocks.size(); ++b) {
    if (execution.diagram().blocks[b].block->is_inlet())
      inputs_ += execution.shape(static_cast<int>(b)).outputs.front();
  }
}

void DiagramSubsystem::start(double t) {
  start_ = t;
  last_step_ = 0.0;
  has_begun_ = false;
}

double DiagramSubsystem::step(double t, double t_end, Inputs& u) {
  // The first instant is made again with what is known of the inputs now.
  if (!has_begun_) simulator_.start(t, &u);
  has_begun_ = true;
  const double reached = simulator_.advance(t_end, &u, publishes_events_);
  last_step_ = reached - t;
  return reached;
}

const double* DiagramSubsystem::output(double, Inputs& u) {
  if (!has_begun_) simulator_.start(start_, &u);
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = simulator_.execution().output(static_cast<int>(i));
  return y_.data();
}

const double* DiagramSubsystem::output_again(double t, Inputs& u) {
  if (has_begun_) simulator_.evaluate_with(&u);
  return output(t, u);
}

const double* DiagramSubsystem::output_derivative(double t, Inputs& u) {
  if (!has_begun_) simulator_.start(start_, &u);
  const double length = std::max(last_step_ > 0.0 ? 1e-4 * last_step_ : 1e-6, 1e-8 * std::abs(t));
  simulator_.slopes_along_motion(length, &u, dy_);
  return dy_.data();
}

std::unique_ptr<SavedState> DiagramSubsystem::save() const {
  auto simulator = simulator_.save();
  return simulator ? std::make_unique<Saved>(std::move(simulator), has_begun_, last_step_) : nullptr;
}

void DiagramSubsystem::restore(const SavedState& state) {
  const Saved& saved = static_cast<const Saved&>(state);
  simulator_.restore(*saved.simulator);
  has_begun_ = saved.has_begun;
  last_step_ = saved.last_step;
}

std::unique_ptr<SavedState> DiagramSubsystem::read_state(recipe::Reader& reader) const {
  bool begun = false;
  double step = 0.0;
  reader(begun, step);
  return std::make_unique<Saved>(simulator_.read_state(reader), begun, step);
}

}  // namespace counterpoint::diagram
