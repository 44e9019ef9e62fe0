// Sinks that act on the run.

#include <algorithm>

#include "diagram/parameters.hpp"

namespace counterpoint::diagram {
namespace {

/// Ends the run when the input is positive.
class Stop final : public Block {
 public:
  explicit Stop(std::string message) : Block({"u"}, {}), message_(std::move(message)) {}
  int crossings() const override { return in_width(0); }
  bool may_end_run() const override { return true; }
  std::string run_end() const override {
    const bool ends = std::any_of(in(0), in(0) + in_width(0), [](double u) { return u > 0.0; });
    return ends ? message_ : "";
  }
  void output(const Context&, int) override {}
  void crossing(const Context&, double* g) override { std::copy_n(in(0), in_width(0), g); }

 private:
  std::string message_;
};

/// Fails when the input is zero at an accepted time.
class Assertion final : public Block {
 public:
  explicit Assertion(std::string message) : Block({"u"}, {}), message_(std::move(message)) {}
  bool updates() const override { return true; }
  bool remembers() const override { return true; }
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
  registry.add("stop", [](Reader& p) { return std::make_shared<Stop>(p.text("message", "its input is positive")); });
  registry.add("assertion", [](Reader& p) { return std::make_shared<Assertion>(p.text("message", "its input is zero")); });
}

}  // namespace counterpoint::diagram
