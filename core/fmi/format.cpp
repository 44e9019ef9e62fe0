// printf for text that is not trusted: every conversion is taken apart before its argument is touched.

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "coupling/failure.hpp"
#include "fmi/log.hpp"

#if defined(__linux__)
#include <sys/uio.h>
#include <unistd.h>
#endif

namespace counterpoint::fmi {

namespace {

constexpr std::size_t longest_text = 4000;
constexpr int widest = 500;
constexpr std::size_t most_bytes = std::size_t{1} << 31;

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

std::string read_string(const char* address, int precision) {
  if (address == nullptr) return "(null)";
  return read_text(address, precision >= 0 ? static_cast<std::size_t>(precision) : longest_text);
}

/// Copy memory of this process that may not be there; returns how many bytes could be read.
std::size_t copy_memory(const void* from, void* into, std::size_t size) {
#if defined(__linux__)
  const iovec ours{into, size};
  const iovec theirs{const_cast<void*>(from), size};
  const ssize_t got = process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0);
  if (got >= 0) return static_cast<std::size_t>(got);
  if (errno != EPERM && errno != ENOSYS) return 0;  // some containers forbid it
#endif
  std::memcpy(into, from, size);
  return size;
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

std::string read_text(const char* address, std::size_t most) {
  if (address == nullptr) return "";
  std::string text;
  while (text.size() < most) {
    char block[256];
    const char* from = address + text.size();
    // never across the end of a page
    std::size_t size = sizeof block - reinterpret_cast<std::uintptr_t>(from) % sizeof block;
    if (size > most - text.size()) size = most - text.size();
    const std::size_t got = copy_memory(from, block, size);
    if (got == 0) return text.empty() ? "(unreadable)" : text;
    const void* end = std::memchr(block, 0, got);
    if (end != nullptr) return text.append(static_cast<const char*>(block), static_cast<const char*>(end));
    text.append(block, got);
  }
  return text;
}

std::string read_bytes(const void* address, std::size_t size) {
  if (address == nullptr || size == 0) return "";
  if (size > most_bytes)
    throw ComponentFailure("the FMU gives a binary value of " + std::to_string(size) + " bytes; expected at most 2^31");
  std::string bytes(size, '\0');
  if (copy_memory(address, bytes.data(), size) != size)
    throw ComponentFailure("the FMU gives a binary value of " + std::to_string(size) + " bytes that cannot be read");
  return bytes;
}

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
