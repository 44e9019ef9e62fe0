#include "export/exported_spec.hpp"

#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "export/exported_fields.hpp"
#include "files.hpp"

namespace counterpoint::exported {
namespace {

constexpr std::string_view mark = "Counterpoint FMU";
constexpr std::uint32_t version = 8;
constexpr std::uint64_t largest = std::uint64_t{1} << 31;

template <class Number>
Number number_at(const std::string& bytes, std::size_t place) {
  Number number;
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

}  // namespace

std::string to_file(const std::string& body) {
  const std::uint64_t length = body.size();
  std::string file(mark);
  file.append(reinterpret_cast<const char*>(&version), sizeof version);
  file.append(reinterpret_cast<const char*>(&length), sizeof length);
  return file + body;
}

std::string from_file(const std::string& path) {
  using recipe::RecipeError;
  // Paths are in UTF-8, on Windows too.
  const std::filesystem::path file(std::u8string(path.begin(), path.end()));
  std::error_code ignored;
  const std::uint64_t size = std::filesystem::file_size(file, ignored);
  if (!ignored && size > largest) throw RecipeError(path + ": is larger than a recipe can be");
  const std::optional<std::string> read = read_file(file);
  if (!read) throw RecipeError(path + ": cannot be opened; was the FMU unpacked with its resources?");
  const std::string& bytes = *read;
  constexpr std::size_t head = mark.size() + sizeof version + sizeof(std::uint64_t);
  if (bytes.size() < head || std::string_view(bytes).substr(0, mark.size()) != mark) {
    throw RecipeError(path + ": is not a recipe of Counterpoint; export the model again");
  }
  const auto found = number_at<std::uint32_t>(bytes, mark.size());
  if (found != version) {
    throw RecipeError(path + ": has version " + std::to_string(found) + ", this library reads version " +
                      std::to_string(version) + "; export the model again");
  }
  if (number_at<std::uint64_t>(bytes, mark.size() + sizeof version) != bytes.size() - head) {
    throw RecipeError(path + ": was cut off or added to; unpack the FMU again");
  }
  return bytes.substr(head);
}

ExportedSpec read_spec(const std::string& body, const std::string& folder,
                       const std::map<recipe::Reader::Change, double>& changes) {
  recipe::Reader reader(body);
  reader.folder = folder;
  reader.changes = changes;
  ExportedSpec spec;
  reader(spec);
  reader.expect_end();
  return spec;
}

}  // namespace counterpoint::exported

namespace counterpoint::recipe {
namespace {

using exported::ExportedSpec;

class SpecCheck {
 public:
  SpecCheck(const ExportedSpec& spec, Reader& reader) : spec_(spec), reader_(reader) {}

  void all() {
    for (std::size_t i = 0; i < spec_.participants.size(); ++i) participant(spec_.participants[i].spec);
    no_circle();
    if (!spec_.laws.empty()) reader_.fail("coupling laws cannot be exported");
    for (const ConnectionSpec& c : spec_.connections) connection(c);
    for (const TornInput& t : spec_.torn) inside(t.offset, t.width, inputs_of(t.participant));
    if (!std::isfinite(spec_.tolerance) || spec_.tolerance < 0.0)
      reader_.fail("the tolerance of times is not a number from 0");
    if (spec_.initial_passes < 1 || spec_.initial_passes > 1 << 20)
      reader_.fail("the number of initial passes is not between 1 and 2^20");
    for (const exported::Port& p : spec_.inputs) inputs_ += inside(p.offset, p.width, inputs_of(p.participant));
    for (const exported::Port& p : spec_.outputs) outputs_ += inside(p.offset, p.width, outputs_of(p.participant));
    for (const exported::Variable& v : spec_.variables) variable(v);
  }

 private:
  void participant(const ParticipantSpec& p) {
    const bool is_step = p.step == 0.0 || p.step > spec_.tolerance;  // below that, two times are equal
    if (!std::isfinite(p.step) || !is_step)
      reader_.fail("a step size is neither 0 nor greater than the tolerance of times");
    if (static_cast<int>(p.constants.size()) != p.subsystem->input_width())
      reader_.fail("the number of inputs is not that of the subsystem");
    for (int other : p.waits_for) outputs_of(other);
  }
  void no_circle() {
    // Remove those that wait for none of the rest; when none can be removed, the rest contains a circle.
    std::set<int> here;
    for (std::size_t i = 0; i < spec_.participants.size(); ++i) here.insert(static_cast<int>(i));
    while (!here.empty()) {
      const std::size_t before = here.size();
      std::erase_if(here, [&](int i) {
        const std::vector<int>& list = spec_.participants[i].spec.waits_for;
        return std::none_of(list.begin(), list.end(), [&](int other) { return here.count(other) > 0; });
      });
      if (here.size() == before) reader_.fail("subsystems wait for each other");
    }
  }
  void connection(const ConnectionSpec& c) {
    inside(c.source_offset, c.width, outputs_of(c.source));
    inside(c.target_offset, c.target_width, inputs_of(c.target));
    if (c.law != -1 || c.width != c.target_width || c.source == c.target)
      reader_.fail("the widths of a connection do not match");
  }
  void variable(const exported::Variable& v) {
    const auto given = static_cast<int>(v.start.size());
    switch (v.role) {
      case exported::Role::time:
        inside(v.offset, v.width, 1);
        break;
      case exported::Role::input:
        inside(v.offset, v.width, inputs_);
        break;
      case exported::Role::output:
        inside(v.offset, v.width, outputs_);
        break;
      case exported::Role::parameter:
        inside(v.offset, v.width, 1 << 30);
        break;
    }
    const bool starts = v.role == exported::Role::input || v.role == exported::Role::parameter;
    if (given != (starts ? v.width : 0)) reader_.fail("the number of start values of a variable is not its width");
  }
  int inside(int offset, int width, int available) {
    if (offset < 0 || width < 1 || width > available || offset > available - width)
      reader_.fail("a signal lies outside of its port");
    return width;
  }
  const Subsystem& participant(int index) {
    if (index < 0 || index >= static_cast<int>(spec_.participants.size())) reader_.fail("a subsystem does not exist");
    return *spec_.participants[index].spec.subsystem;
  }
  int inputs_of(int index) { return participant(index).input_width(); }
  int outputs_of(int index) { return participant(index).output_width(); }

  const ExportedSpec& spec_;
  Reader& reader_;
  int inputs_ = 0;
  int outputs_ = 0;
};

}  // namespace

void Check<exported::ExportedSpec>::of(exported::ExportedSpec& spec, Reader& reader) { SpecCheck(spec, reader).all(); }

}  // namespace counterpoint::recipe
