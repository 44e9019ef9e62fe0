// Signals while the main thread is in native code, where Python's own handlers have to wait.

#include "bind/signal_watch.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#if !defined(_WIN32)
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "coupling/cancellation.hpp"
#endif

namespace counterpoint::bind {

#if !defined(_WIN32)

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds patience{1000};      ///< with a call after the first signal, before anything is said
constexpr milliseconds second_chance{500};  ///< after the second one: Python's handler may end the call
constexpr milliseconds grace{5000};         ///< after SIGTERM and SIGHUP, which come only once
constexpr milliseconds for_python{2000};    ///< until a thread has to have Python's lock

void say(const std::string& text) {
  const char* next = text.data();
  std::size_t left = text.size();
  while (left > 0) {
    const ssize_t done = ::write(2, next, left);
    if (done <= 0) return;
    next += done;
    left -= static_cast<std::size_t>(done);
  }
}

}  // namespace

/// Reads the numbers of signals that Python's C handlers write (`signal.set_wakeup_fd`), in a thread of its own that
/// needs no Python.
///
///     first signal    the cancellation of the main thread is requested: native loops end
///       still there   what is awaited is said, and how to go on
///     second signal   Python's handlers get a last chance
///       still there   the call is abandoned: `abandon` (Python) keeps the results, and the process ends
///     third signal    the process ends
///
/// SIGTERM and SIGHUP come once: the call is abandoned after a while. Signals with handlers of the user's own only ask
/// for attention, so that these are called at the next step of a native loop.
class SignalWatch {
 public:
  static SignalWatch& instance() {
    static SignalWatch* const made = new SignalWatch;  // its thread may outlive everything else
    return *made;
  }

  /// Where Python's handlers have to write.
  int descriptor() const { return ends_[1]; }

  /// Watch from now on. `ours`: the signals that end the work; `previous`: where else the numbers are to be written.
  /// False when it is watching already, or cannot.
  bool begin(std::vector<int> ours, int previous, std::shared_ptr<Whereabouts> where, nb::object abandon,
             bool may_exit) {
    const std::lock_guard lock(mutex_);
    if (watching_ || !ensure_thread()) return false;
    take_signals();  // of before
    cancellation_.reset();
    ours_ = std::move(ours);
    previous_ = previous;
    where_ = std::move(where);
    abandon_ = std::move(abandon);
    may_exit_ = may_exit;
    count_ = first_ = 0;
    has_spoken_ = false;
    watching_ = true;
    return true;
  }

  void end() {
    nb::object released;  // without the lock
    const std::lock_guard lock(mutex_);
    take_signals();
    watching_ = inside_ = false;
    scope_.reset();
    cancellation_.reset();
    where_.reset();
    released = std::move(abandon_);
  }

  /// The main thread enters native code.
  void enter(bool cancellable) {
    const std::lock_guard lock(mutex_);
    ensure_thread();  // a fork has stopped it
    if (cancellable) scope_.emplace(&cancellation_);
    inside_ = true;
    wake();
  }

  /// It comes back; never, when it was abandoned meanwhile.
  void leave() {
    std::unique_lock lock(mutex_);
    if (abandoned_) {
      nb::gil_scoped_release released;
      gone_.wait(lock, [] { return false; });
    }
    scope_.reset();
    inside_ = false;
  }

  bool is_inside() const { return inside_; }

  /// Before a fork: the copy would have no such thread.
  void stop() {
    std::thread ending;
    {
      const std::lock_guard lock(mutex_);
      if (!thread_.joinable()) return;
      stopping_ = true;
      ending.swap(thread_);
    }
    write_number(ends_[1], 0);
    ending.join();
    stopping_ = false;
  }

  /// After a fork, in the copy: its signals are not those of the process that it was copied from.
  void take_own_pipe() {
    int made[2];
    open_pipe(made);
    for (const int k : {0, 1}) {
      ::dup2(made[k], ends_[k]);
      ::fcntl(ends_[k], F_SETFD, FD_CLOEXEC);
      ::close(made[k]);
    }
  }

 private:
  SignalWatch() {
    open_pipe(ends_);
    cancellation_.set_attend([] {
      const nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
  }

  static void open_pipe(int* ends) {
    if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "no pipe for signals");
    for (const int k : {0, 1}) {
      ::fcntl(ends[k], F_SETFD, FD_CLOEXEC);
      ::fcntl(ends[k], F_SETFL, ::fcntl(ends[k], F_GETFL) | O_NONBLOCK);
    }
  }

  static void write_number(int descriptor, int number) {
    const auto byte = static_cast<unsigned char>(number);
    [[maybe_unused]] const ssize_t done = ::write(descriptor, &byte, 1);  // a full pipe wakes its reader anyway
  }

  bool ensure_thread() {
    if (thread_.joinable()) return true;
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // handlers of others belong to the other threads
    try {
      thread_ = std::thread([this] { watch(); });
    } catch (const std::system_error&) {  // no thread is to be had: signals wait as they do without a watch
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread_.joinable();
  }

  /// A time limit may have to be looked at.
  void wake() const {
    if (count_ > 0) write_number(ends_[1], 0);
  }

  void watch() {
    while (true) {
      pollfd input{ends_[0], POLLIN, 0};
      ::poll(&input, 1, milliseconds_left());
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      take_signals();
      if (watching_ && inside_) look_at_clock();
    }
  }

  int milliseconds_left() {
    const std::lock_guard lock(mutex_);
    if (!watching_ || !inside_ || count_ == 0 || has_python_ || (has_spoken_ && !may_leave_it())) return -1;
    const auto left = std::chrono::duration_cast<milliseconds>(next_deadline() - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left + 1, 1, 1000));
  }

  bool may_leave_it() const { return may_exit_ && (count_ > 1 || first_ != SIGINT); }

  Clock::time_point next_deadline() const {
    if (abandoned_) return last_ + for_python;
    if (!has_spoken_) return since_ + patience;
    return count_ > 1 ? last_ + second_chance : since_ + grace;
  }

  void take_signals() {
    unsigned char numbers[64];
    ssize_t count = 0;
    while ((count = ::read(ends_[0], numbers, sizeof numbers)) > 0) {
      for (ssize_t k = 0; k < count; ++k) {
        if (numbers[k] != 0) note(numbers[k]);
      }
    }
  }

  void note(int number) {
    if (!watching_) return;
    if (previous_ >= 0) write_number(previous_, number);
    if (std::find(ours_.begin(), ours_.end(), number) == ours_.end()) return cancellation_.ask_for_attention();
    last_ = Clock::now();
    if (count_++ == 0) {
      first_ = number;
      since_ = last_;
      cancellation_.request();
    }
    if (abandoned_) ::_exit(128 + first_);
  }

  void look_at_clock() {
    if (count_ == 0 || Clock::now() < next_deadline()) return;
    if (abandoned_) {
      if (!has_python_) ::_exit(128 + first_);  // a call that holds Python's lock: what was flushed is kept
      return;
    }
    if (!has_spoken_) return speak();
    if (may_leave_it()) leave_it();
  }

  void speak() {
    has_spoken_ = true;
    count_ = 1;  // what was pressed before was no answer to this
    since_ = Clock::now();
    const std::string what = where_ ? where_->text() : "native code";
    const std::string next = !may_exit_         ? "restart Python to abandon it"
                             : first_ == SIGINT ? "press Ctrl-C again to abandon it"
                                                : "it is abandoned in 5 s";
    say(std::string(::isatty(2) != 0 ? "\n" : "") + "waiting for " + what + "; " + next + "\n");
  }

  void leave_it() {
    abandoned_ = true;
    last_ = Clock::now();
    std::thread([this] {
      const nb::gil_scoped_acquire gil;
      has_python_ = true;
      try {
        abandon_(first_.load());
      } catch (const std::exception& error) {
        say(std::string("results may be incomplete: ") + error.what() + "\n");
      }
      ::_exit(128 + first_);
    }).detach();
  }

  int ends_[2] = {-1, -1};
  std::mutex mutex_;
  std::condition_variable gone_;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  Cancellation cancellation_;
  std::optional<Cancellation::Scope> scope_;
  std::vector<int> ours_;
  int previous_ = -1;
  std::shared_ptr<Whereabouts> where_;
  nb::object abandon_;
  bool may_exit_ = true;
  bool watching_ = false;
  std::atomic<bool> inside_{false};
  bool has_spoken_ = false;
  bool abandoned_ = false;
  std::atomic<bool> has_python_{false};
  int count_ = 0;  ///< of our signals, since the watch began or since something was said
  std::atomic<int> first_{0};
  Clock::time_point since_, last_;
};

#endif

void bind_signal_watch(nb::module_& m) {
  nb::class_<Whereabouts>(m, "Whereabouts", "What native code is waiting for.")
      .def(
          "__init__", [](Whereabouts* self, std::string text) { new (self) Whereabouts{[text] { return text; }}; },
          nb::arg("text"))
      .def_prop_ro("text", [](const Whereabouts& self) { return self.text(); });
#if !defined(_WIN32)
  nb::class_<SignalWatch>(m, "SignalWatch",
                          "Handles signals while the main thread is in native code; there is one object.")
      .def_static("instance", &SignalWatch::instance, nb::rv_policy::reference)
      .def_prop_ro("descriptor", &SignalWatch::descriptor, "For signal.set_wakeup_fd.")
      .def("begin", &SignalWatch::begin, nb::arg("ours"), nb::arg("previous"), nb::arg("where"), nb::arg("abandon"),
           nb::arg("may_exit"), "Watch the signals that end the work; False if it already does.")
      .def("end", &SignalWatch::end)
      .def("enter", &SignalWatch::enter, nb::arg("cancellable"), "The main thread enters native code.")
      .def("leave", &SignalWatch::leave, "The main thread returns.")
      .def("stop", &SignalWatch::stop, "Before a fork.")
      .def("take_own_pipe", &SignalWatch::take_own_pipe, "After a fork, in the new process.")
      .def_prop_ro("is_inside", &SignalWatch::is_inside, "Whether the main thread is in native code.");
#endif
}

}  // namespace counterpoint::bind
