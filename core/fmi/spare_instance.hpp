#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "fmi/instance.hpp"

namespace counterpoint::fmi {

/// An instance that was set back at the end of a run, for the next run with the same settings: many short runs then
/// instantiate once. Runs in several threads may share it; those that find nothing make an instance of their own.
class SpareInstance {
 public:
  struct Kept {
    std::shared_ptr<Instance> instance;
    std::shared_ptr<Log> log;  ///< that the instance writes to
  };

  /// The instance, if there is one with these settings; otherwise null.
  Kept take(const InstanceSettings& settings) {
    const std::lock_guard lock(mutex_);
    if (!kept_.instance || !(settings_ == settings)) return {};
    ++reuses_;
    return std::exchange(kept_, {});
  }

  /// Keep an instance that is set back; one that is kept already is freed.
  void put(const InstanceSettings& settings, Kept kept) {
    const std::lock_guard lock(mutex_);
    settings_ = settings;
    kept_ = std::move(kept);
  }

  /// Runs that took it.
  long reuses() const {
    const std::lock_guard lock(mutex_);
    return reuses_;
  }

 private:
  mutable std::mutex mutex_;
  InstanceSettings settings_;
  Kept kept_;
  long reuses_ = 0;
};

}  // namespace counterpoint::fmi
