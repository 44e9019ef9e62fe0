#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "diagram/block.hpp"

namespace counterpoint::diagram {

/// A number, a vector or a matrix (row by row).
struct Array {
  std::vector<double> values;
  int rows = 1;
  int columns = 1;
};

/// What a block is made from: all that must be written down to make it again elsewhere.
struct Parameters {
  std::map<std::string, Array> numbers;
  std::map<std::string, std::string> texts;
};

/// What is wrong with the parameters of a block.
struct Mistake {
  std::string parameter;    ///< empty: the block refuses what it was given together
  std::string text;         ///< the sentence about it, which begins with the name
  bool is_unknown = false;  ///< there is no such parameter
};

/// Reads parameters for a block of one kind. A parameter that is missing or wrong is noted, and something stands in for
/// it, so that all mistakes are found at once; the block is of no use then.
class ParameterReader {
 public:
  explicit ParameterReader(const Parameters& parameters) : parameters_(parameters) {}

  double number(const std::string& name);
  double number(const std::string& name, double otherwise);
  /// As `number`, but infinity is refused too.
  double finite(const std::string& name, double otherwise);
  int integer(const std::string& name, int otherwise);
  bool flag(const std::string& name, bool otherwise);
  std::vector<double> vector(const std::string& name);
  std::vector<double> vector(const std::string& name, std::vector<double> otherwise);
  Array matrix(const std::string& name);
  std::string text(const std::string& name);
  std::string text(const std::string& name, const std::string& otherwise);
  /// One of the words allowed.
  std::string word(const std::string& name, const std::vector<std::string>& allowed, const std::string& otherwise);
  bool has(const std::string& name) const;
  /// Names separated by commas; empty when not given.
  std::vector<std::string> list(const std::string& name);
  /// Names of all numbers given, for blocks whose parameters the user names.
  std::vector<std::string> number_names() const;

  /// Names given that no block asked for.
  std::vector<std::string> unused() const;
  /// Names that were asked for.
  std::vector<std::string> asked() const;
  /// What stood in for parameters that were not given.
  const Parameters& defaults() const { return defaults_; }
  /// What is wrong with those that were asked for.
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  const Array* find(const std::string& name);
  /// One that has to be there, and is finite; null: that was noted.
  const Array* needed(const std::string& name);
  void note(const std::string& name, const std::string& text);

  const Parameters& parameters_;
  std::set<std::string> used_;
  Parameters defaults_;
  std::vector<Mistake> mistakes_;
};

using Maker = std::function<BlockPointer(ParameterReader&)>;

/// A block, or what is wrong with its parameters.
struct MadeBlock {
  BlockPointer block;  ///< null where there are mistakes
  std::vector<Mistake> mistakes;
  std::vector<std::string> asked;  ///< names of the parameters that such a block has, as far as it came
};

/// Kinds of blocks by name.
class Registry {
 public:
  void add(const std::string& kind, Maker maker) { makers_[kind] = std::move(maker); }
  /// A block, or all that is wrong with its parameters. Throws std::invalid_argument for an unknown kind only.
  MadeBlock try_make(const std::string& kind, const Parameters& parameters) const;
  /// Throws std::invalid_argument with the first mistake.
  BlockPointer make(const std::string& kind, const Parameters& parameters) const;
  std::vector<std::string> kinds() const;
  /// What stands in for parameters that are not given, for a block with these. The only place where defaults are stated
  /// is the maker.
  Parameters defaults(const std::string& kind, const Parameters& parameters) const;

 private:
  const Maker& maker(const std::string& kind) const;

  std::map<std::string, Maker> makers_;
};

/// All kinds of this library.
const Registry& registry();

// One function a family, each in its own file in blocks/.
void add_sources(Registry&);
void add_table_source(Registry&);
void add_noise(Registry&);
void add_sinks(Registry&);
void add_mathematics(Registry&);
void add_piecewise(Registry&);
void add_nonlinear(Registry&);
void add_path_dependent(Registry&);
void add_logic(Registry&);
void add_lookup(Registry&);
void add_routing(Registry&);
void add_continuous(Registry&);
void add_linear_systems(Registry&);
void add_pid(Registry&);
void add_delays(Registry&);
void add_discrete(Registry&);
void add_discrete_systems(Registry&);
void add_conditions(Registry&);
void add_ports(Registry&);
void add_expressions(Registry&);
void add_state_machines(Registry&);

}  // namespace counterpoint::diagram
