#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace counterpoint {

/// The samples (t, y[, dy/dt]) that one subsystem has published, on its own time axis.
///
/// Samples are numbered from 0 for the whole run; only the range [begin, end) is kept, in a ring buffer. The owner
/// appends; readers see samples up to the last `commit`, so the owner may append while others read. Where a signal
/// jumps, the sample is the value after the jump; the value before it is stored separately.
class History {
 public:
  History(int width, bool with_derivatives, bool with_jumps = false);

  int width() const { return width_; }
  bool has_derivatives() const { return with_derivatives_; }
  bool may_jump() const { return with_jumps_; }

  std::size_t begin() const { return begin_; }
  /// One past the last sample that readers may use.
  std::size_t end() const { return committed_; }
  /// One past the last sample that its owner has written.
  std::size_t appended() const { return appended_; }
  /// Samples that can be appended before `make_room` must be called.
  std::size_t room() const { return mask_ + 1 - (appended_ - begin_); }

  /// Number of samples from k on that are contiguous in memory.
  std::size_t in_a_row(std::size_t k) const { return mask_ + 1 - (k & mask_); }
  /// Sample k is stored at place k & mask().
  std::size_t mask() const { return mask_; }
  const double* times() const { return times_.data(); }

  double time(std::size_t k) const { return times_[k & mask_]; }
  const double* value(std::size_t k) const { return values_.data() + (k & mask_) * width_; }
  const double* derivative(std::size_t k) const { return derivatives_.data() + (k & mask_) * width_; }
  /// The value just before the signal jumped at sample k; null if it did not jump.
  const double* before_jump(std::size_t k) const {
    return with_jumps_ && jumped_[k & mask_] ? befores_.data() + (k & mask_) * width_ : nullptr;
  }

  /// The last sample, to be overwritten: at one time the latest value counts.
  double* last_value() { return values_.data() + ((appended_ - 1) & mask_) * width_; }
  double* last_derivative() { return derivatives_.data() + ((appended_ - 1) & mask_) * width_; }

  /// Change sample k, on both sides of a jump: an iteration proposes the values that others read.
  void shift(std::size_t k, int column, double value, double derivative) {
    const std::size_t place = (k & mask_) * width_ + column;
    values_[place] += value;
    if (with_derivatives_) derivatives_[place] += derivative;
    if (with_jumps_) befores_[place] += value;
  }

  /// Memory of the next sample: write its value, then call `advance`. Needs room() > 0.
  double* next_value() { return values_.data() + (appended_ & mask_) * width_; }
  double* next_derivative() { return derivatives_.data() + (appended_ & mask_) * width_; }
  /// State whether the next sample jumps (`before`: the value before it) or not (null). Needed for every sample of a
  /// signal that may jump.
  void note_jump(const double* before) {
    jumped_[appended_ & mask_] = before != nullptr;
    if (before != nullptr)
      std::copy_n(before, width_, befores_.begin() + static_cast<std::ptrdiff_t>((appended_ & mask_) * width_));
  }
  void advance(double t) {
    times_[appended_ & mask_] = t;
    ++appended_;
  }

  /// Append a sample; `derivative` may be null if the history keeps none. Needs room() > 0.
  void append(double t, const double* value, const double* derivative) {
    std::copy_n(value, width_, next_value());
    if (with_derivatives_) std::copy_n(derivative, width_, next_derivative());
    if (with_jumps_) note_jump(nullptr);
    advance(t);
  }

  /// Several samples without derivatives can be written at once, times and values, before `advance_many`.
  std::size_t room_in_a_row() const { return std::min(room(), mask_ + 1 - (appended_ & mask_)); }
  double* next_time() { return times_.data() + (appended_ & mask_); }
  void advance_many(std::size_t count) { appended_ += count; }

  /// Delete all samples: the first one is written again (initial outputs that depend on others).
  void restart() { begin_ = appended_ = 0; }

  void commit() { committed_ = appended_; }

  /// Delete samples before `keep`, and enlarge the ring until `samples` more fit.
  void make_room(std::size_t keep, std::size_t samples);

  /// Until the next call, `make_room` keeps all samples from k on.
  void keep_from(std::size_t k) { kept_from_ = k; }
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  /// Delete the samples from number `end` on.
  void cut_back(std::size_t end) { appended_ = committed_ = end; }
  /// Become a copy of another history of the same signals, from sample `first` on.
  void copy(const History& other, std::size_t first);

  /// Samples from `keep` on, with their numbers.
  struct Saved {
    std::size_t begin = 0, appended = 0, committed = 0;
    std::vector<double> times, values, derivatives;
    std::vector<std::size_t> jumps;  ///< numbers of samples that jump
    std::vector<double> befores;     ///< values before the jumps
  };
  /// Overwrites `into`, whose memory is reused.
  void save(std::size_t keep, Saved& into) const;
  void restore(const Saved& saved);

  /// Index of the last committed sample with time <= t; begin() if all are later.
  std::size_t last_not_after(double t) const;

 private:
  void enlarge(std::size_t capacity);
  void copy_in_a_row(const History& other, std::size_t first, std::size_t end);

  int width_;
  bool with_derivatives_;
  bool with_jumps_;
  std::size_t mask_;
  std::size_t begin_ = 0;
  std::size_t appended_ = 0;
  std::size_t committed_ = 0;
  std::size_t kept_from_ = nowhere;
  std::vector<double> times_;
  std::vector<double> values_;
  std::vector<double> derivatives_;
  std::vector<char> jumped_;  ///< not bits: threads may read others while one is written
  std::vector<double> befores_;
};

}  // namespace counterpoint
