# SPDX-License-Identifier: Apache-2.0
# opscope_add_module(NAME [DEPENDS module...] [LINK library...] [PRIVATE_LINK library...])
#
# One folder, one target: every .cpp of the calling folder belongs to opscope_NAME. DEPENDS names other modules of
# ours; the layer test holds the #include lines against the same table.
function(opscope_add_module name)
  cmake_parse_arguments(ARG "QT" "" "DEPENDS;LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h ${CMAKE_CURRENT_SOURCE_DIR}/*/*.h)
  set(dependencies "")
  foreach(dependency ${ARG_DEPENDS})
    list(APPEND dependencies opscope_${dependency})
  endforeach()
  if(NOT sources)
    add_library(opscope_${name} INTERFACE)
    target_link_libraries(opscope_${name} INTERFACE opscope_options ${dependencies} ${ARG_LINK} ${ARG_PRIVATE_LINK})
    return()
  endif()
  add_library(opscope_${name} STATIC ${sources} ${headers})
  target_link_libraries(opscope_${name} PUBLIC opscope_options ${dependencies} ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  if(ARG_QT)
    set_target_properties(opscope_${name} PROPERTIES AUTOMOC ON AUTORCC ON AUTOGEN_ORIGIN_DEPENDS OFF)
    target_compile_definitions(opscope_${name} PUBLIC QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII)
  endif()
endfunction()

# opscope_add_test(NAME SOURCES file... [LINK library...] [LABELS label...] [QT] [TIMEOUT seconds])
#
# One test program, registered with CTest under NAME. Engine tests use GoogleTest, tests of ui use Qt Test.
function(opscope_add_test name)
  cmake_parse_arguments(ARG "QT" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE opscope_options ${ARG_LINK})
  if(ARG_QT)
    set_target_properties(${name} PROPERTIES AUTOMOC ON AUTOGEN_ORIGIN_DEPENDS OFF)
    target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS)
    target_link_libraries(${name} PRIVATE Qt6::Test)
  else()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
  endif()
  target_compile_definitions(${name} PRIVATE OPSCOPE_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
    OPSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" OPSCOPE_BINARY_DIR="${CMAKE_BINARY_DIR}"
    OPSCOPE_TVM_PYTHON="${OPSCOPE_TVM_PYTHON}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests ENABLE_EXPORTS ON)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
endfunction()
