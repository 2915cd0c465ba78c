# Language, warnings, sanitizers and where programs go: the same for every room.
option(LEAKHUNT_TESTS "Build the tests" ON)
option(LEAKHUNT_BENCH "Build the benchmarks" OFF)
set(LEAKHUNT_SANITIZE "" CACHE STRING "Sanitizers to build with, as the compiler spells them")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(LEAKHUNT_CCACHE ccache)
if(LEAKHUNT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LEAKHUNT_CCACHE})
endif()

# Our own code is held to these; generated code and foreign headers are not.
add_library(leakhunt_warnings INTERFACE)
target_compile_options(leakhunt_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wcast-align -Wformat=2 -Wimplicit-fallthrough
  -Wduplicated-cond -Wlogical-op -Wnull-dereference -Wuseless-cast)
# GCC 12 sees ghosts in optimised standard-library code with these (variant, string, vector).
target_compile_options(leakhunt_warnings INTERFACE
  -Wno-null-dereference -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)

add_compile_options(-fstack-protector-strong)
if(LEAKHUNT_SANITIZE)
  add_compile_options(-fsanitize=${LEAKHUNT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LEAKHUNT_SANITIZE})
endif()
