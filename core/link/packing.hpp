#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "link/frames.hpp"

namespace counterpoint::link {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Values one after another as bytes, for two programs of the same build. A structure takes part by a function
/// `describe(archive, value)` in its namespace that hands each member over; one function serves both directions.
class Packer {
 public:
  template <Plain T>
  Packer& operator()(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packer& operator()(const std::string& text) {
    (*this)(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  template <class T>
  Packer& operator()(const std::vector<T>& items) {
    (*this)(static_cast<std::uint64_t>(items.size()));
    for (const T& item : items) (*this)(item);
    return *this;
  }
  template <class T>
  Packer& operator()(const T& value)
    requires(!Plain<T>)
  {
    describe(*this, const_cast<T&>(value));
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a Packer wrote; throws ProtocolFailure when there is less.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}

  template <Plain T>
  Unpacker& operator()(T& value) {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return *this;
  }
  Unpacker& operator()(std::string& text) {
    text = take(size());
    return *this;
  }
  template <class T>
  Unpacker& operator()(std::vector<T>& items) {
    const std::size_t count = size();
    items.clear();
    for (std::size_t k = 0; k < count; ++k) (*this)(items.emplace_back());
    return *this;
  }
  template <class T>
  Unpacker& operator()(T& value)
    requires(!Plain<T>)
  {
    describe(*this, value);
    return *this;
  }

 private:
  std::size_t size() {
    std::uint64_t count = 0;
    (*this)(count);
    if (count > left_.size()) throw ProtocolFailure("packed values are cut short");
    return static_cast<std::size_t>(count);
  }
  std::string_view take(std::size_t count) {
    if (count > left_.size()) throw ProtocolFailure("packed values are cut short");
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  std::string_view left_;
};

}  // namespace counterpoint::link
