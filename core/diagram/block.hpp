#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "coupling/subsystem.hpp"
#include "diagram/context.hpp"
#include "diagram/instruction.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::diagram {

/// A block's ports do not fit: which port, what it has and what it should have.
class ShapeError : public std::invalid_argument {
 public:
  ShapeError(const std::string& text, int port) : std::invalid_argument(text), input(port) {}
  int input;  ///< input port that does not fit, -1 when it is none in particular
};

/// Widths of all ports of one block while they are being found; 0 is not known yet.
struct Shape {
  std::vector<int> inputs;
  std::vector<int> outputs;
};

/// When a block runs.
struct SampleTime {
  double period = 0.0;        ///< s; 0: continuously, or with the conditional superblock it is in
  double offset = 0.0;        ///< s, time of the first sample after the start
  bool runs_between = false;  ///< steps end at the samples, but the block also runs between them and finds them itself
  bool is_required = false;   ///< the block makes sense only at samples or triggers
};

/// What a block must be told of besides outputs, derivatives and updates.
struct Notices {
  bool remembers = false;  ///< `accepted`; outputs at the start of the next step may then differ
  bool rejected = false;   ///< `rejected`; those that remember are told in any case
  bool arrival = false;    ///< `arrives`
  bool passage = false;    ///< `passes`
  bool every_end = false;  ///< an evaluation with `is_major` at every accepted time
};

/// One block of a flattened diagram.
///
/// Contract for implementers:
///  1. The constructor takes parameters only and names the ports. Widths are found later: `shape` fills in
///     those it can tell from the others and throws ShapeError when they contradict. It may be called often.
///  2. After that the numbers of continuous states, memory places and crossings are fixed; the diagram
///     owns all values and sets the pointers: `in(i)`, `out(j)`, `x()`, `dx()`, `z()`.
///  3. `start` writes initial states and memory. It may be called again to begin another run. Inputs are not known yet.
///  4. `output(context, port)` computes output `port` and all that depend on the same inputs (`feedthrough`), from
///     these inputs, x, z and time. It runs several times per step, at times that may be given up later, and so changes
///     neither x nor z, with one exception: a mode is decided when `context.decides()`.
///     An output that is just the state (`output_is_state`) is never computed.
///  5. `derivative` writes dx. A block whose dx is its input 0 says so (`derivative_is_input`) and is never called.
///  6. `update` runs at accepted times only, whenever the block is active: at its samples, when its superblock is
///     triggered, or, for blocks of continuous time, at every instant that is looked at (an instant may take several
///     passes). It reads inputs and writes z. It returns true when outputs must be computed again at this very
///     instant; states that others see directly are then written by `commit`, after all updates have read them.
///  7. `accepted`, `rejected` and `arrives` run only for blocks that say so in `notices`. `accepted` runs once at the
///     end of each accepted time: a place to remember inputs for the next step. `rejected` runs when an attempt was
///     given up. `arrives` runs before the event iteration at the end of a step, when inputs still are what they were
///     approaching it. `passes` runs before that at evenly spaced times within the step, if the solver knows the
///     solution there; when a block then does not `follow`, once more with times twice as dense.
///  8. `crossing` writes numbers that are continuous in time and change sign where the block would change its
///     mode or fire; these times are located and the step is split there. A step that begins at zero and leaves it
///     counts as a change of sign, so a function must not begin every step at zero.
///  9. `next_event(t)` is the first time after t at which the output jumps, known in advance; infinity when none.
/// 10. All that lasts from one accepted time to the next is in x and z; a block that keeps more overrides
///     `save` and `restore`, which come together.
/// 11. A failure is an exception; the diagram adds the name of the block and the time.
/// 12. `run_end` is asked at accepted times. When it gives a reason the step ends there, is published, and the run ends
///     in good order.
class Block : public recipe::Describable {
 public:
  Block(std::vector<std::string> inputs, std::vector<std::string> outputs)
      : input_names_(std::move(inputs)), output_names_(std::move(outputs)) {}
  virtual ~Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }
  int inputs() const { return static_cast<int>(input_names_.size()); }
  int outputs() const { return static_cast<int>(output_names_.size()); }

  /// Default: every port has the same width, but inputs may be scalars that serve every component.
  virtual void shape(Shape& shape) const;
  /// Whether output port depends on input port in the same instant.
  virtual bool feedthrough(int /*input*/, int /*output*/) const { return true; }
  /// Whether output port is better computed after input port, though it does not depend on it: an initial value that
  /// is a signal. Where this order would close a loop it is given up, which the block is told.
  virtual bool prefers_after(int /*input*/, int /*output*/) const { return false; }
  virtual void order_given_up() {}
  /// What a user can do at this block against an algebraic loop through it; empty: nothing special.
  virtual std::string loop_remedy() const { return ""; }
  /// Whether outputs depend on inputs and nothing else: not on time, x, z.
  virtual bool is_pure() const { return false; }

  /// Whether outputs are functions of time that bend between events, which no solver looks at: a sine.
  virtual bool bends_with_time() const { return false; }

  /// Whether outputs change at accepted times only, when its events are located: with its samples, its
  /// `next_event`, its crossings.
  virtual bool holds_between_events() const { return false; }
  /// A block that does no more than a few operations on scalars may hand them over, once its memory is bound;
  /// they then take the place of `output`, without a call, between accepted times. What they read is a signal, x, z or
  /// a constant of the block. Returns false when it does not.
  virtual bool instructions(std::vector<Instruction>& /*code*/) const { return false; }

  virtual int states() const { return 0; }
  virtual int memory() const { return 0; }
  virtual int crossings() const { return 0; }
  virtual SampleTime sample_time() const { return {}; }
  virtual bool output_is_state(int /*port*/) const { return false; }
  virtual bool derivative_is_input() const { return false; }
  virtual Notices notices() const { return {}; }
  /// Whether the block has something to do in `update`.
  virtual bool updates() const { return false; }
  /// Where its output begins among the inputs of the diagram; -1: it does not come from outside.
  virtual int inlet() const { return -1; }
  bool is_inlet() const { return inlet() >= 0; }
  /// Why the run should end here: empty: it continues; null: the block never ends one.
  virtual const std::string* run_end() const { return nullptr; }

  virtual void start(const Context&) {}
  virtual void output(const Context& context, int port) = 0;
  virtual void derivative(const Context&) {}
  virtual bool update(const Context&) { return false; }
  virtual void commit(const Context&) {}
  virtual void arrives(const Context&) {}
  virtual void passes(const Context&, Passing) {}
  virtual bool follows(const Tolerance&) const { return true; }
  virtual void accepted(const Context&) {}
  virtual void rejected(const Context&) {}
  virtual void crossing(const Context&, double* /*g*/) {}
  virtual double next_event(double /*t*/) const { return infinity; }
  virtual std::unique_ptr<SavedState> save() const { return nullptr; }
  /// Whether `save` is able to keep all that lasts; asked after the start.
  virtual bool can_save() const { return true; }
  virtual void restore(const SavedState&) {}
  virtual std::unique_ptr<SavedState> read_state(recipe::Reader&) const { return nullptr; }

  /// Set by the diagram.
  struct Memory {
    std::vector<const double*> in;
    std::vector<double*> out;
    std::vector<int> in_width, out_width;
    double* x = nullptr;
    double* dx = nullptr;
    double* z = nullptr;
  };
  /// A block may keep what it needs at hand; it calls the base first.
  virtual void bind(Memory memory) { memory_ = std::move(memory); }

 protected:
  const double* in(int i) const { return memory_.in[i]; }
  double* out(int j) const { return memory_.out[j]; }
  int in_width(int i) const { return memory_.in_width[i]; }
  int out_width(int j) const { return memory_.out_width[j]; }
  double* x() const { return memory_.x; }
  double* dx() const { return memory_.dx; }
  double* z() const { return memory_.z; }
  const Memory& bound() const { return memory_; }

 private:
  std::vector<std::string> input_names_, output_names_;
  Memory memory_;
};

using BlockPointer = std::shared_ptr<Block>;

/// A block that decides whether others run: an enabled or triggered superblock's condition.
///
/// It has one input, the control signal. `opens` is asked at accepted times, in the order of execution; the blocks of
/// the superblock run in the same evaluation when it says yes.
class Gate : public Block {
 public:
  using Block::Block;
  void output(const Context&, int) override {}
  virtual bool opens(const Context&) = 0;
  /// Whether the blocks inside also run between accepted times (enabled) or at this instant only (triggered).
  virtual bool stays_open() const = 0;
  /// Whether continuous states and memory inside begin anew when the gate opens.
  virtual bool restarts() const { return false; }
};

}  // namespace counterpoint::diagram
