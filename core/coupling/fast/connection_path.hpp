#pragma once

#include <cstddef>

namespace counterpoint::fast {

/// The fast paths that serve a connection, chosen once per set-up by `InputPaths::choose`.
struct ConnectionPath {
  int newest_points = 0;             ///< number of newest samples of the polynomial; 0: not served (newest_points.hpp)
  bool is_line = false;              ///< a scalar that is held or extrapolated by a line (line_input.hpp)
  bool interpolates = false;         ///< also between samples: through the one ahead and those before it
  std::size_t place = 0;             ///< of the last search, in `newest_points.hpp`
  bool compares_by_samples = false;  ///< assumed values are computed again from samples (derived_comparison.hpp)
  bool compares_newest = false;      ///< compared with the newest samples (newest_comparison.hpp)
  bool assumes_newest = false;       ///< and assuming needs no other test
  bool deferred = false;             ///< compared after the run (deferred_comparison.hpp)
  double deferred_from = 0.0;        ///< s
};

}  // namespace counterpoint::fast
