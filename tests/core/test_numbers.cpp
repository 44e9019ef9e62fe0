// Numbers in texts: the same as printf writes in the C locale, whatever the locale of the process is.

#include "numbers.hpp"

#include <clocale>
#include <limits>

#include "check.hpp"

using counterpoint::number_from;
using counterpoint::number_text;
using counterpoint::Text;

namespace {

/// A locale that writes a comma, if this computer has one; "C" again at the end.
class WithComma {
 public:
  WithComma() {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "de_DE", "German_Germany"}) {
      if (std::setlocale(LC_NUMERIC, name) != nullptr) return;
    }
  }
  ~WithComma() { std::setlocale(LC_NUMERIC, "C"); }
};

void check_numbers() {
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(1e-9) == "1e-09");
  CHECK(number_text(123456789.0) == "1.23457e+08");
  CHECK(number_text(123456789.0, 9) == "123456789");
  CHECK(number_text(-0.1, 17) == "-0.10000000000000001");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "inf");
  for (const double value : {0.0, -1.5, 0.1, 1e300, 5e-324, 1.0 / 3.0})
    CHECK(number_from(number_text(value, 17)) == value);
}

}  // namespace

TEST(numbers_are_written_with_a_point) {
  check_numbers();
  const WithComma locale;
  check_numbers();
}

TEST(only_decimal_numbers_are_read) {
  CHECK(number_from("2.5e-1") == 0.25);
  CHECK(number_from("+2.") == 2.0);
  CHECK(number_from(".5") == 0.5);
  for (const char* text : {"", " 1", "1 ", "1,5", "1.5.", "0x10", "inf", "nan", "1e", "-", "1.5 s"})
    CHECK(!number_from(text).has_value());
}

TEST(a_text_is_made_from_parts) {
  Text text(9);
  text << "t = " << 1.0 / 3.0 << " s, " << 3 << ' ' << std::string("parts") << " of " << 4u;
  text.precision(3);
  text << ", " << 2.0 / 3.0f;
  CHECK(text.str() == "t = 0.333333333 s, 3 parts of 4, 0.667");
}
