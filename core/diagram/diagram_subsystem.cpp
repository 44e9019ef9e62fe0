#include "diagram/diagram_subsystem.hpp"

#include <algorithm>

#include "recipe/factory.hpp"

namespace counterpoint::diagram {

struct DiagramSubsystem::Saved final : SavedState {
  Saved(std::shared_ptr<const Simulator::Saved> state, bool begun) : simulator(std::move(state)), has_begun(begun) {}
  bool write(recipe::Writer& writer) const override {
    writer(has_begun);
    return Simulator::write(*simulator, writer);
  }
  std::shared_ptr<const Simulator::Saved> simulator;
  bool has_begun;
};

DiagramSubsystem::DiagramSubsystem(FlatDiagram diagram, const SimulatorOptions& options, bool publishes_events,
                                   double preferred_step)
    : simulator_(std::move(diagram), options),
      publishes_events_(publishes_events),
      preferred_step_(preferred_step),
      y_(simulator_.execution().outputs()) {
  const Execution& execution = simulator_.execution();
  for (std::size_t b = 0; b < execution.diagram().blocks.size(); ++b) {
    if (execution.diagram().blocks[b].block->is_inlet())
      inputs_ += execution.shape(static_cast<int>(b)).outputs.front();
  }
}

void DiagramSubsystem::start(double t) {
  start_ = t;
  has_begun_ = false;
}

double DiagramSubsystem::step(double t, double t_end, Inputs& u) {
  // The first instant is made again with what is known of the inputs now.
  if (!has_begun_) simulator_.start(t, &u);
  has_begun_ = true;
  return simulator_.advance(t_end, &u, publishes_events_);
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

std::unique_ptr<SavedState> DiagramSubsystem::save() const {
  auto simulator = simulator_.save();
  return simulator ? std::make_unique<Saved>(std::move(simulator), has_begun_) : nullptr;
}

void DiagramSubsystem::restore(const SavedState& state) {
  const Saved& saved = static_cast<const Saved&>(state);
  simulator_.restore(*saved.simulator);
  has_begun_ = saved.has_begun;
}

std::unique_ptr<SavedState> DiagramSubsystem::read_state(recipe::Reader& reader) const {
  bool begun = false;
  reader(begun);
  return std::make_unique<Saved>(simulator_.read_state(reader), begun);
}

}  // namespace counterpoint::diagram
