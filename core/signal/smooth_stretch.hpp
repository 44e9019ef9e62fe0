#pragma once

#include "signal/approximation.hpp"

namespace counterpoint {

/// Samples between which a signal does not jump, and the times for which they serve.
struct SmoothStretch {
  Samples samples;
  double from = -Polynomial::infinity;
  double to = Polynomial::infinity;
};

/// The stretch that t lies in, looked for among the `most` samples on either side of the one ahead of t. At a jump, a
/// step that begins there sees what comes after it, any other step what was before.
SmoothStretch smooth_stretch(const Samples& all, const ConsumerStep& step, double t, int most);

}  // namespace counterpoint
