#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "recipe/fields.hpp"
#include "recipe/origin.hpp"

namespace counterpoint {
class Subsystem;
}

namespace counterpoint::recipe {

/// Something is wrong with a recipe: it was cut off, changed, or never was one.
class RecipeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Reader;

/// Looks at a value that was just read, before anything is made from it; throws RecipeError.
template <class Value>
struct Check {
  static void of(Value&, Reader&) {}
};

template <class Product>
class Kinds;

/// All kinds of a product; one specialisation a product.
template <class Product>
const Kinds<Product>& kinds_of();

/// Reads what a Writer wrote. Nothing in the bytes is trusted: lengths are compared with what is left, numbers of
/// products with those that exist, depth is limited, and what refers to places elsewhere is checked (`Check`).
class Reader {
 public:
  /// `what`: how messages call what is read.
  explicit Reader(std::string_view bytes, std::string what = "recipe") : bytes_(bytes), what_(std::move(what)) {}

  template <class... Value>
  void operator()(Value&... values) {
    (take(values), ...);
  }
  /// Lists that must be as long as they are.
  template <class... Value>
  void same_sizes(std::vector<Value>&... lists) {
    const auto one = [this](auto& list) {
      const std::size_t size = list.size();
      take(list);
      if (list.size() != size)
        fail("a list of " + std::to_string(list.size()) + " where one of " + std::to_string(size) + " belongs");
    };
    (one(lists), ...);
  }
  bool at_end() const { return place_ == bytes_.size(); }
  [[noreturn]] void fail(const std::string& text) const {
    throw RecipeError("the " + what_ + " is damaged at byte " + std::to_string(place_) + ": " + text);
  }

  /// Number of the product that is read just now.
  std::uint32_t number() const { return current_; }

  /// The furthest places that were referred to since the last subsystem began; who knows how many there are compares.
  struct Furthest {
    long coordinate = -1;
    long input = -1;
  };
  Furthest furthest;
  void refer(long& furthest_yet, long first, long width) {
    if (first < 0 || width < 0) fail("a place before the first one");
    furthest_yet = std::max(furthest_yet, first + width - 1);
  }

  /// Where the files that belong to products are.
  std::string folder;

  /// Numbers that take the place of those in the recipe: product, name of the parameter, place in it.
  using Change = std::tuple<std::uint32_t, std::string, std::uint32_t>;
  std::map<Change, double> changes;
  /// Put them where they belong in a parameter of the product that is read just now.
  void change(const std::string& name, std::vector<double>& values) const {
    if (changes.empty()) return;
    for (std::uint32_t k = 0; k < values.size(); ++k) {
      const auto changed = changes.find({current_, name, k});
      if (changed != changes.end()) values[k] = changed->second;
    }
  }

 private:
  static constexpr int deepest = 64;

  void raw(void* data, std::size_t size) {
    if (size > bytes_.size() - place_) fail("it ends too early");
    if (size > 0) std::memcpy(data, bytes_.data() + place_, size);
    place_ += size;
  }
  /// A count of things of at least `size` bytes each.
  std::uint32_t take_count(std::size_t size) {
    std::uint32_t count = 0;
    take(count);
    if (count > (bytes_.size() - place_) / size) fail("a list is longer than the file");
    return count;
  }

  void take(bool& value) {
    std::int32_t number = 0;
    take(number);
    if (number != 0 && number != 1) fail("neither true nor false");
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
  void take(std::string& text) {
    text.resize(take_count(1));
    raw(text.data(), text.size());
  }
  void take(Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& matrix) {
    std::uint32_t rows = 0, columns = 0;
    take(rows);
    take(columns);
    const std::uint64_t values = std::uint64_t{rows} * columns;
    if (values > (bytes_.size() - place_) / sizeof(double) || rows > 1u << 30 || columns > 1u << 30)
      fail("a matrix is larger than the file");
    matrix.resize(rows, columns);
    raw(matrix.data(), sizeof(double) * values);
  }
  void take(std::vector<std::uint8_t>& bytes) {
    bytes.resize(take_count(1));
    raw(bytes.data(), bytes.size());
  }
  void take(std::vector<char>& bytes) {
    bytes.resize(take_count(1));
    raw(bytes.data(), bytes.size());
  }
  void take(std::vector<double>& numbers) {
    numbers.resize(take_count(sizeof(double)));
    raw(numbers.data(), sizeof(double) * numbers.size());
  }
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
      if (!given) return fail("something is missing");
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
      if (number < 0 || number >= count_of<Value>) fail("no such choice");
      value = static_cast<Value>(number);
    } else {
      std::apply([this](auto&... fields) { (take(fields), ...); }, Fields<Value>::of(value));
      if constexpr (has_numbers<Value>) change_numbers(value);
      Check<Value>::of(value, *this);
    }
  }

  template <class Value>
  void change_numbers(Value& value) {
    if (changes.empty()) return;
    for (const auto& [name, number] : Numbers<Value>::of(value)) {
      const auto changed = changes.find({current_, name, 0});
      if (changed != changes.end()) *number = changed->second;
    }
  }

  template <class Product>
  std::shared_ptr<Product> take_product();

  struct Made {
    std::type_index type = typeid(void);
    std::shared_ptr<const void> product;  ///< null as long as it is not finished
  };

  std::string_view bytes_;
  std::string what_;
  std::size_t place_ = 0;
  std::vector<Made> made_;  ///< product n is made_[n - 1]
  std::size_t first_ = 0;   ///< of those that may be referred to: the ones of the present subsystem
  std::uint32_t current_ = 0;
  int depth_ = 0;
};

/// One kind of a product: how the recipe calls it and the function that makes it.
template <class Product, class... Argument>
struct Kind {
  const char* name;
  std::shared_ptr<Product> (*make)(Argument...);
};

/// The kinds of one product by name, for reading.
template <class Product>
class Kinds {
 public:
  template <class Given, class... Argument>
  void add(const Kind<Given, Argument...>& kind) {
    makers_[kind.name] = [make = kind.make](Reader& reader) -> std::shared_ptr<const Product> {
      std::tuple<std::decay_t<Argument>...> arguments;
      std::apply([&reader](auto&... each) { reader(each...); }, arguments);
      return std::apply(make, std::move(arguments));
    };
  }
  std::shared_ptr<const Product> make(const std::string& kind, Reader& reader) const {
    const auto found = makers_.find(kind);
    if (found == makers_.end())
      reader.fail("no kind \"" + kind.substr(0, 40) + "\" is known; was it written by a later version?");
    return found->second(reader);
  }

 private:
  std::map<std::string, std::function<std::shared_ptr<const Product>(Reader&)>> makers_;
};

template <class Product>
std::shared_ptr<Product> Reader::take_product() {
  using Plain = std::remove_const_t<Product>;
  std::uint32_t number = 0;
  take(number);
  if (number == 0 && may_be_missing<Plain>) return nullptr;
  if (number == 0 || number > made_.size() + 1) fail("there is no product " + std::to_string(number));
  if (number <= made_.size()) {
    const Made& known = made_[number - 1];
    if (number <= first_ || !known.product || known.type != typeid(Plain))
      fail("product " + std::to_string(number) + " is not of the kind needed here");
    return std::static_pointer_cast<Product>(std::const_pointer_cast<void>(known.product));
  }
  if (++depth_ > deepest) fail("it is nested too deeply");
  made_.push_back({typeid(Plain), nullptr});
  const std::size_t outer_first = first_;
  const std::uint32_t outer = std::exchange(current_, number);
  if (std::is_same_v<Plain, Subsystem>) {
    first_ = number;
    furthest = Furthest{};
  }
  std::string kind;
  take(kind);
  std::shared_ptr<Plain> product;
  try {
    product = std::const_pointer_cast<Plain>(kinds_of<Plain>().make(kind, *this));
  } catch (const std::invalid_argument& error) {
    throw RecipeError(kind + ": " + error.what());
  }
  std::apply([this](auto&... fields) { (take(fields), ...); }, GivenLater<Plain>::of(*product));
  made_[number - 1].product = product;
  first_ = outer_first;
  current_ = outer;
  --depth_;
  return product;
}

}  // namespace counterpoint::recipe
