#include "diagram/recipes.hpp"

namespace counterpoint::recipe {

diagram::BlockPointer make_registered_block(const std::string& kind, const diagram::Parameters& parameters) {
  return diagram::registry().make(kind, parameters);
}

SubsystemPointer make_diagram(const diagram::FlatDiagram& diagram, const diagram::SimulatorOptions& options,
                              bool publishes_events, double preferred_step) {
  return std::make_shared<diagram::DiagramSubsystem>(diagram, options, publishes_events, preferred_step);
}

void Check<diagram::Parameters>::of(diagram::Parameters& parameters, Reader& reader) {
  for (auto& [name, array] : parameters.numbers) {
    if (array.rows < 0 || array.columns < 0 ||
        std::size_t(array.rows) * std::size_t(array.columns) != array.values.size()) {
      reader.fail("parameter \"" + name + "\": its shape does not match its values");
    }
    reader.change(name, array.values);
  }
}

namespace {

void check_source(const diagram::Source& source, const diagram::FlatDiagram& diagram, bool may_be_open,
                  Reader& reader) {
  if (source.block == -1 && may_be_open) return;
  if (source.block < 0 || source.block >= static_cast<int>(diagram.blocks.size()))
    reader.fail("a signal comes from a block that does not exist");
  if (source.port < 0 || source.port >= diagram.blocks[source.block].block->outputs())
    reader.fail("a signal comes from a port that does not exist");
}

/// Inlets look at the inputs of the diagram, which are as many as all inlets have together.
void check_inlets(const diagram::FlatDiagram& diagram, Reader& reader) {
  long width = 0;
  long furthest = -1;
  for (const diagram::FlatBlock& entry : diagram.blocks) {
    if (!entry.block->is_inlet()) continue;
    diagram::Shape shape{{}, {0}};
    entry.block->shape(shape);
    width += shape.outputs.front();
    if (shape.outputs.front() < 0) reader.fail("an inlet has a negative width");
    furthest = std::max(furthest, long{entry.block->inlet()} + shape.outputs.front() - 1);
  }
  if (furthest >= width) reader.fail("an inlet lies outside of the inputs of its diagram");
}

}  // namespace

void Check<diagram::FlatDiagram>::of(diagram::FlatDiagram& diagram, Reader& reader) {
  for (std::size_t b = 0; b < diagram.blocks.size(); ++b) {
    const diagram::FlatBlock& entry = diagram.blocks[b];
    if (static_cast<int>(entry.inputs.size()) != entry.block->inputs())
      reader.fail("block \"" + entry.name + "\": the number of inputs is wrong");
    for (const diagram::Source& source : entry.inputs) check_source(source, diagram, true, reader);
    if (entry.gate == -1) continue;
    if (entry.gate < 0 || entry.gate >= static_cast<int>(b))
      reader.fail("block \"" + entry.name + "\": its gate does not exist");
    if (!dynamic_cast<const diagram::Gate*>(diagram.blocks[entry.gate].block.get()))
      reader.fail("block \"" + entry.name + "\": its gate is another block");
  }
  for (const diagram::Outlet& outlet : diagram.outputs) check_source(outlet.source, diagram, false, reader);
  check_inlets(diagram, reader);
}

template <>
const Factories<diagram::Block>& factories_of<diagram::Block>() {
  static const Factories<diagram::Block> all(block_factory);
  return all;
}

}  // namespace counterpoint::recipe
