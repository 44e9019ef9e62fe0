#pragma once

#include <string>

#include "coupling/network.hpp"
#include "recipe/kind.hpp"

namespace counterpoint::exported {

/// Write down what a network saved. Throws when a subsystem cannot.
void write_network(const Network::Saved& saved, recipe::Writer& writer);

/// What `write_network` wrote when all had come to `time`, for a network that was made in the same way and has begun.
/// Nothing in the bytes is trusted; throws RecipeError when they do not fit.
Network::Saved read_network(const Network& network, double time, recipe::Reader& reader);

/// Bytes that say what they are and whether they are whole.
std::string seal(const std::string& body);
/// What is in them. Throws RecipeError: it is no state, of another version, or damaged.
std::string unseal(std::string_view bytes);

}  // namespace counterpoint::exported
