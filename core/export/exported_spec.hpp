#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coupling/network.hpp"
#include "recipe/reader.hpp"

namespace counterpoint::exported {

/// A name and its number of scalars.
struct Names {
  std::string name;
  int width = 1;
};

/// A subsystem with its name and those of its ports.
struct ExportedParticipant {
  std::string name;
  std::vector<Names> inputs, outputs;
  ParticipantSpec spec;
};

/// An input or output of a subsystem that the FMU shows; its values lie one after another with those of the other ones.
struct Port {
  int participant = 0;
  int offset = 0;
  int width = 1;
  ApproximationPointer approximation;  ///< how values between samples are made
};

enum class Role { time, input, output, parameter };

/// A variable of the FMU: a number or an array of numbers.
struct Variable {
  std::uint32_t reference = 0;
  Role role = Role::time;
  int offset = 0;  ///< among all inputs or outputs; of a parameter: its first place there
  int width = 1;
  std::uint32_t product = 0;  ///< of a parameter: what it belongs to in the recipe
  std::string name;           ///< of a parameter: what it is called there
  std::vector<double> start;  ///< of inputs and parameters
};

/// All that is in a recipe: a run, and what an FMU shows of it.
struct ExportedSpec {
  std::string token;  ///< of the FMU's description: both belong together
  std::vector<ExportedParticipant> participants;
  std::vector<ConnectionSpec> connections;
  std::vector<LawSpec> laws;
  std::vector<TornInput> torn;
  double tolerance = 0.0;
  int initial_passes = 1;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Variable> variables;
};

/// A recipe as a file: a mark, a version, a length, and then the bytes of a Writer.
std::string to_file(const std::string& body);
/// The bytes in a file. Throws RecipeError: it is none, of another version, or cut off.
std::string from_file(const std::string& path);

/// Read what `from_file` gave, with these numbers changed; files of FMUs inside are in `folder`. Throws RecipeError.
ExportedSpec read_spec(const std::string& body, const std::string& folder,
                       const std::map<recipe::Reader::Change, double>& changes = {});

}  // namespace counterpoint::exported
