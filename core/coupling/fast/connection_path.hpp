#pragma once

#include <cstddef>

namespace counterpoint::fast {

/// Which fast paths serve a connection; `InputPaths::choose` says so, once for a set-up.
struct ConnectionPath {
  int newest_points = 0;      ///< samples behind the polynomial from the last one on; 0: not served (newest_points.hpp)
  bool is_line = false;       ///< a scalar that is held or a line from its newest samples on (line_input.hpp)
  bool interpolates = false;  ///< between samples its polynomial goes through the one ahead and those before it
  std::size_t place = 0;      ///< of the sample that was looked for last, in `newest_points.hpp`
  bool compares_by_samples = false;  ///< what was assumed is found again from samples (derived_comparison.hpp)
  bool compares_newest = false;      ///< what arrives is most often the newest sample (newest_comparison.hpp)
  bool assumes_newest = false;       ///< and nothing else has to be asked when it is assumed
  bool deferred = false;             ///< and after the run (deferred_comparison.hpp)
  double deferred_from = 0.0;        ///< s
};

}  // namespace counterpoint::fast
