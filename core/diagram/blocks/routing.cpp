// Vectors put together and taken apart.

#include <algorithm>
#include <cmath>

#include "diagram/blocks/elementwise.hpp"

namespace counterpoint::diagram {
namespace {

/// Copies of scalars, the same for all routing: where from, where to.
class Routing : public Block {
 public:
  using Block::Block;
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    for (const Route& route : routes_) *route.to = *route.from;
  }

 protected:
  struct Route {
    const double* from;
    double* to;
  };
  std::vector<Route> routes_;
};

/// All inputs after each other.
class Mux final : public Routing {
 public:
  explicit Mux(int count) : Routing(numbered("u", static_cast<std::size_t>(count)), {"y"}) {}
  void shape(Shape& shape) const override {
    int total = 0;
    for (int width : shape.inputs) {
      if (width == 0) return;
      total += width;
    }
    shape.outputs[0] = total;
  }
  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    routes_.clear();
    if (bound().in.empty()) return;
    double* to = out(0);
    for (int i = 0; i < inputs(); ++i) {
      for (int k = 0; k < in_width(i); ++k) routes_.push_back({in(i) + k, to++});
    }
  }
};

/// The input cut into parts of given widths, or into equal ones when none are given.
class Demux final : public Routing {
 public:
  Demux(int count, std::vector<double> widths)
      : Routing({"u"}, numbered("y", static_cast<std::size_t>(count))), widths_(widths.begin(), widths.end()) {}
  void shape(Shape& shape) const override {
    const int width = shape.inputs[0];
    if (width > 0 && width % outputs() != 0 && widths_.empty()) {
      throw ShapeError("cannot be cut into " + std::to_string(outputs()) + " equal parts", 0);
    }
    if (widths_.empty()) {
      if (width > 0) std::fill(shape.outputs.begin(), shape.outputs.end(), width / outputs());
      return;
    }
    int total = 0;
    for (int part : widths_) total += part;
    if (width > 0 && width != total)
      throw ShapeError("the widths of the outputs add up to " + std::to_string(total), 0);
    shape.outputs = widths_;
  }
  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    routes_.clear();
    if (bound().in.empty()) return;
    const double* from = in(0);
    for (int j = 0; j < outputs(); ++j) {
      for (int k = 0; k < out_width(j); ++k) routes_.push_back({from++, out(j) + k});
    }
  }

 private:
  std::vector<int> widths_;
};

/// Components by place; negative places count from the end. Either listed, or from a place to another in steps.
class Selector final : public Routing {
 public:
  struct Range {
    bool has_start = false, has_stop = false;
    int start = 0, stop = 0, step = 1;
  };
  explicit Selector(std::vector<double> indices) : Routing({"u"}, {"y"}), indices_(indices.begin(), indices.end()) {}
  explicit Selector(const Range& range) : Routing({"u"}, {"y"}), range_(range), is_range_(true) {}

  void shape(Shape& shape) const override {
    if (shape.inputs[0] > 0) shape.outputs[0] = static_cast<int>(places(shape.inputs[0]).size());
  }
  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    routes_.clear();
    if (bound().in.empty()) return;
    double* to = out(0);
    for (int place : places(in_width(0))) routes_.push_back({in(0) + place, to++});
  }

 private:
  std::vector<int> places(int width) const {
    std::vector<int> found = is_range_ ? places_of_range(width) : indices_;
    for (int& place : found) {
      if (place < -width || place >= width) {
        throw ShapeError("no component " + std::to_string(place) + " in a signal of width " + std::to_string(width), 0);
      }
      if (place < 0) place += width;
    }
    if (found.empty()) throw ShapeError("selects nothing of a signal of width " + std::to_string(width), 0);
    return found;
  }
  /// As Python's slices.
  std::vector<int> places_of_range(int width) const {
    const bool goes_up = range_.step > 0;
    const int lowest = goes_up ? 0 : -1, highest = goes_up ? width : width - 1;
    const auto limited = [&](int place) { return std::clamp(place < 0 ? place + width : place, lowest, highest); };
    const int start = range_.has_start ? limited(range_.start) : (goes_up ? lowest : highest);
    const int stop = range_.has_stop ? limited(range_.stop) : (goes_up ? highest : lowest);
    std::vector<int> found;
    for (int place = start; goes_up ? place < stop : place > stop; place += range_.step) found.push_back(place);
    return found;
  }

  std::vector<int> indices_;
  Range range_;
  bool is_range_ = false;
};

int count_of(ParameterReader& p, const char* name) {
  const int count = p.integer(name, 2);
  if (count < 1 || count > 1000000) {
    throw std::invalid_argument("\"" + std::string(name) + "\": " + std::to_string(count) + "; expected 1 or more");
  }
  return count;
}

void check_whole(const char* name, const std::vector<double>& values, double least) {
  for (double value : values) {
    if (value == std::floor(value) && value >= least && value < 1e9) continue;
    throw std::invalid_argument("\"" + std::string(name) + "\": " + shown(value) + "; expected integers" +
                                (least > 0.0 ? " of at least " + shown(least) : ""));
  }
}

BlockPointer make_demux(ParameterReader& p) {
  if (!p.has("widths")) return std::make_shared<Demux>(count_of(p, "outputs"), std::vector<double>{});
  const std::vector<double> widths = p.vector("widths");
  check_whole("widths", widths, 1.0);
  if (widths.empty()) throw std::invalid_argument("\"widths\": expected at least one");
  return std::make_shared<Demux>(static_cast<int>(widths.size()), widths);
}

BlockPointer make_selector(ParameterReader& p) {
  if (p.has("indices")) {
    const std::vector<double> indices = p.vector("indices");
    check_whole("indices", indices, -1e9);
    if (indices.empty()) throw std::invalid_argument("\"indices\": expected at least one");
    return std::make_shared<Selector>(indices);
  }
  Selector::Range range{p.has("start"), p.has("stop"), p.integer("start", 0), p.integer("stop", 0),
                        p.integer("step", 1)};
  if (range.step == 0) throw std::invalid_argument("\"step\": 0; expected another integer");
  return std::make_shared<Selector>(range);
}

}  // namespace

void add_routing(Registry& registry) {
  registry.add("mux", [](ParameterReader& p) { return std::make_shared<Mux>(count_of(p, "count")); });
  registry.add("demux", make_demux);
  registry.add("selector", make_selector);
}

}  // namespace counterpoint::diagram
