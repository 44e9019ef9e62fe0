#pragma once

#include <memory>
#include <vector>

#include "coupling/repeated_window.hpp"
#include "coupling/scheduler.hpp"

namespace counterpoint {

/// The precedence rule in windows that are repeated: waveform relaxation. What the first pass had to
/// extrapolate, a repeat interpolates from what the pass before has published.
/// Reference: Lelarasmee, Ruehli and Sangiovanni-Vincentelli (1982).
///
///     repeat until the end is reached:
///       1. all participants stand at T, and the window ends at T'. Save everything.
///       2. first pass: to T' by the precedence rule; a step that would go beyond T' ends there.
///       3. as often as the window says (`Window::again`):
///            keep what this pass has published, or what the window makes of it (`Window::propose`),
///            restore everything to T, and go to T' again:
///            a participant that waits for a source interpolates what it publishes now, as in the first pass;
///            one that does not wait interpolates what it published in the pass before
///            where stencils are centred, one that waits does so until its source has come to T', so that it
///            takes samples from both sides as the others do
///       4. what the last pass has published counts; the others leave nothing behind. Where repeats lead nowhere
///          (`Window::discards_repeats`), the last pass is the first one made again.
///     When there are no more windows (`Window::is_over`), the rest is the precedence rule alone.
///
/// Parallel schemes become Jacobi iterations, the others Gauss-Seidel ones. Where no participant extrapolates there is
/// nothing to repeat and nothing to save.
class WindowedScheduler {
 public:
  WindowedScheduler(const RunSpec& spec, std::unique_ptr<Window> window, int threads);
  WindowedScheduler(const RunSpec& spec, const WindowSpec& window, int threads)
      : WindowedScheduler(spec, std::make_unique<RepeatedWindow>(window, spec.start, spec.tolerance), threads) {}

  void start();

  /// Windows until `target` is inside or at the end of the last one, or a slice of that, which may end within a
  /// window. Returns true when all have reached it. Throws what a model threw; what was published is then that of
  /// whole windows.
  bool advance(double target, double wall_seconds);

  /// Forget what is under way: all participants stand where the last whole window ended, and nothing can follow.
  void give_up();

  /// See Scheduler; the last whole window is kept.
  std::optional<CallUnderWay> call_under_way() const { return scheduler_.call_under_way(); }
  void abandon();

  /// The run is over.
  void finish() noexcept;

  /// Whether rows are recorded that may yet be taken back.
  bool has_open_window() const { return open_ && takes_back(); }
  /// Up to here what was published stays, s.
  double time();
  WindowTally tally() const;
  Window& window() { return *window_; }
  Network& network() { return scheduler_.network(); }

 private:
  /// Of whom repeats read what the pass before has published.
  struct Source {
    int participant;
    std::size_t first;  ///< sample that is needed, at T
    std::size_t reach;  ///< samples that are needed, the one at T included; 0: that depends on where consumers stand
  };
  enum class Reading { present, earlier, both_sides };  ///< of a repeat: what was published, and from which sides
  bool takes_back() const { return takes_back_; }
  bool predicts() const { return predicts_; }
  bool can_go_in_rounds();
  void find_interface();
  std::size_t reach_into(int source);
  bool is_worth_a_look();
  void open();
  void mark(int participant);
  void hear_all(bool all);
  bool finish_passes(double wall_seconds);
  void repeat();
  void take_back(int participant, Reading reading);
  void open_until_end(int participant);
  void go_back();
  void leave_windows();
  bool may_go_on_after_failure();
  bool can_go_back();
  static bool ends_run();
  void close();
  void release();
  void rewind();
  void release_states();

  Scheduler scheduler_;
  std::unique_ptr<Window> window_;
  double until_;
  std::vector<InterfaceSignal> interface_;
  bool takes_back_;                       ///< windows may be repeated
  bool alike_;                            ///< all participants go over the whole window in all passes
  bool predicts_;                         ///< first passes read what the window has predicted
  bool tries_states_;                     ///< before they are relied on, since the run can be made without
  std::vector<Participant::Mark> marks_;  ///< of all participants at T
  std::vector<History> earlier_;          ///< by participant, what the pass before has published
  std::vector<Source> sources_;           ///< those of the interface, once each
  bool open_ = false;
  double from_;             ///< T
  double to_ = 0.0;         ///< T'
  int pass_ = 0;            ///< of the open window
  bool shortened_ = false;  ///< it ends earlier than it did at first
  std::string obstacle_;    ///< why states cannot be restored
  bool settled_ = false;    ///< the pass under way is the last one of its window
  bool left_ = false;       ///< there are no more windows
  long windows_ = 0;
  long passes_ = 0;
};

}  // namespace counterpoint
