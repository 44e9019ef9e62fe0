// Functions that a user compiled.

#include "diagram/blocks/function.hpp"

#include <algorithm>

namespace counterpoint::diagram {
namespace {

class FunctionBlock final : public Block {
 public:
  FunctionBlock(CompiledFunction function, std::vector<std::string> inputs, std::vector<std::string> outputs,
                std::vector<int> widths, bool is_pure)
      : Block(std::move(inputs), std::move(outputs)),
        function_(function),
        widths_(std::move(widths)),
        is_pure_(is_pure) {}

  void shape(Shape& shape) const override { shape.outputs = widths_; }
  bool is_pure() const override { return is_pure_; }

  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    scalars_.clear();
    for (std::size_t i = 0; i < bound().in.size(); ++i) {
      for (int k = 0; k < bound().in_width[i]; ++k) scalars_.push_back(bound().in[i] + k);
    }
    u_.resize(scalars_.size());
    // What lies in one piece is handed over as it is. Outputs of one block always do.
    const bool is_piece = inputs() == 1 && bound().in.size() == 1;
    piece_ = is_piece ? bound().in[0] : nullptr;
    to_ = bound().out.empty() ? nullptr : bound().out[0];
  }

  void output(const Context& context, int) override {
    if (piece_) return function_(context.time, piece_, to_);
    for (std::size_t i = 0; i < scalars_.size(); ++i) u_[i] = *scalars_[i];
    function_(context.time, u_.data(), to_);
  }

 private:
  CompiledFunction function_;
  std::vector<int> widths_;
  bool is_pure_;
  std::vector<const double*> scalars_;
  std::vector<double> u_;
  const double* piece_ = nullptr;
  double* to_ = nullptr;
};

}  // namespace

BlockPointer make_compiled_function(CompiledFunction function, std::vector<std::string> inputs,
                                    std::vector<std::string> outputs, std::vector<int> widths, bool is_pure) {
  return std::make_shared<FunctionBlock>(function, std::move(inputs), std::move(outputs), std::move(widths), is_pure);
}

}  // namespace counterpoint::diagram
