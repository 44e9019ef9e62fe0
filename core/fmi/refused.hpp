#pragma once

#include "coupling/failure.hpp"

namespace counterpoint::fmi {

/// The FMU returned no instance, and is otherwise unharmed: it may be asked again in another way.
class InstanceRefused final : public ComponentFailure {
 public:
  explicit InstanceRefused(const std::string& message) : ComponentFailure(message, true) {}
};

}  // namespace counterpoint::fmi
