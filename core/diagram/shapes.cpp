// Widths of signals: every block says what it can tell, until nothing new is said. Work is linear in the number of
// ports since a block is asked again only when a width of one of its ports became known.

#include <algorithm>
#include <deque>

#include "diagram/flat_diagram.hpp"

namespace counterpoint::diagram {
namespace {

class ShapeSearch {
 public:
  explicit ShapeSearch(const FlatDiagram& diagram) : diagram_(diagram), consumers_(diagram.blocks.size()) {
    for (std::size_t b = 0; b < diagram.blocks.size(); ++b) {
      const FlatBlock& entry = diagram.blocks[b];
      shapes_.push_back({std::vector<int>(entry.block->inputs()), std::vector<int>(entry.block->outputs())});
      for (const Source& source : entry.inputs) {
        if (source.block >= 0) consumers_[source.block].push_back(static_cast<int>(b));
      }
    }
  }

  std::vector<Shape> run() {
    for (std::size_t b = 0; b < shapes_.size(); ++b) ask(static_cast<int>(b));
    spread();
    // A width that no block could tell is 1: a loop of blocks that take any width.
    for (std::size_t b = 0; b < shapes_.size(); ++b) {
      for (int& width : shapes_[b].outputs) {
        if (width != 0) continue;
        width = 1;
        ask(static_cast<int>(b));
        push_consumers(static_cast<int>(b));
        spread();
      }
    }
    return std::move(shapes_);
  }

 private:
  void ask(int b) {
    if (queued(b)) return;
    in_queue_[b] = true;
    queue_.push_back(b);
  }
  bool queued(int b) {
    if (in_queue_.empty()) in_queue_.assign(shapes_.size(), false);
    return in_queue_[b];
  }
  void push_consumers(int b) {
    for (int consumer : consumers_[b]) ask(consumer);
  }

  void spread() {
    while (!queue_.empty()) {
      const int b = queue_.front();
      queue_.pop_front();
      in_queue_[b] = false;
      visit(b);
    }
  }

  void visit(int b) {
    const FlatBlock& entry = diagram_.blocks[b];
    Shape& shape = shapes_[b];
    for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
      const Source& source = entry.inputs[i];
      if (source.block >= 0) shape.inputs[i] = shapes_[source.block].outputs[source.port];
    }
    const std::vector<int> before = shape.outputs;
    try {
      entry.block->shape(shape);
    } catch (const ShapeError& error) {
      explain(b, error);
    }
    if (shape.outputs != before) push_consumers(b);
  }

  [[noreturn]] void explain(int b, const ShapeError& error) const {
    std::vector<int> blocks{b};
    std::string text = diagram_.blocks[b].name + ": " + error.what();
    if (error.input >= 0) {
      const Source& source = diagram_.blocks[b].inputs[error.input];
      if (source.block >= 0) {
        const FlatBlock& from = diagram_.blocks[source.block];
        text += "; input \"" + diagram_.blocks[b].block->input_names()[error.input] + "\" comes from " + from.name +
                "." + from.block->output_names()[source.port] + ", which has width " +
                std::to_string(shapes_[source.block].outputs[source.port]);
        blocks.push_back(source.block);
      }
    }
    throw DiagramError(text, std::move(blocks));
  }

  const FlatDiagram& diagram_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<int>> consumers_;
  std::deque<int> queue_;
  std::vector<bool> in_queue_;
};

}  // namespace

void Block::shape(Shape& shape) const {
  int common = 0;
  int widest = -1;
  for (int i = 0; i < inputs(); ++i) {
    const int width = shape.inputs[i];
    if (width <= 1) continue;
    if (common > 1 && width != common) {
      throw ShapeError("inputs of widths " + std::to_string(common) + " and " + std::to_string(width) +
                           " do not match (\"" + input_names_[widest] + "\" has the first)",
                       i);
    }
    common = width;
    widest = i;
  }
  bool all_known = true;
  for (int width : shape.inputs) all_known = all_known && width > 0;
  if (common == 0 && all_known) common = 1;
  if (common == 0) return;
  // A scalar may still grow when an input that is not known yet turns out to be a vector: wait for all of them.
  if (!all_known && common == 1) return;
  for (int& width : shape.outputs) width = common;
}

std::vector<Shape> find_shapes(const FlatDiagram& diagram) { return ShapeSearch(diagram).run(); }

}  // namespace counterpoint::diagram
