#pragma once

#include "coupling/scheduler.hpp"

namespace counterpoint {

/// A stretch of time that is repeated.
struct WindowSpec {
  double length = 0.0;     ///< s
  int repeats = 1;         ///< after the first pass, at most
  double tolerance = 0.0;  ///< a repeat that changes less is the last one; 0: repeat as often as said
};

/// What windows have said about themselves so far.
struct WindowTally {
  long windows = 0;
  long passes = 0;               ///< first ones and repeats of these windows
  long not_converged = 0;        ///< windows whose last repeat changed more than the tolerance
  double largest_change = 0.0;   ///< by the last repeat of a window, relative
  double time_of_largest = 0.0;  ///< end of that window, s
};

/// The precedence rule in windows that are repeated: waveform relaxation. What the first pass had to
/// extrapolate, a repeat interpolates from what the pass before has published.
/// Reference: Lelarasmee, Ruehli and Sangiovanni-Vincentelli (1982).
///
///     repeat until the end is reached:
///       1. everybody stands at T, and the window ends at T'. Save everything.
///       2. first pass: to T' by the precedence rule; a step that would go beyond T' ends there.
///       3. at most `repeats` times, and with a tolerance until a repeat changes less:
///            keep what this pass has published, restore everything to T, and go to T' again:
///            whoever waits for a source interpolates what it publishes now, as in the first pass;
///            whoever does not interpolates what it published in the pass before
///          change: of an output read that way, at T', from one pass to the next, relative to its
///          largest absolute value at the ends of windows so far
///       4. what the last pass has published counts; the others leave nothing behind.
///
/// Parallel schemes become Jacobi iterations, the others Gauss-Seidel ones. Where nobody extrapolates there is
/// nothing to repeat and nothing to save.
class WindowedScheduler {
 public:
  WindowedScheduler(const RunSpec& spec, const WindowSpec& window, int threads);

  void start();

  /// Windows until `target` is inside or at the end of the last one, or a slice of that, which may end within a
  /// window. Returns true when all have reached it. Throws what a model threw; what was published is then that of
  /// whole windows.
  bool advance(double target, double wall_seconds);

  /// Forget what is under way: everybody stands where the last whole window ended, and nothing can follow.
  void give_up();

  /// Whether rows are recorded that may yet be taken back.
  bool has_open_window() const { return open_ && !guesses_.empty(); }
  /// Up to here what was published stays, s.
  double time();
  const WindowTally& tally() const { return tally_; }
  Network& network() { return scheduler_.network(); }

 private:
  /// A scalar output that somebody extrapolates in the first pass.
  struct Guess {
    int source;
    int column;
    double scale = 0.0;  ///< its largest absolute value at the ends of windows
  };

  void find_guesses();
  void open();
  bool finish_passes(double wall_seconds);
  bool is_last_pass();
  double change();
  void repeat();
  void close();
  void release_states();
  double value(const History& history, const Guess& guess) const {
    return history.value(history.end() - 1)[guess.column];
  }

  Scheduler scheduler_;
  WindowSpec window_;
  double start_;
  double until_;
  std::vector<Guess> guesses_;
  Network::Saved checkpoint_;     ///< everything at T
  std::vector<History> earlier_;  ///< by subsystem, what the pass before has published
  bool open_ = false;
  double from_;         ///< T
  double to_ = 0.0;     ///< T'
  double count_ = 0.0;  ///< of windows, a whole number
  int pass_ = 0;        ///< of the open window
  WindowTally tally_;
};

}  // namespace counterpoint
