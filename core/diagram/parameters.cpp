#include "diagram/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace counterpoint::diagram {
namespace {

const Array stand_in{{1.0}};

bool is_finite(const Array& array) {
  return std::all_of(array.values.begin(), array.values.end(), [](double value) { return std::isfinite(value); });
}

std::string expected_one(const Array& array) {
  return "expected one number, not " + std::to_string(array.values.size());
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

void ParameterReader::note(const std::string& name, const std::string& text) {
  mistakes_.push_back({name, "\"" + name + "\": " + text});
}

const Array* ParameterReader::find(const std::string& name) {
  used_.insert(name);
  const auto found = parameters_.numbers.find(name);
  if (found != parameters_.numbers.end()) return &found->second;
  if (parameters_.texts.count(name)) note(name, "expected a number, not text");
  return nullptr;
}

const Array* ParameterReader::needed(const std::string& name) {
  const Array* found = find(name);
  if (found && is_finite(*found)) return found;
  if (!has(name)) note(name, "is missing");
  if (found) note(name, "must be finite");
  return nullptr;
}

bool ParameterReader::has(const std::string& name) const {
  return parameters_.numbers.count(name) || parameters_.texts.count(name);
}

double ParameterReader::number(const std::string& name) {
  const Array* found = needed(name);
  if (found && found->values.size() == 1) return found->values.front();
  if (found) note(name, expected_one(*found));
  return stand_in.values.front();
}

double ParameterReader::number(const std::string& name, double otherwise) {
  const Array* found = find(name);
  if (!found) {
    defaults_.numbers[name] = {{otherwise}};
    return otherwise;
  }
  if (found->values.size() != 1) {
    note(name, expected_one(*found));
    return otherwise;
  }
  const double value = found->values.front();
  if (!std::isnan(value)) return value;
  note(name, "must be a number");
  return otherwise;
}

double ParameterReader::finite(const std::string& name, double otherwise) {
  return has(name) ? number(name) : number(name, otherwise);
}

int ParameterReader::integer(const std::string& name, int otherwise) {
  const double value = number(name, otherwise);
  if (value == std::floor(value) && std::abs(value) <= 1e9) return static_cast<int>(value);
  note(name, "must be a whole number");
  return otherwise;
}

bool ParameterReader::flag(const std::string& name, bool otherwise) {
  return number(name, otherwise ? 1.0 : 0.0) != 0.0;
}

std::vector<double> ParameterReader::vector(const std::string& name) { return matrix(name).values; }

std::vector<double> ParameterReader::vector(const std::string& name, std::vector<double> otherwise) {
  if (has(name)) return vector(name);
  used_.insert(name);
  defaults_.numbers[name] = {otherwise, 1, static_cast<int>(otherwise.size())};
  return otherwise;
}

Array ParameterReader::matrix(const std::string& name) {
  const Array* found = needed(name);
  return found ? *found : stand_in;
}

std::string ParameterReader::text(const std::string& name) {
  used_.insert(name);
  const auto found = parameters_.texts.find(name);
  if (found != parameters_.texts.end()) return found->second;
  note(name, "is missing, or not text");
  return {};
}

std::string ParameterReader::text(const std::string& name, const std::string& otherwise) {
  if (has(name)) return text(name);
  used_.insert(name);
  return defaults_.texts[name] = otherwise;
}

std::string ParameterReader::word(const std::string& name, const std::vector<std::string>& allowed,
                                  const std::string& otherwise) {
  const std::string value = text(name, otherwise);
  for (const std::string& word : allowed) {
    if (word == value) return value;
  }
  // What is no text was noted.
  if (parameters_.texts.count(name) || !has(name)) note(name, "\"" + value + "\" is not one of " + listed(allowed));
  return allowed.front();
}

std::vector<std::string> ParameterReader::list(const std::string& name) {
  std::vector<std::string> names;
  std::string one;
  for (char c : text(name, "") + ",") {
    if (c == ',') {
      if (!one.empty()) names.push_back(one);
      one.clear();
    } else if (c != ' ' && c != '\n' && c != '\t') {
      one += c;
    }
  }
  return names;
}

std::vector<std::string> ParameterReader::number_names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters_.numbers) names.push_back(name);
  return names;
}

std::vector<std::string> ParameterReader::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters_.numbers) {
    if (!used_.count(name)) names.push_back(name);
  }
  for (const auto& [name, value] : parameters_.texts) {
    if (!used_.count(name)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> ParameterReader::asked() const { return {used_.begin(), used_.end()}; }

const Maker& Registry::maker(const std::string& kind) const {
  const auto found = makers_.find(kind);
  if (found == makers_.end()) throw std::invalid_argument("no kind of block \"" + kind + "\"");
  return found->second;
}

Parameters Registry::defaults(const std::string& kind, const Parameters& parameters) const {
  ParameterReader reader(parameters);
  maker(kind)(reader);
  if (!reader.mistakes().empty()) throw std::invalid_argument(reader.mistakes().front().text);
  return reader.defaults();
}

MadeBlock Registry::try_make(const std::string& kind, const Parameters& parameters) const {
  const Maker& make = maker(kind);
  ParameterReader reader(parameters);
  MadeBlock made;
  bool finished = false;
  std::string refused;
  try {
    made.block = make(reader);
    finished = true;
  } catch (const std::invalid_argument& error) {
    refused = error.what();
  }
  made.mistakes = reader.mistakes();
  // Compilers differ in which argument of a constructor they find first.
  std::stable_sort(made.mistakes.begin(), made.mistakes.end(),
                   [](const Mistake& a, const Mistake& b) { return a.parameter < b.parameter; });
  made.asked = reader.asked();
  // It may refuse what stood in for something else.
  if (!finished && made.mistakes.empty()) made.mistakes.push_back({"", refused});
  // One that refused has not asked for all that it has.
  for (const std::string& name : finished ? reader.unused() : std::vector<std::string>()) {
    const std::string text = "\"" + name + "\": no such parameter of " + kind + "; it has: " + listed(made.asked);
    made.mistakes.push_back({name, text, true});
  }
  if (!made.mistakes.empty()) made.block = nullptr;
  return made;
}

BlockPointer Registry::make(const std::string& kind, const Parameters& parameters) const {
  MadeBlock made = try_make(kind, parameters);
  if (!made.mistakes.empty()) throw std::invalid_argument(made.mistakes.front().text);
  return std::move(made.block);
}

std::vector<std::string> Registry::kinds() const {
  std::vector<std::string> names;
  for (const auto& [kind, maker] : makers_) names.push_back(kind);
  return names;
}

const Registry& registry() {
  static const Registry all = [] {
    Registry made;
    add_sources(made);
    add_sinks(made);
    add_mathematics(made);
    add_piecewise(made);
    add_nonlinear(made);
    add_logic(made);
    add_lookup(made);
    add_routing(made);
    add_continuous(made);
    add_linear_systems(made);
    add_pid(made);
    add_delays(made);
    add_discrete(made);
    add_discrete_systems(made);
    add_conditions(made);
    add_ports(made);
    add_expressions(made);
    add_state_machines(made);
    return made;
  }();
  return all;
}

}  // namespace counterpoint::diagram
