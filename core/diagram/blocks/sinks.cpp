// Sinks that act on the run.

#include <algorithm>

#include "diagram/parameters.hpp"

namespace counterpoint::diagram {
namespace {

/// Ends the run when the input is positive. z: whether it has been, at an instant: what was positive may be over when
/// the next step begins.
class Stop final : public Block {
 public:
  explicit Stop(std::string message) : Block({"u"}, {}), message_(std::move(message)) {}
  int memory() const override { return 1; }
  int crossings() const override { return in_width(0); }
  bool updates() const override { return true; }
  const std::string* run_end() const override { return *z() != 0.0 || is_positive() ? &message_ : &no_message_; }
  void start(const Context&) override { *z() = 0.0; }
  void output(const Context&, int) override {}
  bool update(const Context&) override {
    if (is_positive()) *z() = 1.0;
    return false;
  }
  void crossing(const Context&, double* g) override { std::copy_n(in(0), in_width(0), g); }

 private:
  bool is_positive() const {
    return std::any_of(in(0), in(0) + in_width(0), [](double u) { return u > 0.0; });
  }

  std::string message_, no_message_;
};

/// Fails when the input is zero at an accepted time.
class Assertion final : public Block {
 public:
  explicit Assertion(std::string message) : Block({"u"}, {}), message_(std::move(message)) {}
  bool updates() const override { return true; }
  Notices notices() const override { return {.remembers = true}; }
  void output(const Context&, int) override {}
  bool update(const Context& context) override {
    accepted(context);
    return false;
  }
  void accepted(const Context&) override {
    for (int k = 0; k < in_width(0); ++k) {
      if (in(0)[k] == 0.0) throw std::runtime_error("assertion failed: " + message_);
    }
  }

 private:
  std::string message_;
};

}  // namespace

void add_sinks(Registry& registry) {
  registry.add("stop",
               [](ParameterReader& p) { return std::make_shared<Stop>(p.text("message", "its input is positive")); });
  registry.add("assertion",
               [](ParameterReader& p) { return std::make_shared<Assertion>(p.text("message", "its input is zero")); });
}

}  // namespace counterpoint::diagram
