#include "diagram/parameters.hpp"

#include <cmath>

namespace counterpoint::diagram {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& text) {
  throw std::invalid_argument("\"" + name + "\": " + text);
}

void check_finite(const std::string& name, const Array& array) {
  for (double value : array.values) {
    if (!std::isfinite(value)) fail(name, "must be finite");
  }
}

double scalar(const std::string& name, const Array& array) {
  if (array.values.size() != 1) fail(name, "expected one number, not " + std::to_string(array.values.size()));
  return array.values.front();
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

const Array* ParameterReader::find(const std::string& name) {
  used_.insert(name);
  const auto found = parameters_.numbers.find(name);
  if (found == parameters_.numbers.end()) {
    if (parameters_.texts.count(name)) fail(name, "expected a number, not text");
    return nullptr;
  }
  return &found->second;
}

bool ParameterReader::has(const std::string& name) const {
  return parameters_.numbers.count(name) || parameters_.texts.count(name);
}

double ParameterReader::number(const std::string& name) {
  const Array* found = find(name);
  if (!found) fail(name, "is missing");
  check_finite(name, *found);
  return scalar(name, *found);
}

double ParameterReader::number(const std::string& name, double otherwise) {
  const Array* found = find(name);
  if (!found) {
    defaults_.numbers[name] = {{otherwise}};
    return otherwise;
  }
  const double value = scalar(name, *found);
  if (std::isnan(value)) fail(name, "must be a number");
  return value;
}

double ParameterReader::finite(const std::string& name, double otherwise) {
  return has(name) ? number(name) : number(name, otherwise);
}

int ParameterReader::integer(const std::string& name, int otherwise) {
  const double value = number(name, otherwise);
  if (value != std::floor(value) || std::abs(value) > 1e9) fail(name, "must be a whole number");
  return static_cast<int>(value);
}

bool ParameterReader::flag(const std::string& name, bool otherwise) {
  return number(name, otherwise ? 1.0 : 0.0) != 0.0;
}

std::vector<double> ParameterReader::vector(const std::string& name) {
  const Array* found = find(name);
  if (!found) fail(name, "is missing");
  check_finite(name, *found);
  return found->values;
}

std::vector<double> ParameterReader::vector(const std::string& name, std::vector<double> otherwise) {
  if (has(name)) return vector(name);
  used_.insert(name);
  defaults_.numbers[name] = {otherwise, 1, static_cast<int>(otherwise.size())};
  return otherwise;
}

Array ParameterReader::matrix(const std::string& name) {
  const Array* found = find(name);
  if (!found) fail(name, "is missing");
  check_finite(name, *found);
  return *found;
}

std::string ParameterReader::text(const std::string& name) {
  used_.insert(name);
  const auto found = parameters_.texts.find(name);
  if (found == parameters_.texts.end()) fail(name, "is missing, or not text");
  return found->second;
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
  fail(name, "\"" + value + "\" is not one of " + listed(allowed));
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
  return reader.defaults();
}

BlockPointer Registry::make(const std::string& kind, const Parameters& parameters) const {
  ParameterReader reader(parameters);
  BlockPointer block = maker(kind)(reader);
  const std::vector<std::string> unused = reader.unused();
  if (!unused.empty()) {
    throw std::invalid_argument("\"" + unused.front() + "\": no such parameter of " + kind +
                                "; it has: " + listed(reader.asked()));
  }
  return block;
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
