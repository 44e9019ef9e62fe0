#pragma once

#include <string>

namespace counterpoint::fmi {

/// Strings and binary values as signals. A signal is a number: that of a text follows from its bytes, so that it is the
/// same in every process and in every run. It is a whole number below 2^53, and 0 for an empty text.
///
/// May be called from any thread.
class Texts {
 public:
  static double number_of(const std::string& text);
  /// Throws ComponentFailure for a number that does not belong to a text.
  static std::string text_of(double number);
  /// From now on texts are also files in a folder, where other processes find those that they do not know.
  static void share(const std::string& folder);
};

}  // namespace counterpoint::fmi
