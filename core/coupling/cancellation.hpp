#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace counterpoint {

/// Native work ends here because it was cancelled. Not a std::exception: no part of a model has failed, and code that
/// explains failures lets it pass.
struct Cancelled {
  std::exception_ptr cause;  ///< what the caller's `attend` threw; null after `request`
};

/// Ends long native work from outside: from another thread, or from a signal handler.
///
/// Work belongs to the cancellation that its thread has installed (`Scope`). Loops that may take long call `check`, per
/// internal step: as long as nothing is cancelled anywhere in the program that is one load of an integer.
class Cancellation {
 public:
  Cancellation() = default;
  ~Cancellation() { reset(); }
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// Let the work end at its next `check`.
  void request() noexcept { raise(requested_); }
  /// Let the thread that made the scope call `attend` at its next `check`; the work goes on unless that throws.
  void ask_for_attention() noexcept { raise(attention_); }
  void reset() noexcept {
    lower(requested_);
    lower(attention_);
  }
  void set_attend(std::function<void()> attend) { attend_ = std::move(attend); }

  /// Throws Cancelled when the work of this thread is to end.
  static void check() {
    if (raised_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      check_current();
  }
  /// Whether the work of this thread is to end.
  static bool is_requested() noexcept;
  /// The one of this thread; null when there is none.
  static Cancellation* current() noexcept;

  /// Makes a cancellation that of this thread; null: of none.
  class Scope {
   public:
    explicit Scope(Cancellation* installed) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Cancellation* before_;
  };

 private:
  static void check_current();
  static void raise(std::atomic<bool>& flag) noexcept {
    if (!flag.exchange(true)) ++raised_;
  }
  static void lower(std::atomic<bool>& flag) noexcept {
    if (flag.exchange(false)) --raised_;
  }

  inline static std::atomic<int> raised_{0};  ///< flags that are up in the whole program
  std::atomic<bool> requested_{false};
  std::atomic<bool> attention_{false};
  std::function<void()> attend_;
  std::thread::id owner_;
};

}  // namespace counterpoint
