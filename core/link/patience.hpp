#pragma once

namespace counterpoint::link {

/// How often to look before going to sleep: often when that was of use the last time, i.e. when the other end has a core of
/// its own and answers soon. To give the core away by yielding instead is worse: others get it for milliseconds.
class Patience {
 public:
  Patience(int most, int fewest) : most_(most), fewest_(fewest) {}
  int looks() const { return left_ == 0 ? most_ : fewest_; }
  void note(bool was_of_use) {
    if (was_of_use) {
      left_ = 0;
    } else {
      left_ = left_ == 0 ? until_next_try : left_ - 1;
    }
  }

 private:
  static constexpr int until_next_try = 8;  ///< waits with few looks before many are tried again
  int most_;
  int fewest_;
  int left_ = 0;  ///< waits with few looks
};

}  // namespace counterpoint::link
