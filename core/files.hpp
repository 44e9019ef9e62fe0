#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

// Whole files and parts of them, without streams: numbers.hpp says why.

namespace counterpoint {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

/// Binary, empty if it cannot be opened. A folder can be opened on some systems and then not be read.
inline OpenFile open_file(const std::filesystem::path& path, bool for_writing = false) {
#if defined(_WIN32)
  return OpenFile(_wfopen(path.c_str(), for_writing ? L"wb" : L"rb"));
#else
  return OpenFile(std::fopen(path.c_str(), for_writing ? "wb" : "rb"));
#endif
}

/// All bytes, nothing if the file cannot be read.
inline std::optional<std::string> read_file(const std::filesystem::path& path) {
  const OpenFile file = open_file(path);
  if (!file) return {};
  std::string bytes;
  char part[1 << 14];
  for (std::size_t count; (count = std::fread(part, 1, sizeof part, file.get())) > 0;) bytes.append(part, count);
  if (std::ferror(file.get())) return {};
  return bytes;
}

/// Whether all of it was written.
inline bool write_file(const std::filesystem::path& path, const std::string& bytes) {
  OpenFile file = open_file(path, true);
  if (!file) return false;
  const bool complete = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  return std::fclose(file.release()) == 0 && complete;
}

}  // namespace counterpoint
