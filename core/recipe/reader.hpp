#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

#include "recipe/fields.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::recipe {

/// Something is wrong with what is read: it was cut off, changed, or never was a recipe.
class RecipeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Reader;

/// Checks a value that was just read, before anything is made from it; throws RecipeError.
template <class Value>
struct Check {
  static void of(Value&, Reader&) {}
};

template <class Product>
class Factories;

/// All factories of a product; one specialisation per product, in the room that knows them all.
template <class Product>
const Factories<Product>& factories_of();

/// Reads what a Writer wrote. Nothing in the bytes is trusted: lengths are compared with what is left, numbers of
/// products with those that exist, depth is limited, and what refers to something elsewhere is checked (`Check`).
class Reader {
 public:
  /// `what`: how messages call what is read.
  explicit Reader(std::string_view bytes, std::string what = "recipe") : bytes_(bytes), what_(std::move(what)) {}

  template <class... Value>
  void operator()(Value&... values) {
    (take(values), ...);
  }
  /// Lists that must keep their length.
  template <class... Value>
  void same_sizes(std::vector<Value>&... lists) {
    const auto one = [this](auto& list) {
      const std::size_t size = list.size();
      take(list);
      if (list.size() != size)
        fail("expected a list of " + std::to_string(size) + " values, found " + std::to_string(list.size()));
    };
    (one(lists), ...);
  }
  bool at_end() const { return place_ == bytes_.size(); }
  /// To be called when all was read.
  void expect_end() const {
    if (!at_end()) fail("there are " + std::to_string(bytes_.size() - place_) + " bytes after its end");
  }
  [[noreturn]] void fail(const std::string& text) const {
    throw RecipeError("the " + what_ + " is damaged at byte " + std::to_string(place_) + ": " + text);
  }

  /// Number of the product that is being read.
  std::uint32_t number() const { return current_; }

  /// Note a reference by number to `width` things of a sort from `first` on. A room that has such references names the
  /// sort by a type of its own (a tag), and compares `furthest` when it knows how many there are.
  template <class Tag>
  void refer(long first, long width) {
    if (first < 0 || width < 0) fail("a negative reference");
    long& furthest_yet = furthest_.try_emplace(typeid(Tag), -1).first->second;
    furthest_yet = std::max(furthest_yet, first + width - 1);
  }
  /// The last one that was referred to since the last product that stands alone began; -1: none was.
  template <class Tag>
  long furthest() const {
    const auto found = furthest_.find(typeid(Tag));
    return found == furthest_.end() ? -1 : found->second;
  }

  /// Where the files that belong to products are.
  std::string folder;

  /// Numbers that replace those in the recipe: product, name of the parameter, index in it.
  using Change = std::tuple<std::uint32_t, std::string, std::uint32_t>;
  std::map<Change, double> changes;
  /// Replace them in a parameter of the product that is being read.
  void change(const std::string& name, std::vector<double>& values) const {
    if (changes.empty()) return;
    for (std::uint32_t k = 0; k < values.size(); ++k) {
      const auto changed = changes.find({current_, name, k});
      if (changed != changes.end()) values[k] = changed->second;
    }
  }

 private:
  static constexpr int max_depth = 64;

  void raw(void* data, std::size_t size) {
    if (size > bytes_.size() - place_) fail("it ends too early");
    if (size > 0) std::memcpy(data, bytes_.data() + place_, size);
    place_ += size;
  }
  /// A count of values of at least `size` bytes each.
  std::uint32_t take_count(std::size_t size) {
    std::uint32_t count = 0;
    take(count);
    if (count > (bytes_.size() - place_) / size) fail("a list is longer than what is left");
    return count;
  }

  void take(bool& value) {
    std::int32_t number = 0;
    take(number);
    if (number != 0 && number != 1) fail("expected 0 or 1, found " + std::to_string(number));
    value = number == 1;
  }
  void take(std::int32_t& value) { raw(&value, sizeof value); }
  void take(std::uint32_t& value) { raw(&value, sizeof value); }
  void take(double& value) { raw(&value, sizeof value); }
  void take(std::size_t& value) { value = static_cast<std::size_t>(take_wide()); }
  void take(long& value) { value = static_cast<long>(take_wide()); }
  std::int64_t take_wide() {
    std::int64_t wide = 0;
    raw(&wide, sizeof wide);
    return wide;
  }
  template <class List>
  void take_bytes_of(List& list) {
    constexpr std::size_t size = sizeof(typename List::value_type);
    list.resize(take_count(size));
    raw(list.data(), size * list.size());
  }
  void take(std::string& text) { take_bytes_of(text); }
  void take(Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& matrix) {
    std::uint32_t rows = 0, columns = 0;
    take(rows);
    take(columns);
    const std::uint64_t values = std::uint64_t{rows} * columns;
    if (values > (bytes_.size() - place_) / sizeof(double) || rows > 1u << 30 || columns > 1u << 30)
      fail("a matrix is larger than what is left");
    matrix.resize(rows, columns);
    raw(matrix.data(), sizeof(double) * values);
  }
  void take(std::vector<std::uint8_t>& bytes) { take_bytes_of(bytes); }
  void take(std::vector<char>& bytes) { take_bytes_of(bytes); }
  void take(std::vector<double>& numbers) { take_bytes_of(numbers); }
  template <class Value>
  void take(std::vector<Value>& list) {
    const std::uint32_t count = take_count(4);  // nothing is shorter
    list.clear();
    for (std::uint32_t k = 0; k < count; ++k) take(list.emplace_back());
  }
  template <class Value, std::size_t size>
  void take(std::array<Value, size>& list) {
    for (Value& value : list) take(value);
  }
  template <class First, class Second>
  void take(std::pair<First, Second>& both) {
    take(both.first);
    take(both.second);
  }
  template <class Value>
  void take(std::optional<Value>& value) {
    bool given = false;
    take(given);
    value.reset();
    if (given) take(value.emplace());
  }
  template <class Value>
  void take(std::map<std::string, Value>& table) {
    const std::uint32_t count = take_count(8);
    for (std::uint32_t k = 0; k < count; ++k) {
      std::string name;
      take(name);
      take(table[name]);
    }
  }
  template <class Product>
  void take(std::shared_ptr<Product>& product) {
    using Plain = std::remove_const_t<Product>;
    if constexpr (std::is_base_of_v<Describable, Plain>) {
      product = take_product<Product>();
    } else {
      bool given = false;
      take(given);
      if (!given) fail("a value is missing");
      auto made = std::make_shared<Plain>();
      take(*made);
      product = std::move(made);
    }
  }
  template <class Value>
  void take(Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      std::int32_t number = 0;
      take(number);
      if (number < 0 || number >= count_of<Value>) fail("choice " + std::to_string(number) + " is not known");
      value = static_cast<Value>(number);
    } else {
      take_fields(Fields<Value>::of(value));
      if constexpr (has_tunable_numbers<Value>) change_numbers(value);
      Check<Value>::of(value, *this);
    }
  }

  template <class... Field>
  void take_fields(std::tuple<Field...> fields) {
    std::apply([this](auto&... field) { (this->take(field), ...); }, fields);
  }

  template <class Value>
  void change_numbers(Value& value) {
    if (changes.empty()) return;
    for (const auto& [name, number] : TunableNumbers<Value>::of(value)) {
      const auto changed = changes.find({current_, name, 0});
      if (changed != changes.end()) *number = changed->second;
    }
  }

  template <class Product>
  std::shared_ptr<Product> take_product();
  template <class Product>
  std::shared_ptr<Product> make_product(std::uint32_t number);

  struct Made {
    std::type_index type = typeid(void);
    std::shared_ptr<const void> product;  ///< null as long as it is not finished
  };

  std::string_view bytes_;
  std::string what_;
  std::size_t place_ = 0;
  std::vector<Made> made_;  ///< product n is made_[n - 1]
  std::size_t first_ = 0;   ///< of those that may be referred to: the ones inside the product that stands alone
  std::map<std::type_index, long> furthest_;
  std::uint32_t current_ = 0;
  int depth_ = 0;
};

/// One way to make a product: its name in recipes and the function that makes it.
template <class Product, class... Argument>
struct Factory {
  const char* name;
  std::shared_ptr<Product> (*make)(Argument...);
};

/// The factories of one product by name, for reading.
template <class Product>
class Factories {
 public:
  template <class... Given>
  explicit Factories(const Given&... factories) {
    (add(factories), ...);
  }
  std::shared_ptr<const Product> make(const std::string& name, Reader& reader) const {
    const auto found = makers_.find(name);
    if (found == makers_.end())
      reader.fail("\"" + name.substr(0, 40) + "\" is not known; was it written by a later version?");
    return found->second(reader);
  }

 private:
  template <class Given, class... Argument>
  void add(const Factory<Given, Argument...>& factory) {
    makers_[factory.name] = [make = factory.make](Reader& reader) -> std::shared_ptr<const Product> {
      std::tuple<std::decay_t<Argument>...> arguments;
      std::apply([&reader](auto&... each) { reader(each...); }, arguments);
      return std::apply(make, std::move(arguments));
    };
  }

  std::map<std::string, std::function<std::shared_ptr<const Product>(Reader&)>> makers_;
};

/// A product by its number: one that was read before, or the next one, which is made here.
template <class Product>
std::shared_ptr<Product> Reader::take_product() {
  using Plain = std::remove_const_t<Product>;
  std::uint32_t number = 0;
  take(number);
  if (number == 0 && may_be_missing<Plain>) return nullptr;
  if (number == 0 || number > made_.size() + 1) fail("product " + std::to_string(number) + " does not exist");
  if (number > made_.size()) return make_product<Product>(number);
  const Made& known = made_[number - 1];
  if (number <= first_ || !known.product || known.type != typeid(Plain))
    fail("product " + std::to_string(number) + " is not of the type expected here");
  return std::static_pointer_cast<Product>(std::const_pointer_cast<void>(known.product));
}

template <class Product>
std::shared_ptr<Product> Reader::make_product(std::uint32_t number) {
  using Plain = std::remove_const_t<Product>;
  if (++depth_ > max_depth) fail("it is nested too deeply");
  made_.push_back({typeid(Plain), nullptr});
  const std::size_t outer_first = first_;
  const std::uint32_t outer = std::exchange(current_, number);
  if (stands_alone<Plain>) {
    first_ = number;
    furthest_.clear();
  }
  std::string factory;
  take(factory);
  std::shared_ptr<Plain> product;
  try {
    product = std::const_pointer_cast<Plain>(factories_of<Plain>().make(factory, *this));
  } catch (const std::invalid_argument& error) {
    throw RecipeError(factory + ": " + error.what());
  }
  take_fields(GivenLater<Plain>::of(*product));
  made_[number - 1].product = product;
  first_ = outer_first;
  current_ = outer;
  --depth_;
  return product;
}

}  // namespace counterpoint::recipe
