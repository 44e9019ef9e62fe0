// Steps with a profile. Apart from the others: compiled beside them, these take 15 % longer with one loop (measured).
#include "multibody/index3_step.hpp"

namespace counterpoint::multibody {

template class Index3Stepper<false, PhaseClock>;
template class Index3Stepper<true, PhaseClock>;

StepperPointer make_profiled_index3_stepper(ModelPointer model, const StepperOptions& options) {
  return make_index3_stepper_with<PhaseClock>(std::move(model), options);
}

}  // namespace counterpoint::multibody
