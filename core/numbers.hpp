#pragma once

#include <array>
#include <clocale>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

// Numbers in texts and texts as numbers, for sentences, protocols and parsers. With a point, whatever the locale of the
// process says, and without streams: the facets of std::locale have numbers that are shared by all libraries in a
// process (STB_GNU_UNIQUE), also by those that bring a standard library of their own. Once such a library is loaded,
// as the libzmq of the package helics is, a stream of the core writes nothing in place of a number, and a file
// stream may fail. Streams of ours would damage theirs in the same way.

namespace counterpoint {

/// The number as printf's %g with this many digits.
inline std::string number_text(double value, int digits = 6) {
  std::array<char, 64> made{};
  std::snprintf(made.data(), made.size(), "%.*g", digits, value);
  std::string text(made.data());
  const std::string_view point = std::localeconv()->decimal_point;
  if (point == ".") return text;
  if (const std::size_t place = text.find(point); place != std::string::npos) text.replace(place, point.size(), ".");
  return text;
}

/// The decimal number that the text is, nothing if there is anything else before, in or after it.
inline std::optional<double> number_from(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return {};
  const std::string_view point = std::localeconv()->decimal_point;
  std::string word(text);
  if (const std::size_t place = word.find('.'); place != std::string::npos) word.replace(place, 1, point);
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (end != word.c_str() + word.size()) return {};
  return value;
}

/// A text from its parts, in the manner of a stream; `digits` of the floating-point numbers.
class Text {
 public:
  explicit Text(int digits = 6) : digits_(digits) {}

  Text& operator<<(std::string_view part) {
    made_ += part;
    return *this;
  }
  Text& operator<<(char part) {
    made_ += part;
    return *this;
  }
  template <class Number>
    requires std::floating_point<Number>
  Text& operator<<(Number part) {
    return *this << std::string_view(number_text(static_cast<double>(part), digits_));
  }
  template <class Number>
    requires(std::integral<Number> && !std::same_as<Number, bool> && !std::same_as<Number, char>)
  Text& operator<<(Number part) {
    return *this << std::string_view(std::to_string(part));
  }

  /// Digits of what follows.
  void precision(int digits) { digits_ = digits; }
  const std::string& str() const { return made_; }

 private:
  std::string made_;
  int digits_;
};

}  // namespace counterpoint
