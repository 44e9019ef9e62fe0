// A library in memory. Its calls of `exit` go through a table that the loader filled in: the entries are replaced.

#include "fmi/library_image.hpp"

#if defined(__linux__)

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "fmi/foreign_call.hpp"

namespace counterpoint::fmi {
namespace {

[[noreturn]] void leave(int code, void (*real)(int)) {
  if (ForeignCall* call = ForeignCall::running(); call != nullptr && !ForeignSignals::reports_only()) {
    ForeignEnd end;
    end.exit_code = code;
    call->abandon(end);
  }
  real(code);
  std::abort();
}
void exit_inside(int code) { leave(code, std::exit); }
void quick_exit_inside(int code) { leave(code, std::quick_exit); }
void now_exit_inside(int code) { leave(code, ::_exit); }

struct Hook {
  const char* name;
  void (*function)(int);
};
constexpr Hook hooks[] = {
    {"exit", exit_inside}, {"_exit", now_exit_inside}, {"_Exit", now_exit_inside}, {"quick_exit", quick_exit_inside}};

/// Where a library lies; an entry is written before its end is, and its path is never freed.
struct Range {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<const char*> path{nullptr};
};
constexpr std::size_t most_ranges = 256;  ///< libraries beyond are called by their names nowhere else
Range ranges[most_ranges];
std::mutex ranges_mutex;

#if defined(__x86_64__)
constexpr unsigned long jump_slot = R_X86_64_JUMP_SLOT, data_slot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned long jump_slot = R_AARCH64_JUMP_SLOT, data_slot = R_AARCH64_GLOB_DAT;
#endif

#if defined(__x86_64__) || defined(__aarch64__)

/// Tables of a loaded library.
struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * calls = nullptr;
  const ElfW(Rela) * data = nullptr;
  std::size_t call_bytes = 0, data_bytes = 0;

  explicit Tables(const link_map& map) {
    for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
      // Some loaders leave addresses in the file as they are.
      const ElfW(Addr) value = entry->d_un.d_ptr;
      const ElfW(Addr) address = value < map.l_addr ? map.l_addr + value : value;
      if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
      if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(address);
      if (entry->d_tag == DT_JMPREL) calls = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_RELA) data = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_PLTRELSZ) call_bytes = value;
      if (entry->d_tag == DT_RELASZ) data_bytes = value;
    }
  }
};

/// Where the loader has taken the permission to write away.
struct Protected {
  ElfW(Addr) base = 0;
  std::uintptr_t begin = 0, end = 0;   ///< read only since it was loaded
  std::uintptr_t first = 0, last = 0;  ///< of the whole library
};

int look_at(dl_phdr_info* info, std::size_t, void* argument) {
  Protected& found = *static_cast<Protected*>(argument);
  if (info->dlpi_addr != found.base) return 0;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const ElfW(Phdr) & segment = info->dlpi_phdr[k];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_RELRO) found.begin = begin, found.end = begin + segment.p_memsz;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && found.first == 0)
      found.first = begin, found.last = begin + segment.p_memsz;
  }
  return 1;
}

void replace(std::uintptr_t slot, void (*function)(int), const Protected& image) {
  const std::uintptr_t page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* page = reinterpret_cast<void*>(slot & ~(page_size - 1));
  const bool is_protected = slot >= image.begin && slot < image.end;
  if (is_protected && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return;
  *reinterpret_cast<void (**)(int)>(slot) = function;
  if (is_protected) mprotect(page, page_size, PROT_READ);
}

void hook(const link_map& map, const Protected& image) {
  const Tables tables(map);
  if (tables.symbols == nullptr || tables.names == nullptr) return;
  const auto look = [&](const ElfW(Rela)* entries, std::size_t bytes) {
    for (std::size_t k = 0; entries != nullptr && k < bytes / sizeof *entries; ++k) {
      const unsigned long kind = ELF64_R_TYPE(entries[k].r_info);
      if (kind != jump_slot && kind != data_slot) continue;
      const char* name = tables.names + tables.symbols[ELF64_R_SYM(entries[k].r_info)].st_name;
      for (const Hook& one : hooks) {
        if (std::strcmp(name, one.name) == 0) replace(map.l_addr + entries[k].r_offset, one.function, image);
      }
    }
  };
  look(tables.calls, tables.call_bytes);
  look(tables.data, tables.data_bytes);
}

#endif

void note_range(const char* path, std::uintptr_t begin, std::uintptr_t end) {
  const std::lock_guard lock(ranges_mutex);
  for (Range& range : ranges) {
    if (range.end != 0) continue;
    range.begin = begin;
    range.path = path;
    range.end = end;
    return;
  }
}

}  // namespace

void adopt_library(void* handle, const std::string& path) {
#if defined(__x86_64__) || defined(__aarch64__)
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const link_map* one = map; one != nullptr; one = one->l_next) {
    if (one != map && (folder.empty() || std::strncmp(one->l_name, folder.c_str(), folder.size()) != 0)) continue;
    Protected image;
    image.base = one->l_addr;
    dl_iterate_phdr(look_at, &image);
    hook(*one, image);
    if (one == map) note_range(map->l_name, image.first, image.last);
  }
#else
  (void)handle, (void)path;
#endif
}

void disown_library(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return;
  const std::lock_guard lock(ranges_mutex);
  for (Range& range : ranges) {
    if (range.path != map->l_name) continue;
    range.end = 0;
    range.path = nullptr;
    return;
  }
}

const char* library_at(std::uintptr_t instruction) {
  for (const Range& range : ranges) {
    if (instruction != 0 && instruction >= range.begin && instruction < range.end) return range.path;
  }
  return nullptr;
}

}  // namespace counterpoint::fmi

#else

namespace counterpoint::fmi {

void adopt_library(void*, const std::string&) {}
void disown_library(void*) {}
const char* library_at(std::uintptr_t) { return nullptr; }

}  // namespace counterpoint::fmi

#endif
