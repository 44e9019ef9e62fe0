#include "fmi/recipes.hpp"

#include <cctype>
#include <cstdio>
#include <filesystem>

namespace counterpoint::recipe {
namespace {

std::string file_uri(const std::string& path) {
  std::string uri = path.rfind('/', 0) == 0 ? "file://" : "file:///";
  for (char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '/' || c == '-' || c == '_' || c == '.' || c == '~' || c == ':') {
      uri += c;
    } else {
      char code[4];
      std::snprintf(code, sizeof code, "%%%02X", byte);
      uri += code;
    }
  }
  return uri;
}

}  // namespace

FmuRecipe describe_fmu(const fmi::Library& library, const fmi::FmuSetup& setup) {
  const std::filesystem::path binary(library.path());
  const std::filesystem::path folder = binary.parent_path().parent_path().parent_path();
  return {folder.string(), binary.lexically_relative(folder).generic_string(), setup};
}

SubsystemPointer make_fmu(const FmuRecipe& recipe) {
  fmi::FmuSetup setup = recipe.setup;
  const std::string resources = recipe.folder + "/resources";
  setup.instance.resources = setup.major == 1   ? file_uri(recipe.folder)
                             : setup.major == 2 ? file_uri(resources)
                                                : resources + "/";
  return fmi::make_fmu(std::make_shared<fmi::Library>(recipe.folder + "/" + recipe.binary), std::move(setup));
}

void Check<FmuRecipe>::of(FmuRecipe& recipe, Reader& reader) {
  const bool leaves = recipe.binary.find("..") != std::string::npos || recipe.binary.rfind("binaries/", 0) != 0;
  if (leaves) reader.fail("the library of an FMU lies outside of its folder");
  if (recipe.setup.major < 1 || recipe.setup.major > 3)
    reader.fail("FMI " + std::to_string(recipe.setup.major) + " is not known");
  for (const auto* ports : {&recipe.setup.inputs, &recipe.setup.outputs}) {
    for (const fmi::Port& port : *ports) {
      if (port.width < 1 || port.width > 1 << 24) reader.fail("the width of a port of an FMU is not positive");
      for (int clock : port.clocks) {
        if (clock < 0 || clock >= static_cast<int>(recipe.setup.clocks.size()))
          reader.fail("a port of an FMU has a clock that does not exist");
      }
    }
  }
  if (recipe.setup.integration.states < 0 || recipe.setup.integration.indicators < 0)
    reader.fail("an FMU has a negative number of states");
  recipe.folder = reader.folder + "/fmus/" + std::to_string(reader.number());
}

}  // namespace counterpoint::recipe
