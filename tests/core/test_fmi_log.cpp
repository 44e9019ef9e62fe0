#include <cstdarg>

#include "check.hpp"
#include "fmi/log.hpp"

using namespace counterpoint::fmi;

namespace {

std::string formatted(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string text = format_safely(format, arguments);
  va_end(arguments);
  return text;
}

}  // namespace

#define CHECK_TEXT(expected, actual) CHECK(std::string(expected) == (actual))

TEST(a_message_is_formatted_as_printf_would) {
  CHECK_TEXT("plain", formatted("plain"));
  CHECK_TEXT("a -7 7 ff 1.500 x 100%", formatted("%s %d %u %x %.3f %c %d%%", "a", -7, 7u, 255u, 1.5, 'x', 100));
  CHECK_TEXT("[   ab] [ab   ] [a]", formatted("[%5s] [%-5s] [%.1s]", "ab", "ab", "abc"));
  CHECK_TEXT("9223372036854775807 18 5", formatted("%lld %zu %ld", 9223372036854775807LL, std::size_t{18}, 5L));
  CHECK_TEXT("[ 3] 2.50", formatted("[%*d] %.*f", 2, 3, 2, 2.5));
  CHECK_TEXT("(null)", formatted("%s", static_cast<const char*>(nullptr)));
}

TEST(a_conversion_that_writes_or_is_not_known_ends_the_formatting) {
  int touched = 42;
  CHECK_TEXT("a %n %d", formatted("%s %n %d", "a", &touched, 1));
  CHECK(touched == 42);
  CHECK_TEXT("%y", formatted("%y"));
  CHECK_TEXT("50 %", formatted("50 %"));
  CHECK_TEXT("%99999d", formatted("%99999d", 1));
}

#if defined(__linux__)
TEST(a_string_that_is_no_memory_is_not_touched) {
  CHECK_TEXT("(unreadable)", formatted("%s", reinterpret_cast<const char*>(8)));
}
#endif

TEST(text_is_made_printable) {
  CHECK_TEXT("gr\xc3\xbcn \xe6\x97\xa5", printable("gr\xc3\xbcn \xe6\x97\xa5"));
  CHECK_TEXT("a b", printable("a\nb\n"));
  CHECK_TEXT("\\x1b[31m", printable("\x1b[31m"));
  CHECK_TEXT("\\xff\\xc3", printable("\xff\xc3"));
  CHECK_TEXT("\\xed\\xa0\\x80", printable("\xed\xa0\x80"));  // half of a surrogate pair
  CHECK(printable(std::string(100000, 'x')).size() < 3000);
}

TEST(a_flood_is_counted_and_the_last_words_are_kept) {
  Log log;
  for (int k = 0; k < 5000; ++k) log.add(k == 4999 ? 3 : 0, "category", "message " + std::to_string(k));
  CHECK(log.messages().size() == 1000);
  CHECK(log.dropped() == 4000);
  CHECK_TEXT("message 4999", log.last_words());
}
