// The serialiser with types of its own: what is written comes back, and nothing in the bytes is trusted.

#include <string>
#include <vector>

#include "check.hpp"
#include "recipe/factory.hpp"

using namespace counterpoint;
using recipe::Reader;
using recipe::RecipeError;
using recipe::Writer;

namespace {

enum class Colour { red, green };

struct Part {
  std::string name;
  double size = 0.0;
  Colour colour = Colour::red;
  std::vector<int> neighbours;
};

/// Something that recipes describe, and that stands alone.
struct Box : recipe::Describable {
  std::vector<Part> parts;
};

struct PartReference {};

std::shared_ptr<Box> make_box(const std::vector<Part>& parts) {
  if (parts.size() > 3) throw UserError("a box has room for 3 parts");
  auto box = std::make_shared<Box>();
  box->parts = parts;
  return box;
}

const recipe::Factory box_factory{"box", &make_box};

}  // namespace

namespace counterpoint::recipe {

template <>
inline constexpr int count_of<Colour> = 2;
template <>
inline constexpr bool stands_alone<Box> = true;
template <>
struct Fields<Part> {
  static auto of(auto& p) { return std::tie(p.name, p.size, p.colour, p.neighbours); }
};
template <>
struct TunableNumbers<Part> {
  static NamedNumbers of(Part& p) { return {{p.name + ".size", &p.size}}; }
};
template <>
struct Check<Part> {
  static void of(Part& p, Reader& reader) {
    for (int other : p.neighbours) reader.refer<PartReference>(other, 1);
  }
};
template <>
struct NotDescribable<Box> {
  static std::string of(const Box&) { return "the box was made by hand"; }
};
template <>
const Factories<Box>& factories_of<Box>() {
  static const Factories<Box> all(box_factory);
  return all;
}

}  // namespace counterpoint::recipe

namespace {

std::vector<Part> two_parts() {
  return {{"a", 1.5, Colour::green, {1}}, {std::string("\0b", 2), -2.0, Colour::red, {0, 4}}};
}

template <class Value>
std::string bytes_of(const Value& value) {
  Writer writer;
  writer(value);
  CHECK(writer.problems().empty());
  return writer.bytes();
}

template <class Value>
Value read(const std::string& bytes) {
  Value value;
  Reader reader(bytes, "box");
  reader(value);
  reader.expect_end();
  return value;
}

}  // namespace

TEST(what_is_written_comes_back) {
  const std::vector<Part> parts = two_parts();
  const std::string bytes = bytes_of(parts);
  CHECK(bytes_of(read<std::vector<Part>>(bytes)) == bytes);
  const auto box = read<std::shared_ptr<Box>>(bytes_of(recipe::make(box_factory, parts)));
  CHECK(bytes_of(box->parts) == bytes);
}

TEST(bytes_that_are_cut_off_or_go_on_are_refused) {
  const std::string bytes = bytes_of(recipe::make(box_factory, two_parts()));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS(RecipeError, "the box is damaged at byte ", read<std::shared_ptr<Box>>(bytes.substr(0, size)));
  CHECK_THROWS(RecipeError, "there are 2 bytes after its end", read<std::shared_ptr<Box>>(bytes + "xx"));
}

TEST(references_are_noted_by_what_they_refer_to) {
  struct Other {};
  const std::string bytes = bytes_of(two_parts());
  Reader reader(bytes);
  std::vector<Part> parts;
  reader(parts);
  CHECK(reader.furthest<PartReference>() == 4);
  CHECK(reader.furthest<Other>() == -1);
  CHECK_THROWS(RecipeError, "a negative reference", reader.refer<Other>(-1, 1));
}

TEST(tunable_numbers_are_named_and_can_be_changed) {
  Writer writer;
  writer(recipe::make(box_factory, two_parts()));
  CHECK(writer.tunables.size() == 2);
  CHECK(writer.tunables[0].name == "a.size");
  Reader reader(writer.bytes());
  reader.changes[{writer.tunables[0].product, "a.size", 0}] = 7.0;
  std::shared_ptr<Box> box;
  reader(box);
  CHECK_CLOSE(7.0, box->parts[0].size, 0.0);
  CHECK_CLOSE(-2.0, box->parts[1].size, 0.0);
}

TEST(what_the_maker_of_a_product_refuses_is_an_error_of_the_recipe) {
  Writer writer;
  writer(std::uint32_t{1}, std::string("box"), std::vector<Part>(4));
  CHECK_THROWS(RecipeError, "box: a box has room for 3 parts", read<std::shared_ptr<Box>>(writer.bytes()));
  Writer unknown;
  unknown(std::uint32_t{1}, std::string("bag"));
  CHECK_THROWS(RecipeError, "\"bag\" is not known", read<std::shared_ptr<Box>>(unknown.bytes()));
}

TEST(what_cannot_be_described_is_a_problem_with_its_reason) {
  Writer writer;
  writer(std::make_shared<Box>());
  CHECK(writer.problems() == std::vector<std::string>{"the box was made by hand"});
}

TEST(errors_of_users_and_our_own_are_told_apart) {
  CHECK_THROWS(UserError, "room for 3", make_box(std::vector<Part>(4)));
  CHECK_THROWS(InternalError, "internal error: 1 > 2 does not hold (", COUNTERPOINT_ASSERT(1 > 2));
  CHECK_THROWS(InternalError, "please report", internal_error("nonsense"));
}
