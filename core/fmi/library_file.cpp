// What can be seen of a library before it is loaded. The loader maps what the headers promise: a file that is shorter
// ends the process with SIGBUS.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "files.hpp"
#include "fmi/library_image.hpp"

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

namespace counterpoint::fmi {
namespace {

using Beginning = std::array<unsigned char, 64>;

struct Magic {
  std::array<unsigned char, 4> bytes;
  std::size_t count;
  const char* what;
};

constexpr Magic magics[] = {
    {{0x7F, 'E', 'L', 'F'}, 4, "Linux (ELF)"},       {{'M', 'Z', 0, 0}, 2, "Windows (PE)"},
    {{0xCF, 0xFA, 0xED, 0xFE}, 4, "macOS (Mach-O)"}, {{0xCE, 0xFA, 0xED, 0xFE}, 4, "macOS (Mach-O, 32 bits)"},
    {{0xCA, 0xFE, 0xBA, 0xBE}, 4, "macOS (Mach-O)"},
};
#if defined(_WIN32)
constexpr const char* here = "Windows";
#elif defined(__APPLE__)
constexpr const char* here = "macOS";
#else
constexpr const char* here = "Linux";
#endif

const char* system_of(const Beginning& beginning) {
  for (const Magic& magic : magics) {
    if (std::equal(magic.bytes.begin(), magic.bytes.begin() + magic.count, beginning.begin())) return magic.what;
  }
  return nullptr;
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw std::runtime_error("cannot be loaded: " + path + ": " + reason);
}

#if defined(__linux__)

/// Reads tables of a file whose size is known.
class ElfFile {
 public:
  ElfFile(const std::string& path, std::FILE* file, std::uint64_t size) : path_(path), file_(file), size_(size) {}

  void check() {
    ElfW(Ehdr) header;
    if (size_ < sizeof header)
      refuse(path_, "file too short for the header of ELF, " + std::to_string(size_) + " bytes");
    read(0, &header, sizeof header);
    // Other kinds of processors and versions are told by the loader, which reads no further.
    const unsigned char own = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (header.e_ident[EI_CLASS] != own || header.e_machine != machine() || header.e_type != ET_DYN) return;
    if (header.e_phentsize != sizeof(ElfW(Phdr))) return;
    for (unsigned k = 0; k < header.e_phnum; ++k) {
      ElfW(Phdr) segment;
      const std::uint64_t place = header.e_phoff + std::uint64_t{k} * sizeof segment;
      expect("program headers", place, sizeof segment);
      read(place, &segment, sizeof segment);
      if (segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC) {
        expect("segments", segment.p_offset, segment.p_filesz);
        (segment.p_type == PT_LOAD ? loaded_ : dynamic_).push_back(segment);
      }
    }
    check_relative_relocations();
    if (header.e_shoff != 0)
      expect("section headers", header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
  }

 private:
#if defined(__x86_64__)
  static constexpr std::uint64_t relative = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
  static constexpr std::uint64_t relative = R_AARCH64_RELATIVE;
#else
  static constexpr std::uint64_t relative = 0;
#endif

  /// Where another kind stands among the relative ones the loader ends the process, and nothing can intercept that.
  void check_relative_relocations() {
    std::uint64_t table = 0, count = 0;
    for (const ElfW(Phdr) & segment : dynamic_) {
      std::vector<ElfW(Dyn)> entries(segment.p_filesz / sizeof(ElfW(Dyn)));
      read(segment.p_offset, entries.data(), entries.size() * sizeof(ElfW(Dyn)));
      for (const ElfW(Dyn) & entry : entries) {
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_RELA) table = entry.d_un.d_ptr;
        if (entry.d_tag == DT_RELACOUNT) count = entry.d_un.d_val;
      }
    }
    if (table == 0 || count == 0 || relative == 0) return;
    const std::uint64_t place = place_of(table);
    expect("relocations", place, std::min(count, size_) * sizeof(ElfW(Rela)));
    std::vector<ElfW(Rela)> entries(count);
    read(place, entries.data(), count * sizeof(ElfW(Rela)));
    const bool damaged = std::any_of(entries.begin(), entries.end(),
                                     [](const ElfW(Rela) & entry) { return (entry.r_info & 0xFFFFFFFF) != relative; });
    if (damaged) refuse(path_, "the file is damaged: its relative relocations (ELF) are none");
  }
  /// Of an address, in the file.
  std::uint64_t place_of(std::uint64_t address) const {
    for (const ElfW(Phdr) & segment : loaded_) {
      if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
        return segment.p_offset + (address - segment.p_vaddr);
    }
    refuse(path_, "the file is damaged: its relocations (ELF) lie outside of its segments");
  }

  static constexpr unsigned machine() {
#if defined(__x86_64__)
    return EM_X86_64;
#elif defined(__aarch64__)
    return EM_AARCH64;
#else
    return EM_NONE;
#endif
  }

  void read(std::uint64_t place, void* into, std::size_t count) {
    const bool found = std::fseek(file_, static_cast<long>(place), SEEK_SET) == 0;
    if (!found || std::fread(into, 1, count, file_) != count) refuse(path_, "cannot be read");
  }
  void expect(const char* what, std::uint64_t place, std::uint64_t count) const {
    if (place <= size_ && count <= size_ - place) return;
    refuse(path_, std::string("the file is damaged or cut short: its ") + what + " go up to byte " +
                      std::to_string(place + count) + " (ELF), and it has " + std::to_string(size_));
  }

  const std::string& path_;
  std::FILE* file_;
  std::uint64_t size_;
  std::vector<ElfW(Phdr)> loaded_;
  std::vector<ElfW(Phdr)> dynamic_;
};

#endif

}  // namespace

void check_library_file(const std::string& path) {
  const std::filesystem::path file(reinterpret_cast<const char8_t*>(path.c_str()));
  const OpenFile opened = open_file(file);
  std::error_code none;
  const std::uint64_t size = std::filesystem::file_size(file, none);
  if (!opened || none) return;  // the loader says why
  Beginning beginning{};
  if (std::fread(beginning.data(), 1, beginning.size(), opened.get()) == 0) return;
  const char* system = system_of(beginning);
  if (system == nullptr) return;
  if (std::strncmp(system, here, std::strlen(here)) != 0)
    refuse(path, std::string("this library is for ") + system + ", and this computer runs " + here);
#if defined(__linux__)
  ElfFile(path, opened.get(), size).check();
#else
  (void)size;
#endif
}

}  // namespace counterpoint::fmi
