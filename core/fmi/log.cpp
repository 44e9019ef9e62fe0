#include "fmi/log.hpp"

#include <algorithm>
#include <cstdio>

namespace counterpoint::fmi {

namespace {

constexpr std::size_t longest = 2000;  ///< bytes of a message that are kept

/// Bytes of the UTF-8 character that begins here, or 0 when there is none.
std::size_t character_length(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u; };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x20u || first == 0x7Fu) return 0;
  if (first < 0x80u) return 1;
  // C1 control characters begin with C2 and go up to 9F
  if (first >= 0xC2u && first < 0xE0u && follows(1)) return first == 0xC2u && byte(1) < 0xA0u ? 0 : 2;
  if (first >= 0xE0u && first < 0xF0u && follows(1) && follows(2)) {
    const bool overlong = first == 0xE0u && byte(1) < 0xA0u;
    const bool surrogate = first == 0xEDu && byte(1) >= 0xA0u;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0u && first < 0xF5u && follows(1) && follows(2) && follows(3)) {
    const bool overlong = first == 0xF0u && byte(1) < 0x90u;
    const bool beyond = first == 0xF4u && byte(1) >= 0x90u;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

}  // namespace

std::string printable(const std::string& text) {
  std::string made;
  std::size_t i = 0;
  while (i < text.size()) {
    if (made.size() > longest) return made + " ...";
    const std::size_t length = character_length(text, i);
    if (length > 0) {
      made.append(text, i, length);
    } else if (text[i] == '\n' || text[i] == '\t') {
      made += ' ';
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[i]));
      made += escaped;
    }
    i += std::max<std::size_t>(length, 1);
  }
  while (!made.empty() && made.back() == ' ') made.pop_back();
  return made;
}

void Log::add(int status, const char* category, const std::string& text) {
  add({*time_, status, category == nullptr ? "" : printable(category), printable(text)});
}

void Log::add(Message message) {
  const std::lock_guard lock(mutex_);
  if (message.status > 0) {
    last_.push_back(message.text);
    if (last_.size() > last_kept) last_.pop_front();
  }
  if (listener_) return listener_(message);
  if (messages_.size() >= most_kept) {
    ++dropped_;
    return;
  }
  messages_.push_back(std::move(message));
}

std::vector<Message> Log::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

long Log::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::string Log::last_words() const {
  const std::lock_guard lock(mutex_);
  std::string words;
  for (const std::string& text : last_) words += (words.empty() ? "" : " | ") + text;
  return words;
}

void Log::clear() {
  const std::lock_guard lock(mutex_);
  messages_.clear();
  last_.clear();
  dropped_ = 0;
}

}  // namespace counterpoint::fmi
