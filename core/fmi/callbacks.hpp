#pragma once

#include <cstdarg>
#include <exception>
#include <memory>

#include "fmi/instance.hpp"
#include "fmi/log.hpp"

namespace counterpoint::fmi {

/// What the callbacks of an instance know.
struct Environment {
  std::shared_ptr<Log> log;
  const IntermediateInputs* inputs = nullptr;  ///< of the step under way
  std::exception_ptr error;                    ///< thrown inside a callback: it must not cross the FMU
};

/// Gives an instance its environment and takes it back. Callbacks get a pointer to it from the FMU, which may be
/// anything: it is looked up, never followed.
class OwnEnvironment {
 public:
  explicit OwnEnvironment(std::shared_ptr<Log> log);
  ~OwnEnvironment();
  OwnEnvironment(const OwnEnvironment&) = delete;
  OwnEnvironment& operator=(const OwnEnvironment&) = delete;

  Environment* get() const { return made_.get(); }
  Environment* operator->() const { return made_.get(); }

 private:
  std::shared_ptr<Environment> made_;
};

/// The environment that a callback was given; if it is not that of a living instance, the one of the call that is under
/// way in this thread; null when there is none either, such as after the instance was freed.
std::shared_ptr<Environment> environment_of(const void* given);

/// A message of an FMU, whatever the pointers point to; with arguments, its printf conversions are filled in.
void take_message(const void* environment, int status, const char* category, const char* message,
                  std::va_list* arguments) noexcept;

}  // namespace counterpoint::fmi
