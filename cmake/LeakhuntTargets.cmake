# leakhunt_room(NAME SOURCES ... USES ...): one folder, one library.
# Headers are included from the root of the tree: #include "base/time.h".
function(leakhunt_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;PRIVATELY" ${ARGN})
  if(ROOM_SOURCES)
    add_library(leakhunt_${name} STATIC ${ROOM_SOURCES})
    target_include_directories(leakhunt_${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(leakhunt_${name} PUBLIC ${ROOM_USES} PRIVATE ${ROOM_PRIVATELY} leakhunt_warnings)
  else()
    add_library(leakhunt_${name} INTERFACE)
    target_include_directories(leakhunt_${name} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(leakhunt_${name} INTERFACE ${ROOM_USES})
  endif()
endfunction()

# leakhunt_program(NAME SOURCES ... USES ...): an executable in bin/.
function(leakhunt_program name)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${PROGRAM_SOURCES})
  target_link_libraries(${name} PRIVATE ${PROGRAM_USES} leakhunt_warnings)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# leakhunt_test(NAME SOURCES ... USES ...): one GoogleTest program per room, one ctest entry per test.
function(leakhunt_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name}-tests ${TEST_SOURCES})
  target_include_directories(${name}-tests PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${name}-tests PRIVATE
    LEAKHUNT_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data" LEAKHUNT_BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  target_link_libraries(${name}-tests PRIVATE ${TEST_USES} GTest::gtest_main GTest::gmock leakhunt_warnings)
  set_target_properties(${name}-tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name}-tests TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${name})
endfunction()
include(GoogleTest)
