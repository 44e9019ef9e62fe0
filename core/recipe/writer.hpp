#pragma once

#include <Eigen/Dense>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipe/fields.hpp"
#include "recipe/origin.hpp"

namespace counterpoint {
class Subsystem;
}

namespace counterpoint::recipe {

/// Called with every structure of a kind that is written, for those who want to know where it stands.
template <class Structure>
struct Note {
  static void of(const Structure&, Writer&) {}
};

/// A number in a recipe that whoever reads it may change.
struct Tunable {
  std::uint32_t product;          ///< that it is a parameter of
  std::vector<std::string> path;  ///< where that is
  std::string name;
  std::vector<double> values;
};

/// Writes a recipe: numbers, texts, structures, and products by the way they were made.
///
/// A product is written where it is met first and gets the next number; later it is only that number. A subsystem is
/// written as if it were alone, so that nothing in it refers to another one.
/// What cannot be described is noted in `problems` with where it is; the bytes are then of no use.
class Writer {
 public:
  template <class... Value>
  void operator()(const Value&... values) {
    (put(values), ...);
  }

  void note_problem(const std::string& text) {
    std::string where;
    for (const PlaceName& place : places_) where += place.in_messages + ": ";
    problems_.push_back(where + text);
  }
  /// Names of the structures around what is written just now.
  std::vector<std::string> path() const {
    std::vector<std::string> names;
    for (const PlaceName& place : places_) names.push_back(place.name);
    return names;
  }

  const std::vector<std::string>& problems() const { return problems_; }
  const std::string& bytes() const { return bytes_; }

  std::vector<Tunable> tunables;
  /// Files that belong to a product: its number and the folder that holds them.
  std::vector<std::pair<std::uint32_t, std::string>> folders;

  /// Number of the product that is written just now.
  std::uint32_t number() const { return current_; }

 private:
  void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  void put(bool value) { put(static_cast<std::int32_t>(value)); }
  void put(std::int32_t value) { raw(&value, sizeof value); }
  void put(std::uint32_t value) { raw(&value, sizeof value); }
  void put(double value) { raw(&value, sizeof value); }
  void put(std::size_t value) { put_wide(static_cast<std::int64_t>(value)); }
  void put(long value) { put_wide(value); }
  void put_wide(std::int64_t value) { raw(&value, sizeof value); }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    raw(text.data(), text.size());
  }
  void put(const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& matrix) {
    put(static_cast<std::uint32_t>(matrix.rows()));
    put(static_cast<std::uint32_t>(matrix.cols()));
    raw(matrix.data(), sizeof(double) * static_cast<std::size_t>(matrix.size()));
  }
  void put(const std::vector<std::uint8_t>& bytes) {
    put(static_cast<std::uint32_t>(bytes.size()));
    raw(bytes.data(), bytes.size());
  }
  void put(const std::vector<char>& bytes) {
    put(static_cast<std::uint32_t>(bytes.size()));
    raw(bytes.data(), bytes.size());
  }
  void put(const std::vector<double>& numbers) {
    put(static_cast<std::uint32_t>(numbers.size()));
    raw(numbers.data(), sizeof(double) * numbers.size());
  }
  template <class Value>
  void put(const std::vector<Value>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const Value& value : list) put(value);
  }
  template <class Value, std::size_t size>
  void put(const std::array<Value, size>& list) {
    for (const Value& value : list) put(value);
  }
  template <class First, class Second>
  void put(const std::pair<First, Second>& both) {
    put(both.first);
    put(both.second);
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class Value>
  void put(const std::map<std::string, Value>& table) {
    put(static_cast<std::uint32_t>(table.size()));
    for (const auto& [name, value] : table) {
      put(name);
      put(value);
    }
  }
  template <class Product>
  void put(const std::shared_ptr<Product>& product) {
    using Plain = std::remove_const_t<Product>;
    if constexpr (std::is_base_of_v<Describable, Plain>) {
      put_product<Plain>(product.get());
    } else {
      put(product != nullptr);
      if (product) put(*product);
    }
  }
  template <class Value>
  void put(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      static_assert(count_of<Value> > 0);
      put(static_cast<std::int32_t>(value));
    } else {
      PlaceName place = Place<Value>::of(value);
      const bool is_named = !place.name.empty();
      if (is_named) places_.push_back(std::move(place));
      Note<Value>::of(value, *this);
      if constexpr (has_numbers<Value>) note_numbers(value);
      std::apply([this](const auto&... fields) { (put(fields), ...); }, Fields<Value>::of(value));
      if (is_named) places_.pop_back();
    }
  }

  template <class Value>
  void note_numbers(Value value) {
    for (const auto& [name, number] : Numbers<Value>::of(value))
      tunables.push_back({current_, path(), name, {*number}});
  }

  template <class Product>
  void put_product(const Product* product) {
    if (product == nullptr) return put(std::uint32_t{0});
    if (const auto known = numbers_.find(product); known != numbers_.end()) return put(known->second);
    if (!product->origin) return note_problem(Words<Product>::of(*product));
    const bool alone = std::is_same_v<Product, Subsystem>;
    std::map<const void*, std::uint32_t> others;
    if (alone) others.swap(numbers_);
    const std::uint32_t number = ++count_;
    const std::uint32_t outer = std::exchange(current_, number);
    numbers_[product] = number;
    put(number);
    put(product->origin->kind);
    PlaceName place = Place<Product>::of(*product);
    const bool is_named = !place.name.empty();
    if (is_named) places_.push_back(std::move(place));
    product->origin->write_arguments(*this);
    if (is_named) places_.pop_back();
    std::apply([this](const auto&... fields) { (put(fields), ...); }, GivenLater<Product>::of(*product));
    current_ = outer;
    if (alone) others.swap(numbers_);
  }

  std::string bytes_;
  std::vector<PlaceName> places_;
  std::vector<std::string> problems_;
  std::map<const void*, std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
  std::uint32_t current_ = 0;
};

}  // namespace counterpoint::recipe
