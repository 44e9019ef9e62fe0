#pragma once

// A test is a named function; a failed check is reported with its place and the test goes on.

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test> tests;
inline int failures = 0;

struct Registration {
  Registration(const char* name, void (*body)()) { tests.push_back({name, body}); }
};

inline void fail(const char* file, int line, const std::string& text) {
  ++failures;
  if (failures <= 20) std::printf("%s:%d: %s\n", file, line, text.c_str());
}

inline std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

inline void close(const char* file, int line, const char* what, double expected, double actual, double tolerance) {
  if (std::abs(expected - actual) <= tolerance) return;
  fail(file, line,
       std::string(what) + ": expected " + number(expected) + ", got " + number(actual) + " (tolerance " +
           number(tolerance) + ")");
}

inline void mentions(const char* file, int line, const std::string& message, const std::string& text) {
  if (message.find(text) == std::string::npos) fail(file, line, "message \"" + message + "\" lacks \"" + text + "\"");
}

inline int run_all() {
  int failed = 0;
  for (const Test& test : tests) {
    failures = 0;
    try {
      test.body();
    } catch (const std::exception& error) {
      fail(test.name, 0, std::string("exception: ") + error.what());
    }
    if (failures == 0) continue;
    ++failed;
    std::printf("FAILED %s (%d checks)\n", test.name, failures);
  }
  std::printf("%zu passed, %d failed\n", tests.size() - static_cast<std::size_t>(failed), failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                   \
  static void name();                                                \
  static const check::Registration registration_##name{#name, name}; \
  static void name()

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) check::fail(__FILE__, __LINE__, "not true: " #condition); \
  } while (false)

#define CHECK_CLOSE(expected, actual, tolerance) check::close(__FILE__, __LINE__, #actual, expected, actual, tolerance)

/// The expression throws `Kind` and the message holds `text`.
#define CHECK_THROWS(Kind, text, expression)                           \
  do {                                                                 \
    try {                                                              \
      expression;                                                      \
      check::fail(__FILE__, __LINE__, "nothing thrown: " #expression); \
    } catch (const Kind& caught) {                                     \
      check::mentions(__FILE__, __LINE__, caught.what(), text);        \
    }                                                                  \
  } while (false)

int main() { return check::run_all(); }
