#include "export/sealed_state.hpp"

#include <cstdint>
#include <cstring>

#include "recipe/reader.hpp"

namespace counterpoint::exported {
namespace {

using recipe::RecipeError;

constexpr std::string_view state_mark = "Counterpoint state";
constexpr std::uint32_t state_version = 3;
constexpr std::size_t head = state_mark.size() + sizeof state_version + sizeof(std::uint64_t);

/// FNV-1a: finds damage, not forgery.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return sum;
}

}  // namespace

std::string seal(const std::string& body) {
  const std::uint64_t sum = checksum(body);
  std::string bytes(state_mark);
  bytes.append(reinterpret_cast<const char*>(&state_version), sizeof state_version);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes + body;
}

std::string unseal(std::string_view bytes) {
  if (bytes.size() < head || bytes.substr(0, state_mark.size()) != state_mark)
    throw RecipeError("the bytes are not the state of an FMU that Counterpoint exported");
  std::uint32_t found = 0;
  std::uint64_t sum = 0;
  std::memcpy(&found, bytes.data() + state_mark.size(), sizeof found);
  std::memcpy(&sum, bytes.data() + state_mark.size() + sizeof found, sizeof sum);
  if (found != state_version) {
    throw RecipeError("the state has version " + std::to_string(found) + ", this library reads version " +
                      std::to_string(state_version));
  }
  const std::string_view body = bytes.substr(head);
  if (checksum(body) != sum) throw RecipeError("the state is damaged: its bytes are not those that were written");
  return std::string(body);
}

}  // namespace counterpoint::exported
