#include "multibody/index3_step.hpp"

namespace counterpoint::multibody {

// The members that are defined there; the others are in index3_seldom.cpp.
template class Index3Stepper<false, NoClock>;
template class Index3Stepper<true, NoClock>;

StepperPointer make_index3_stepper(ModelPointer model, const StepperOptions& options) {
  return options.profile ? make_profiled_index3_stepper(std::move(model), options)
                         : make_index3_stepper_with<NoClock>(std::move(model), options);
}

}  // namespace counterpoint::multibody
