// Gates: the conditions of enabled and triggered superblocks.

#include "diagram/blocks/edge.hpp"

namespace counterpoint::diagram {
namespace {

/// Open while the control signal is positive.
class Enable final : public Gate {
 public:
  explicit Enable(bool restarts) : Gate({"control"}, {}), restarts_(restarts) {}
  int crossings() const override { return 1; }
  bool stays_open() const override { return true; }
  bool restarts() const override { return restarts_; }
  bool opens(const Context&) override { return *in(0) > 0.0; }
  void crossing(const Context&, double* g) override { *g = *in(0); }

 private:
  bool restarts_;
};

/// Open at the instant in which the control signal passes zero. z: the control signal at the last instant, and whether
/// there was one: nothing fires at the start.
class Trigger final : public Gate {
 public:
  explicit Trigger(Edge edge) : Gate({"control"}, {}), edge_(edge) {}
  int memory() const override { return 2; }
  int crossings() const override { return 1; }
  bool updates() const override { return true; }
  bool stays_open() const override { return false; }
  void start(const Context&) override { z()[0] = z()[1] = 0.0; }
  bool opens(const Context&) override { return z()[1] != 0.0 && fires(edge_, z()[0], *in(0)); }
  bool update(const Context&) override {
    z()[0] = *in(0);
    z()[1] = 1.0;
    return false;
  }
  void crossing(const Context&, double* g) override { *g = *in(0); }

 private:
  Edge edge_;
};

}  // namespace

void add_conditions(Registry& registry) {
  registry.add("enable", [](ParameterReader& p) { return std::make_shared<Enable>(p.flag("restarts", false)); });
  registry.add("trigger", [](ParameterReader& p) {
    return std::make_shared<Trigger>(edge_from(p.word("edge", edge_words(), "rising")));
  });
}

}  // namespace counterpoint::diagram
