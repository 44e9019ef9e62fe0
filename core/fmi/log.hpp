#pragma once

#include <cstdarg>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace counterpoint::fmi {

/// What an FMU said.
struct Message {
  double time;  ///< of the step under way, s
  int status;   ///< as in FMI: 0 ok ... 4 fatal
  std::string category;
  std::string text;
};

/// Messages of one FMU. A flood is cut off and counted, text that is not UTF-8 is escaped: nothing that an FMU says
/// fills the memory or a terminal. May be called from any thread.
class Log {
 public:
  void add(int status, const char* category, const std::string& text);
  /// A message that was made printable elsewhere.
  void add(Message message);
  /// Messages go there instead of being kept.
  void set_listener(std::function<void(const Message&)> listener) { listener_ = std::move(listener); }
  void set_time(double t) {
    own_time_ = t;
    time_ = &own_time_;
  }
  /// From now on the time is read there.
  void follow(const double* time) { time_ = time; }
  void stop_following() { set_time(*time_); }
  /// Of the step under way, s.
  double time() const { return *time_; }

  std::vector<Message> messages() const;
  /// How many were not kept.
  long dropped() const;
  /// The last things said with a status of at least warning, for an error message; empty when there are none.
  std::string last_words() const;
  /// Whether the FMU was asked for all of its messages.
  void note_logging(bool asked) { asked_ = asked; }
  /// What to say where it said nothing.
  const char* silence() const {
    return asked_ ? "nothing" : "nothing (logging=True asks for its messages; command line: --set logging=true)";
  }
  void clear();

 private:
  static constexpr std::size_t most_kept = 1000;
  static constexpr std::size_t last_kept = 3;

  mutable std::mutex mutex_;
  bool asked_ = false;
  double own_time_ = 0.0;
  const double* time_ = &own_time_;
  std::vector<Message> messages_;
  std::deque<std::string> last_;
  long dropped_ = 0;
  std::function<void(const Message&)> listener_;
};

/// Text with everything that is not printable UTF-8 written as \xNN, and cut at a few thousand bytes.
std::string printable(const std::string& text);

/// Text of an FMU up to its end, or a few thousand bytes. The kernel is asked to copy it, where it can (Linux): an
/// address that cannot be read is the text "(unreadable)" and not a crash. Null is "".
std::string read_text(const char* address, std::size_t most = 4000);
/// So many bytes of an FMU; throws ComponentFailure when they cannot be read.
std::string read_bytes(const void* address, std::size_t size);

/// A message of FMI 2 with its printf conversions filled in. Conversions that write (%n) or are not known end the
/// formatting: the rest is kept as it is. A string argument that does not point to readable memory is shown as
/// "(unreadable)".
std::string format_safely(const char* format, std::va_list arguments);

}  // namespace counterpoint::fmi
