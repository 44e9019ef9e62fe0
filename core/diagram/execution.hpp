#pragma once

#include <algorithm>
#include <exception>
#include <set>

#include "diagram/algebraic_loop.hpp"
#include "diagram/order.hpp"
#include "diagram/sample_times.hpp"

namespace counterpoint::diagram {

/// A block that failed; the block by number, -1 when it is an algebraic loop.
class BlockFailure : public SolverFailure {
 public:
  BlockFailure(const std::string& text, int number, std::exception_ptr thrown)
      : SolverFailure(text, std::move(thrown)), block(number) {}
  int block;
};

/// A flat diagram ready to be evaluated: all values in a few arrays, blocks in their order.
///
/// It knows instants, not steps: the simulator (simulator.hpp) says when what is evaluated.
///
///     evaluate_major   all that is active at an accepted time; modes are decided, gates asked, samples taken
///     evaluate_minor   what changes between accepted times
///     evaluate_stale   what may have changed at the start of a step since the end of the last: what depends on
///                      the diagram's inputs, and on blocks that remember
///     slopes           dx/dt after an evaluation
///     update           blocks with something to do at an accepted time; true: evaluate again
class Execution {
 public:
  /// `locates`: events are located, so that some blocks rest between accepted times.
  Execution(FlatDiagram diagram, const LoopOptions& loops, bool locates);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  void start(const Context& context);

  void evaluate_major(const Context& context) { run(major_, context); }
  void evaluate_minor(const Context& context) { run(minor_, context); }
  void evaluate_stale(const Context& context) { run(stale_, context); }
  void slopes(const Context& context, double* dx);
  bool update(const Context& context);
  void arrives(const Context& context) {
    if (!arriving_.empty()) tell_arrival(context);
  }
  /// Whether blocks must see what lies inside of a step.
  bool needs_passage() const { return !passing_.empty(); }
  /// Whether all blocks know what their input was within the step.
  bool follows(const Tolerance& tolerance) const {
    return std::all_of(passing_.begin(), passing_.end(),
                       [&](const Run& one) { return !is_open(one.guard) || one.block->follows(tolerance); });
  }
  void passes(const Context& context, Passing passing) {
    for (const Run& one : passing_) {
      if (is_open(one.guard)) one.block->passes(context, passing);
    }
  }
  void accepted(const Context& context) {
    if (hears_steps()) tell_accepted(context);
  }
  /// A triggered superblock ran at an instant that is over.
  void close_triggers() {
    for (int guard : instant_guards_) open_[guard] = 0;
  }
  void rejected(const Context& context) {
    if (hears_steps()) tell_rejected(context);
  }

  /// Samples due now are open in the next major evaluation and its update, until they are closed.
  void open_samples(double t);
  void close_samples(double t);
  double next_sample() const { return sample_times_.next(); }
  double finest_sample() const { return sample_times_.finest(); }
  double next_event(double t) const {
    if (t < known_from_ || t >= known_event_) find_next_event(t);
    return known_event_;
  }

  /// The first time after t at which a source jumps or bends, of sources that rarely do within `step` seconds.
  double next_known_event(double t, double step) const;

  int states() const { return static_cast<int>(x_.size()); }
  double* x() { return x_.data(); }
  void set_x(const double* x) { std::copy_n(x, x_.size(), x_.data()); }
  int crossings() const { return crossings_; }
  void crossing(const Context& context, double* g);
  /// Name of the block that crossing i belongs to.
  const std::string& crossing_name(int i) const;
  bool has_stale() const { return !stale_.empty(); }
  /// Whether a gate may open or close at the start of a step.
  bool has_stale_gates() const { return has_stale_gates_; }
  /// Whether the end of a step must be seen with modes and gates as they were: outputs of a gate that closes keep that
  /// value.
  bool needs_arrival() const { return !arriving_.empty() || !gates_.empty(); }
  bool hears_steps() const { return !remembering_.empty(); }
  bool needs_major() const { return needs_major_; }
  /// One name per state: the block's, with an index where it has several.
  std::vector<std::string> state_names() const;

  int outputs() const { return static_cast<int>(outlets_.size()); }
  double output(int i) const { return *outlets_[i]; }
  const FlatDiagram& diagram() const { return diagram_; }
  const Shape& shape(int block) const { return shapes_[block]; }

  /// Throws SolverFailure naming the block where NaN or infinity came up first, if any value is not finite.
  void check_finite(const Context& context) const;
  /// The same, looking at all signals, not only at states and outputs.
  void blame_not_finite(const Context& context) const;

  /// Throws RunEnd when a block ends the run at t, the time reached.
  void check_end(double t) const;
  bool ends_run() const { return may_end_run() && has_run_end(); }
  bool may_end_run() const { return !ending_.empty(); }

  /// Signals alone, for a look ahead that must leave no trace.
  const std::vector<double>& signals() const { return values_; }
  void set_signals(const std::vector<double>& signals) { std::copy(signals.begin(), signals.end(), values_.begin()); }

  /// All that lasts, as one piece; null when a block cannot save.
  struct Saved;
  std::shared_ptr<const Saved> save() const;
  void restore(const Saved& saved);
  static bool write(const Saved& saved, recipe::Writer& writer);
  std::shared_ptr<const Saved> read_state(recipe::Reader& reader) const;

 private:
  /// A condition for running: a gate, a sample time, or a sample time inside a gate.
  struct Guard {
    int gate = -1;  ///< place in gates_
    int rate = -1;
    int parent = -1;
  };
  struct Step {
    Block* block;
    int port;
    int guard;      ///< -1: always
    int asks = -1;  ///< the guard that this step opens or closes; then the block is a gate or null
    int code_begin = 0,
        code_end = 0;  ///< instructions that take the place of the call, also of those of several blocks
  };
  struct Run {
    Block* block;
    int guard;
  };
  /// A state whose derivative is the output of another block, always.
  struct Copied {
    int state;
    const double* value;
  };
  /// States whose derivative is the output of another block, under a condition.
  struct Gathered {
    int state;
    int guard;
    const double* value;
    int width;
  };
  /// States whose derivative their block writes.
  struct Derived {
    int state;
    int guard;
    int width;
  };

  void check_connections() const;
  void lay_out_memory();
  void make_guards();
  int guard_for(const SampleTime& rate, int gate_guard);
  /// Returns which nodes hold their value between accepted times.
  std::vector<char> make_steps(const LoopOptions& loops);
  void add_step(int node, std::vector<char>& held, std::vector<char>& stale);
  void add_loop(const std::vector<int>& group, const LoopOptions& loops, std::vector<char>& held,
                std::vector<char>& stale);
  bool is_held(int node, const std::vector<char>& held) const;
  bool is_stale(int node, const std::vector<char>& stale) const;
  void make_tape(const std::vector<char>& held);
  std::set<const double*> held_signals(const std::vector<char>& held) const;
  void drop_resting(const Step& step, std::set<const double*>& resting);
  bool is_variable(const double* place) const;
  void collect_blocks();
  bool is_open(int guard) const { return guard < 0 || open_[guard]; }
  bool runs_between(int guard) const;
  void ask(const Step& step, const Context& context);
  bool is_inside(int block, int gate) const;
  void restart_inside(int gate, const Context& context);
  void run(const std::vector<Step>& steps, const Context& context);
  [[noreturn]] void blame(const Block* block, const Context& context, const std::exception& error) const;
  int index_of(const Block* block) const;
  bool has_run_end() const;
  void find_next_event(double t) const;
  void tell_arrival(const Context& context);
  void tell_accepted(const Context& context);
  void tell_rejected(const Context& context);

  FlatDiagram diagram_;
  std::vector<Shape> shapes_;
  Graph graph_;
  SampleTimes sample_times_;
  std::vector<std::unique_ptr<Block>> loops_;

  std::vector<double> values_, x_, dx_, z_;
  std::vector<int> state_offset_;                  ///< by block
  std::vector<std::vector<double*>> port_values_;  ///< by block and output port
  std::vector<Guard> guards_;
  std::vector<int> guard_of_block_;
  std::vector<Gate*> gates_;
  std::vector<int> gate_block_;      ///< block of each gate
  std::vector<char> open_;           ///< by guard
  std::vector<int> instant_guards_;  ///< those that are open at instants only
  std::vector<char> due_;            ///< by rate
  std::vector<Step> major_, minor_, stale_;
  std::vector<Instruction> tape_;  ///< of the steps in minor_
  std::vector<Copied> copied_;
  std::vector<Gathered> gathered_;
  std::vector<Derived> derived_;
  std::vector<Run> deriving_, updating_, passing_, arriving_, remembering_, crossing_;
  std::vector<int> crossing_block_;
  std::vector<int> ending_;  ///< blocks that may end the run
  std::vector<Block*> timed_;
  std::vector<const Block*> sources_;  ///< that know their events from the time alone
  std::vector<char> changed_;          ///< by place in updating_
  std::vector<const double*> outlets_;
  int crossings_ = 0;
  bool needs_major_ = false;
  bool has_stale_gates_ = false;
  bool locates_;
  /// The event after any time from `known_from_` on, until it comes or a block changes its mind.
  mutable double known_from_ = infinity, known_event_ = -infinity;
};

}  // namespace counterpoint::diagram
