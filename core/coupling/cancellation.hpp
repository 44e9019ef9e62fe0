#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace counterpoint {

/// Thrown when native work is cancelled. Not a std::exception, because no model has failed: code that explains failures
/// does not catch it.
struct Cancelled {
  std::exception_ptr cause;  ///< what the caller's `attend` threw; null after `request`
};

/// Ends long native work from outside: from another thread, or from a signal handler.
///
/// Work belongs to the cancellation that its thread has installed (`Scope`). Long loops call `check` in each internal
/// step. Unless something in the program is cancelled, this is one load of an integer.
class Cancellation {
 public:
  Cancellation() = default;
  ~Cancellation() { reset(); }
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// End the work at its next `check`.
  void request() noexcept { raise(requested_); }
  /// The thread that made the scope calls `attend` at its next `check`; the work continues unless `attend` throws.
  void ask_for_attention() noexcept { raise(attention_); }
  void reset() noexcept {
    lower(requested_);
    lower(attention_);
  }
  void set_attend(std::function<void()> attend) { attend_ = std::move(attend); }

  /// Throws Cancelled if the work of this thread has to end.
  static void check() {
    if (raised_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      check_current();
  }
  /// Whether the work of this thread has to end.
  static bool is_requested() noexcept;
  /// The cancellation of this thread, or null.
  static Cancellation* current() noexcept;

  /// Installs a cancellation for this thread; null: none.
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
