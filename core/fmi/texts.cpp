#include "fmi/texts.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "coupling/failure.hpp"
#include "files.hpp"
#include "numbers.hpp"

namespace counterpoint::fmi {
namespace {

struct Pool {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::string> texts;
  std::string folder;
};

Pool& pool() {
  static Pool made;
  return made;
}

/// FNV-1a with 64 bits, folded to the 53 bits that a double holds.
std::uint64_t key_of(const std::string& text) {
  if (text.empty()) return 0;
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return (hash ^ (hash >> 53)) & ((std::uint64_t{1} << 53) - 1);
}

std::filesystem::path path_of(const Pool& known, std::uint64_t key) {
  return std::filesystem::path(known.folder) / std::to_string(key);
}

/// Under another name first: a reader finds the whole text or nothing.
void write(const Pool& known, std::uint64_t key, const std::string& text) {
  const std::filesystem::path path = path_of(known, key);
  std::filesystem::path part = path;
  part +=
      "." + std::to_string(reinterpret_cast<std::uintptr_t>(&known)) + std::to_string(std::hash<std::string>{}(text));
  if (!write_file(part, text)) return;  // what cannot be written is missed by its reader, who says so
  std::error_code ignored;
  std::filesystem::rename(part, path, ignored);
}

}  // namespace

double Texts::number_of(const std::string& text) {
  const std::uint64_t key = key_of(text);
  if (key == 0) return 0.0;
  Pool& known = pool();
  const std::lock_guard lock(known.mutex);
  const auto [place, is_new] = known.texts.try_emplace(key, text);
  if (place->second != text) throw ComponentFailure("two texts have the same number; change one of them");
  if (is_new && !known.folder.empty()) write(known, key, text);
  return static_cast<double>(key);
}

std::string Texts::text_of(double number) {
  if (number == 0.0) return "";
  Pool& known = pool();
  const std::lock_guard lock(known.mutex);
  const auto key = number > 0.0 && number < 9007199254740992.0 ? static_cast<std::uint64_t>(number) : 0;
  const auto found = known.texts.find(key);
  if (found != known.texts.end()) return found->second;
  std::optional<std::string> text;
  if (!known.folder.empty()) text = read_file(path_of(known, key));
  if (!text) {
    throw ComponentFailure("a string or binary input got " + number_text(number, 17) +
                           ", which is not a text; connect it to a string or binary output, held and without gain");
  }
  return known.texts.emplace(key, std::move(*text)).first->second;
}

void Texts::share(const std::string& folder) {
  Pool& known = pool();
  const std::lock_guard lock(known.mutex);
  known.folder = folder;
  if (folder.empty()) return;
  for (const auto& [key, text] : known.texts) write(known, key, text);
}

}  // namespace counterpoint::fmi
