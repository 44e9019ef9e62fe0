// The program that runs an FMU in a process of its own, started by IsolatedFmu.

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "fmi/isolated_fmu.hpp"
#include "link/child_process.hpp"

using namespace counterpoint;

int main(int count, char** arguments) {
  try {
    link::ChannelPointer channel = link::prepare_child(count, arguments);
    if (!channel) {
      std::fprintf(stderr, "counterpoint-host is started by Counterpoint, to run an FMU in a process of its own\n");
      return 2;
    }
    link::FrameLink frames(std::move(channel));
    fmi::serve_isolated(frames);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  // Destructors of static objects of the FMU's library, which may hang or crash, have nothing left to do.
  std::fflush(nullptr);
  std::_Exit(0);
}
