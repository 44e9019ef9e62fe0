// printf for text that is not trusted: every conversion is taken apart before its argument is touched.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "fmi/log.hpp"

#if defined(__linux__)
#include <sys/uio.h>
#include <unistd.h>
#endif

namespace counterpoint::fmi {

namespace {

constexpr std::size_t longest_text = 4000;
constexpr int widest = 500;

struct Arguments {
  std::va_list list;
};

/// One conversion, such as %-8.3lf.
struct Conversion {
  std::string flags;
  int width = -1;
  int precision = -1;
  std::string length;
  char kind = 0;  ///< 0: not understood

  std::string specification(const char* length_text) const {
    std::string made = "%" + flags;
    if (width >= 0) made += std::to_string(width);
    if (precision >= 0) made += "." + std::to_string(precision);
    return made + length_text + kind;
  }
};

/// A number, or * for an argument; -1 when there is none.
int read_count(const char*& place, Arguments& arguments) {
  if (*place == '*') {
    ++place;
    const int given = va_arg(arguments.list, int);
    return given < 0 ? -given : given;
  }
  if (!std::isdigit(static_cast<unsigned char>(*place))) return -1;
  int value = 0;
  for (; std::isdigit(static_cast<unsigned char>(*place)); ++place)
    value = value > widest ? value : 10 * value + (*place - '0');
  return value;
}

Conversion read_conversion(const char*& place, Arguments& arguments) {
  Conversion made;
  while (*place != '\0' && std::strchr("-+ #0", *place) != nullptr && made.flags.size() < 5) made.flags += *place++;
  made.width = read_count(place, arguments);
  if (*place == '.') {
    ++place;
    made.precision = read_count(place, arguments);
    if (made.precision < 0) made.precision = 0;
  }
  while (*place != '\0' && std::strchr("hljztL", *place) != nullptr && made.length.size() < 2) made.length += *place++;
  const bool known = *place != '\0' && std::strchr("diuoxXcfFeEgGaAsp%", *place) != nullptr;
  if (known && made.width <= widest && made.precision <= widest) made.kind = *place++;
  return made;
}

/// A string of the FMU; the kernel is asked to copy it, so that a bad address is an answer and not a crash.
std::string read_string(const char* address, int precision) {
  if (address == nullptr) return "(null)";
  const std::size_t most = precision >= 0 ? static_cast<std::size_t>(precision) : longest_text;
#if defined(__linux__)
  std::string text;
  while (text.size() < most) {
    char block[256];
    const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(address) + text.size();
    std::size_t size = sizeof block - from % sizeof block;  // never across the end of a page
    if (size > most - text.size()) size = most - text.size();
    const iovec ours{block, size};
    const iovec theirs{reinterpret_cast<void*>(from), size};
    const ssize_t got = process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0);
    if (got <= 0) return text.empty() ? "(unreadable)" : text;
    const void* end = std::memchr(block, 0, static_cast<std::size_t>(got));
    if (end != nullptr) return text.append(static_cast<const char*>(block), static_cast<const char*>(end));
    text.append(block, static_cast<std::size_t>(got));
  }
  return text;
#else
  std::size_t size = 0;
  while (size < most && address[size] != '\0') ++size;
  return std::string(address, size);
#endif
}

template <class Value>
std::string print(const std::string& specification, Value value) {
  char text[2 * widest + 400];
  const int size = std::snprintf(text, sizeof text, specification.c_str(), value);
  return size < 0 ? "" : std::string(text, std::min<std::size_t>(static_cast<std::size_t>(size), sizeof text - 1));
}

std::string print_integer(const Conversion& c, Arguments& arguments) {
  long long value = 0;
  const bool is_signed = c.kind == 'd' || c.kind == 'i';
  if (c.length == "ll" || c.length == "j")
    value = va_arg(arguments.list, long long);
  else if (c.length == "l")
    value = is_signed ? va_arg(arguments.list, long) : static_cast<long long>(va_arg(arguments.list, unsigned long));
  else if (c.length == "z" || c.length == "t")
    value = static_cast<long long>(va_arg(arguments.list, std::size_t));
  else if (is_signed)
    value = va_arg(arguments.list, int);
  else
    value = va_arg(arguments.list, unsigned);
  return print(c.specification("ll"), value);
}

std::string print_argument(const Conversion& c, Arguments& arguments) {
  switch (c.kind) {
    case '%':
      return "%";
    case 'c':
      return std::string(1, static_cast<char>(va_arg(arguments.list, int)));
    case 'p':
      return print("%p", va_arg(arguments.list, void*));
    case 's':
      return print(c.specification(""), read_string(va_arg(arguments.list, const char*), c.precision).c_str());
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return print_integer(c, arguments);
    default:
      if (c.length == "L") return print(c.specification("L"), va_arg(arguments.list, long double));
      return print(c.specification(""), va_arg(arguments.list, double));
  }
}

}  // namespace

std::string format_safely(const char* format, std::va_list given) {
  if (format == nullptr) return "";
  Arguments arguments;
  va_copy(arguments.list, given);
  std::string text;
  const char* place = format;
  while (*place != '\0' && text.size() < longest_text) {
    if (*place != '%') {
      text += *place++;
      continue;
    }
    const char* begin = place++;
    const Conversion conversion = read_conversion(place, arguments);
    if (conversion.kind == 0) {  // what the other arguments are is not known any more
      text += begin;
      break;
    }
    text += print_argument(conversion, arguments);
  }
  va_end(arguments.list);
  return text;
}

}  // namespace counterpoint::fmi
