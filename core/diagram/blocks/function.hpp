#pragma once

#include "diagram/block.hpp"

namespace counterpoint::diagram {

/// A compiled function: time, all inputs one after another, all outputs one after another.
using CompiledFunction = void (*)(double t, const double* u, double* y);

/// A block around a compiled function. `is_pure`: it does not look at the time.
BlockPointer make_compiled_function(CompiledFunction function, std::vector<std::string> inputs,
                                    std::vector<std::string> outputs, std::vector<int> widths, bool is_pure);

}  // namespace counterpoint::diagram
