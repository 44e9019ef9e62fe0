// Where a diagram meets the world: its inputs, and ends for unused signals.

#include <algorithm>

#include "diagram/parameters.hpp"

namespace counterpoint::diagram {
namespace {

/// An input of the diagram: `offset` scalars into its inputs, or a constant when it runs by itself.
class Inlet final : public Block {
 public:
  Inlet(int offset, std::vector<double> otherwise)
      : Block({}, {"y"}), offset_(offset), otherwise_(std::move(otherwise)) {
    if (offset < 0) throw std::invalid_argument("\"offset\": must not be negative");
  }
  void shape(Shape& shape) const override { shape.outputs[0] = static_cast<int>(otherwise_.size()); }
  int inlet() const override { return offset_; }
  void output(const Context& context, int) override {
    const double* from = context.inputs ? context.inputs->at(context.time) + offset_ : otherwise_.data();
    std::copy_n(from, otherwise_.size(), out(0));
  }

 private:
  int offset_;
  std::vector<double> otherwise_;
};

class Terminator final : public Block {
 public:
  Terminator() : Block({"u"}, {}) {}
  void output(const Context&, int) override {}
};

}  // namespace

void add_ports(Registry& registry) {
  registry.add("inlet", [](ParameterReader& p) {
    return std::make_shared<Inlet>(p.integer("offset", 0), p.vector("value", {0.0}));
  });
  registry.add("terminator", [](ParameterReader&) { return std::make_shared<Terminator>(); });
}

}  // namespace counterpoint::diagram
