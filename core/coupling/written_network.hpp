#pragma once

#include "coupling/network.hpp"
#include "recipe/factory.hpp"

namespace counterpoint {

/// Write down what a network saved. Throws when a subsystem cannot.
void write_network(const Network::Saved& saved, recipe::Writer& writer);

/// What `write_network` wrote when all participants had come to `time`, for a network that was made in the same way and
/// has begun.
/// Nothing in the bytes is trusted; throws RecipeError when they do not fit.
Network::Saved read_network(const Network& network, double time, recipe::Reader& reader);

}  // namespace counterpoint
