// The program that runs an FMU in a process of its own: counterpoint-host FOLDER PROCESS, started by IsolatedFmu.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "fmi/isolated_fmu.hpp"
#include "link/memory_channel.hpp"

using namespace counterpoint;

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "counterpoint-host is started by Counterpoint, to run an FMU in a process of its own\n");
    return 2;
  }
  try {
    const int parent = std::atoi(arguments[2]);
    link::prepare_child(arguments[1], parent);
    const link::Descriptor memory(link::ChildProcess::memory_descriptor);
    link::FrameLink frames(
        link::open_memory(memory, link::MemorySide::guest, link::watch_process(parent), "the master"));
    fmi::serve_isolated(frames);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  // Destructors of static objects of the FMU's library, which may hang or crash, have nothing left to do.
  std::fflush(nullptr);
  ::_exit(0);
}
