#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"
#include "recipe/fields.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::recipe {

/// A number in a recipe that may be changed when it is read.
struct Tunable {
  std::uint32_t product;          ///< that it is a parameter of
  std::vector<std::string> path;  ///< where that is
  std::string name;
  std::vector<double> values;
};

/// The serialiser of the core: numbers, texts, lists, structures (by their `Fields`), and products by the way they were
/// made. Bytes are in the order of the machine; a recipe, a saved state and the order to a child process are made of
/// them.
///
/// A product is written where it is met first and gets the next number; later only that number is written.
/// What cannot be described is noted in `problems` with where it is; the bytes are then of no use.
class Writer {
 public:
  template <class... Value>
  void operator()(const Value&... values) {
    (put(values), ...);
  }

  void note_problem(const std::string& text) {
    std::string where;
    for (const Label& label : labels_) where += label.in_messages + ": ";
    problems_.push_back(where + text);
  }
  /// Names of the structures around what is being written.
  std::vector<std::string> path() const {
    std::vector<std::string> names;
    for (const Label& label : labels_) names.push_back(label.name);
    return names;
  }

  const std::vector<std::string>& problems() const { return problems_; }
  const std::string& bytes() const { return bytes_; }

  std::vector<Tunable> tunables;
  /// Files that belong to a product: its number and the folder that holds them.
  std::vector<std::pair<std::uint32_t, std::string>> folders;

  /// Number of the product that is being written.
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
  void put_count(std::size_t count) {
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw UserError("a list of " + std::to_string(count) + " values; at most 2^32 - 1 can be written");
    put(static_cast<std::uint32_t>(count));
  }
  template <class List>
  void put_bytes_of(const List& list) {
    put_count(list.size());
    raw(list.data(), sizeof(typename List::value_type) * list.size());
  }
  void put(const std::string& text) { put_bytes_of(text); }
  void put(const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& matrix) {
    put_count(static_cast<std::size_t>(matrix.rows()));
    put_count(static_cast<std::size_t>(matrix.cols()));
    raw(matrix.data(), sizeof(double) * static_cast<std::size_t>(matrix.size()));
  }
  void put(const std::vector<std::uint8_t>& bytes) { put_bytes_of(bytes); }
  void put(const std::vector<char>& bytes) { put_bytes_of(bytes); }
  void put(const std::vector<double>& numbers) { put_bytes_of(numbers); }
  template <class Value>
  void put(const std::vector<Value>& list) {
    put_count(list.size());
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
    put_count(table.size());
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
      below(Labelled<Value>::of(value), [&] {
        OnWrite<Value>::of(value, *this);
        if constexpr (has_tunable_numbers<Value>) note_numbers(value);
        put_fields(Fields<Value>::of(value));
      });
    }
  }

  template <class... Field>
  void put_fields(const std::tuple<Field...>& fields) {
    std::apply([this](const auto&... field) { (this->put(field), ...); }, fields);
  }
  /// Write what belongs to something with this label; without a name it belongs to what is around it.
  template <class Write>
  void below(Label label, const Write& write) {
    if (label.name.empty()) return write();
    labels_.push_back(std::move(label));
    write();
    labels_.pop_back();
  }

  template <class Value>
  void note_numbers(Value value) {
    for (const auto& [name, number] : TunableNumbers<Value>::of(value))
      tunables.push_back({current_, path(), name, {*number}});
  }

  template <class Product>
  void put_product(const Product* product) {
    if (product == nullptr) return put(std::uint32_t{0});
    if (const auto known = numbers_.find(product); known != numbers_.end()) return put(known->second);
    if (!product->origin) return note_problem(NotDescribable<Product>::of(*product));
    constexpr bool alone = stands_alone<Product>;
    std::map<const void*, std::uint32_t> others;
    if (alone) others.swap(numbers_);
    const std::uint32_t number = ++count_;
    const std::uint32_t outer = std::exchange(current_, number);
    numbers_[product] = number;
    put(number);
    put(product->origin->factory);
    below(Labelled<Product>::of(*product), [&] { product->origin->write_arguments(*this); });
    put_fields(GivenLater<Product>::of(*product));
    current_ = outer;
    if (alone) others.swap(numbers_);
  }

  std::string bytes_;
  std::vector<Label> labels_;
  std::vector<std::string> problems_;
  std::map<const void*, std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
  std::uint32_t current_ = 0;
};

}  // namespace counterpoint::recipe
