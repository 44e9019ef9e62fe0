#pragma once

#include "coupling/embedded.hpp"
#include "diagram/block.hpp"

namespace counterpoint::diagram {

/// A named port of a fixed width.
struct CosimulationPort {
  std::string name;
  int width = 1;
};

/// What a co-simulation block is made from.
struct CosimulationSpec {
  RunSpec run;                                    ///< the others and the host; its start is set when the diagram starts
  int host = 0;                                   ///< the participant that the diagram plays
  std::vector<CosimulationPort> gives;            ///< outputs of the host: inputs of the block
  std::vector<CosimulationPort> gets;             ///< inputs of the host: outputs of the block
  std::vector<std::string> names;                 ///< of participants
  std::vector<std::vector<std::string>> signals;  ///< of participants, a name for every scalar output
  bool direct = true;                             ///< y is stored before u is read in the same instant
  bool timed = false;                             ///< a last input, "time", takes the place of the diagram's time
};

/// The embedded interface as a block: the diagram is master and other subsystems are advanced when it asks.
///
///     accepted time    store (t, y), let the others advance, u(t)       [direct; otherwise u(t) comes first]
///     between          u(t) from what is stored; the others advance when the answer needs it
///     attempt given up the others go back to where they were; those that cannot were never advanced by it
///
/// With an input "time" its value is the t of all this: behind a memory block it is the time of the step before, as the
/// signals are that pass one. It must not go back.
///
/// Reference: González et al. (2010), Fig. 1, Fig. 2, Fig. 6 and Table 1.
class CosimulationBlock final : public Block {
 public:
  explicit CosimulationBlock(CosimulationSpec spec);

  void shape(Shape& shape) const override;
  bool feedthrough(int input, int) const override { return spec_.direct || is_time(input); }
  std::string loop_remedy() const override;
  Notices notices() const override { return {.remembers = true, .every_end = true}; }
  bool updates() const override { return true; }

  void start(const Context& context) override;
  void output(const Context& context, int port) override;
  bool update(const Context& context) override;
  void rejected(const Context& context) override;
  bool can_save() const override { return !interface_ || interface_->can_save(); }
  std::unique_ptr<SavedState> save() const override;
  void restore(const SavedState& state) override;

  /// Null before the first start.
  EmbeddedInterface* interface() { return interface_.get(); }

 private:
  double tolerance_at(double t) const;
  void check_step(const std::string& name, double step, double t) const;
  bool is_time(int input) const { return input == static_cast<int>(spec_.gives.size()); }
  double time_at(const Context& context) const;
  void store(double t);
  template <class Work>
  void named(Work&& work);
  [[noreturn]] void fail(const std::exception& error) const;

  CosimulationSpec spec_;
  double tolerance_;  ///< of the run, where rounding of times does not count
  std::unique_ptr<EmbeddedInterface> interface_;
  std::vector<double> y_;
};

}  // namespace counterpoint::diagram
