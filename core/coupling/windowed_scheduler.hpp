#pragma once

#include <memory>
#include <vector>

#include "coupling/repeated_window.hpp"
#include "coupling/scheduler.hpp"

namespace counterpoint {

/// The precedence rule in windows that are repeated: waveform relaxation. A repeat interpolates, from what the previous
/// pass has published, the values that the first pass had to extrapolate.
/// Reference: Lelarasmee, Ruehli and Sangiovanni-Vincentelli (1982).
///
///     repeat until the end is reached:
///       1. all participants are at T; the window ends at T'. Save everything.
///       2. first pass: to T' by the precedence rule; a step that would end after T' ends there.
///       3. as often as the window says (`Window::again`):
///            keep what this pass has published, or what the window makes of it (`Window::propose`),
///            restore everything to T, and go to T' again:
///            a participant that waits for a source interpolates what it publishes now, as in the first pass;
///            one that does not wait interpolates what it published in the previous pass.
///            With centred stencils, one that waits does so until its source has reached T', so that it uses samples
///            on both sides, as the others do.
///       4. the samples of the last pass count; the other passes are discarded. If the repeats are to be discarded
///          (`Window::discards_repeats`), the last pass is the first one made again.
///     When there are no more windows (`Window::is_over`), the precedence rule alone continues.
///
/// Parallel schemes become Jacobi iterations, the others Gauss-Seidel iterations. If no participant extrapolates, there
/// is nothing to repeat and nothing to save.
class WindowedScheduler {
 public:
  WindowedScheduler(const RunSpec& spec, std::unique_ptr<Window> window, int threads);
  WindowedScheduler(const RunSpec& spec, const WindowSpec& window, int threads)
      : WindowedScheduler(spec, std::make_unique<RepeatedWindow>(window, spec.start, spec.tolerance), threads) {}

  void start();

  /// Make windows until the last one contains `target`, or to the end of a slice, which may lie within a window.
  /// Returns true if all participants have reached the target. Throws what a model threw; the published samples are
  /// then those of complete windows.
  bool advance(double target, double wall_seconds);

  /// Discard the open window: all participants are at the end of the last complete one. Nothing else may be called.
  void give_up();

  /// See Scheduler; the last complete window is kept.
  std::optional<CallUnderWay> call_under_way() const { return scheduler_.call_under_way(); }
  void abandon();

  /// The run is over.
  void finish() noexcept;

  /// Whether there are recorded rows that may be discarded.
  bool has_open_window() const { return open_ && takes_back(); }
  /// Samples published up to this time are final, s.
  double time();
  WindowTally tally() const;
  Window& window() { return *window_; }
  Network& network() { return scheduler_.network(); }

 private:
  /// A participant whose samples of the previous pass are read in repeats.
  struct Source {
    int participant;
    std::size_t first;  ///< sample that is needed, at T
    std::size_t
        reach;  ///< number of samples needed, including the one at T; 0: this depends on the times of the consumers
  };
  enum class Reading { present, earlier, both_sides };  ///< in a repeat: which samples are read, and on which sides
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
  void take_back(int participant);
  void read_again(int participant, Reading reading);
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
  bool takes_back_;    ///< windows may be repeated
  bool alike_;         ///< all participants go over the whole window in all passes
  bool predicts_;      ///< first passes read predictions of the window
  bool tries_states_;  ///< saving and restoring is tried first, because the run can be made without it
  std::vector<Participant::Mark> marks_;  ///< of all participants at T
  std::vector<History> earlier_;          ///< by participant: published in the previous pass
  std::vector<Source> sources_;           ///< sources of the interface, once each
  bool open_ = false;
  double from_;             ///< T
  double to_ = 0.0;         ///< T'
  int pass_ = 0;            ///< of the open window
  bool shortened_ = false;  ///< its end was moved to an earlier time
  std::string obstacle_;    ///< why states cannot be restored
  bool settled_ = false;    ///< the present pass is the last one of its window
  bool left_ = false;       ///< there are no more windows
  long windows_ = 0;
  long passes_ = 0;
};

}  // namespace counterpoint
