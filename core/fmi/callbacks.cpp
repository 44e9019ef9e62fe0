#include "fmi/callbacks.hpp"

#include <mutex>
#include <unordered_map>

#include "fmi/foreign_call.hpp"

namespace counterpoint::fmi {
namespace {

/// Environments of living instances. Never destroyed: an FMU may call back while the process ends.
struct Living {
  std::mutex mutex;
  std::unordered_map<const void*, std::shared_ptr<Environment>> all;
};

Living& living() {
  static Living& made = *new Living;
  return made;
}

}  // namespace

OwnEnvironment::OwnEnvironment(std::shared_ptr<Log> log) : made_(std::make_shared<Environment>()) {
  made_->log = std::move(log);
  const std::lock_guard lock(living().mutex);
  living().all.emplace(made_.get(), made_);
}

OwnEnvironment::~OwnEnvironment() {
  const std::lock_guard lock(living().mutex);
  living().all.erase(made_.get());
}

std::shared_ptr<Environment> environment_of(const void* given) {
  const ForeignCall* call = ForeignCall::running();
  const std::lock_guard lock(living().mutex);
  auto found = living().all.find(given);
  if (found == living().all.end() && call != nullptr) found = living().all.find(call->code().environment);
  return found == living().all.end() ? nullptr : found->second;
}

void take_message(const void* environment, int status, const char* category, const char* message,
                  std::va_list* arguments) noexcept {
  try {
    const std::shared_ptr<Environment> known = environment_of(environment);
    if (!known) return;
    const std::string text = read_text(message);
    const std::string kind = category == nullptr ? "" : read_text(category);
    known->log->add(status, kind.c_str(), arguments != nullptr ? format_safely(text.c_str(), *arguments) : text);
  } catch (...) {  // nothing may cross the FMU, and a message is not worth a run
  }
}

}  // namespace counterpoint::fmi
