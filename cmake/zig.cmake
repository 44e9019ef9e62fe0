# Compiles for another system, or for an older one of the same kind, with the compiler of the `ziglang` package:
#   cmake --toolchain cmake/zig.cmake -DZIG_TARGET=x86_64-windows-gnu -DPython_EXECUTABLE=...
# ZIG_TARGET is processor-system-C library, for Linux with the oldest C library that is to do: x86_64-linux-gnu.2.28.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG_TARGET ZIG_PROGRAM Python_EXECUTABLE)

if(NOT ZIG_PROGRAM)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "import os, pathlib, ziglang; print((pathlib.Path(ziglang.__file__).parent / ('zig.exe' if os.name == 'nt' else 'zig')).as_posix())"
    OUTPUT_VARIABLE ZIG_PROGRAM OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    message(FATAL_ERROR "the compiler is missing: pip install ziglang")
  endif()
  set(ZIG_PROGRAM "${ZIG_PROGRAM}" CACHE FILEPATH "The program zig")
endif()

# No library of this system: another one, or an older one, need not have it.
set(COUNTERPOINT_KLU OFF CACHE BOOL "Use KLU of SuiteSparse if it is installed")

string(REGEX MATCH "^([^-]+)-([^-]+)" parts "${ZIG_TARGET}")
set(processor "${CMAKE_MATCH_1}")
set(systems_linux Linux)
set(systems_windows Windows)
set(systems_macos Darwin)
set(system "${systems_${CMAKE_MATCH_2}}")
if(NOT system)
  message(FATAL_ERROR "ZIG_TARGET: \"${ZIG_TARGET}\"; expected such as x86_64-linux-gnu.2.28, x86_64-windows-gnu, aarch64-macos")
endif()
# An older system of the same kind is not another one: what was compiled runs here, and so do its libraries.
if(NOT "${system}-${processor}" STREQUAL "${CMAKE_HOST_SYSTEM_NAME}-${CMAKE_HOST_SYSTEM_PROCESSOR}")
  set(CMAKE_SYSTEM_NAME "${system}")
  set(CMAKE_SYSTEM_PROCESSOR "${processor}")
endif()

set(CMAKE_C_COMPILER "${ZIG_PROGRAM}" cc)
set(CMAKE_CXX_COMPILER "${ZIG_PROGRAM}" c++)
set(CMAKE_C_COMPILER_TARGET "${ZIG_TARGET}")
set(CMAKE_CXX_COMPILER_TARGET "${ZIG_TARGET}")
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "${ZIG_PROGRAM} ar qc <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_APPEND "${ZIG_PROGRAM} ar q <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "${ZIG_PROGRAM} ranlib <TARGET>")
endforeach()
set(CMAKE_RC_COMPILER "${ZIG_PROGRAM}")  # CMake asks for one; there are no resources to compile
# What every program of Windows may call is linked anyway.
set(CMAKE_CXX_STANDARD_LIBRARIES "" CACHE STRING "")
set(CMAKE_CXX_FLAGS_INIT "-g0")
