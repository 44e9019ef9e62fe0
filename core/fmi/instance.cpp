#include "fmi/instance.hpp"

#include <cstdio>

#include "coupling/subsystem.hpp"
#include "fmi/refused.hpp"

namespace counterpoint::fmi {

void Instance::fail(int status, const char* function) {
  static const char* const names[] = {"ok", "warning", "discard", "error", "fatal"};
  const bool known = status >= 0 && status <= 4;  // 5, pending, is known in a step of FMI 2 only
  code_.dead = code_.dead || status == 4 || !known;
  failed_ = failed_ || status != 2;
  std::string text = std::string(function) + " returned the status ";
  text += known ? names[status] : std::to_string(status) + ", which FMI does not define; it is treated as fatal";
  const std::string words = log_->last_words();
  text += "; the FMU said" + (words.empty() ? std::string(" ") + log_->silence() : ": " + words);
  throw ComponentFailure(text);
}

void Instance::refuse_call(const char* function) const {
  if (code_.dead) throw ComponentFailure("the FMU has crashed or failed fatally; nothing more is called on it", true);
  throw ComponentFailure(std::string("its library has no ") + function);
}

void Instance::refuse_exception(const std::string& what) {
  code_.dead = true;
  code_.library->keep_loaded();
  throw ComponentFailure(std::string("the FMU threw a C++ exception in ") + code_.function + ": " + printable(what) +
                             "; FMI does not allow that, and nothing more is called on it",
                         true);
}

void Instance::say_at_end(const std::exception& failure) noexcept {
  try {
    log_->add(4, "counterpoint", failure.what());
    if (code_.dead) std::fprintf(stderr, "counterpoint: %s: at the end of the run: %s\n", code_.name, failure.what());
  } catch (...) {  // no memory for a message
  }
}

void Instance::set_exchange(const References& inputs, std::size_t input_offset, std::size_t input_width,
                            const References& outputs, std::size_t output_width, double t) {
  Exchange& x = exchange_;
  x.references = inputs;
  x.references.insert(x.references.end(), outputs.begin(), outputs.end());
  x.inputs = x.references.data();
  x.outputs = x.inputs + inputs.size();
  x.input_count = static_cast<std::uint32_t>(inputs.size());
  x.input_width = static_cast<std::uint32_t>(input_width);
  x.input_offset = static_cast<std::uint32_t>(input_offset);
  x.output_count = static_cast<std::uint32_t>(outputs.size());
  x.output_width = static_cast<std::uint32_t>(output_width);
  x.time = t;
  log_->follow(&x.time);
}

void refuse_instance(const char* function, const InstanceSettings& settings, const Log& log) {
  const std::string words = log.last_words();
  const std::string tool =
      settings.tool.empty() ? "" : "; it needs the program that made it, " + settings.tool + ", on this computer";
  throw InstanceRefused(
      std::string(function) + " failed; the FMU said " + (words.empty() ? log.silence() : "\"" + words + "\"") + tool +
      "; usual reasons: the binary does not belong to this description (GUID or instantiation token), a "
      "licence or a file is missing");
}

std::unique_ptr<Instance> make_instance(int major, const LibraryPointer& library, const InstanceSettings& settings,
                                        const std::shared_ptr<Log>& log) {
  if (major == 1) return make_instance1(library, settings, log);
  return major == 2 ? make_instance2(library, settings, log) : make_instance3(library, settings, log);
}

std::vector<std::uint8_t> make_room(std::size_t size) {
  try {
    return std::vector<std::uint8_t>(size);
  } catch (const std::exception&) {
    throw ComponentFailure("the FMU says that its state has " + std::to_string(size) +
                           " bytes; there is no room for it");
  }
}

std::size_t size_of(Type type) {
  static constexpr std::size_t sizes[] = {8, 4, 1, 1, 2, 2, 4, 4, 8, 8, 1};
  return sizes[static_cast<int>(type)];
}

}  // namespace counterpoint::fmi
