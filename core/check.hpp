#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

// Two kinds of mistakes, told apart by type:
//
//     throw UserError(...)              the user's: always checked. The message says where, what is wrong with the
//                                       value, and what is allowed. ValueError in Python.
//     COUNTERPOINT_ASSERT(condition)    ours: a promise between two places in the core was broken. The message says
//     internal_error(...)               where and asks for a report. InternalError in Python.
//
// What is not a mistake of either (a component died, a solver did not converge) has its own types in the rooms
// concerned.

namespace counterpoint {

/// The user asked for something that is not possible.
class UserError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The core broke one of its own promises.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void internal_error(const std::string& what,
                                        const std::source_location& place = std::source_location::current()) {
  std::string file = place.file_name();
  if (const std::size_t core = file.rfind("core/"); core != std::string::npos) file.erase(0, core);
  throw InternalError("internal error: " + what + " (" + file + ":" + std::to_string(place.line()) +
                      "); please report it together with the model");
}

}  // namespace counterpoint

/// Checked in every build; not for inner loops.
#define COUNTERPOINT_ASSERT(condition)                                             \
  do {                                                                             \
    if (!(condition)) ::counterpoint::internal_error(#condition " does not hold"); \
  } while (false)
