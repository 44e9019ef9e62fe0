#include "coupling/cancellation.hpp"

#include <utility>

namespace counterpoint {

namespace {
thread_local Cancellation* of_this_thread = nullptr;
}  // namespace

bool Cancellation::is_requested() noexcept { return of_this_thread != nullptr && of_this_thread->requested_; }

Cancellation* Cancellation::current() noexcept { return of_this_thread; }

Cancellation::Scope::Scope(Cancellation* installed) noexcept : before_(std::exchange(of_this_thread, installed)) {
  if (installed != nullptr && installed->owner_ == std::thread::id()) installed->owner_ = std::this_thread::get_id();
}

Cancellation::Scope::~Scope() { of_this_thread = before_; }

void Cancellation::check_current() {
  Cancellation* const mine = of_this_thread;
  if (mine == nullptr) return;
  if (mine->requested_.load(std::memory_order_relaxed)) throw Cancelled{};
  if (!mine->attention_.load(std::memory_order_relaxed) || mine->owner_ != std::this_thread::get_id()) return;
  lower(mine->attention_);
  try {
    if (mine->attend_) mine->attend_();
  } catch (...) {
    throw Cancelled{std::current_exception()};
  }
}

}  // namespace counterpoint
