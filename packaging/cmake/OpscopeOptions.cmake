# SPDX-License-Identifier: Apache-2.0
# Compiler settings shared by every target.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(OPSCOPE_CCACHE ccache)
if(OPSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${OPSCOPE_CCACHE})
endif()

add_library(opscope_options INTERFACE)
target_include_directories(opscope_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(opscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string where there are none (its bug 105651), at any optimisation.
  target_compile_options(opscope_options INTERFACE -Wno-restrict)
  # At -O3 it takes the empty state of a std::optional for a value that was never set.
  target_compile_options(opscope_options INTERFACE $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
find_package(Threads REQUIRED)
target_link_libraries(opscope_options INTERFACE Threads::Threads)

if(OPSCOPE_SANITIZE)
  # After the build type's own flags, so that these win: files and lines are all that a sanitizer's report shows.
  add_compile_options(-O1 -g1)
  # GCC 12 takes the sanitizers' own branches for paths to values that were never set.
  add_compile_options(-fsanitize=${OPSCOPE_SANITIZE} -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${OPSCOPE_SANITIZE})
  if(OPSCOPE_SANITIZE MATCHES "thread")
    # Headers of tvm-ffi use fences, which ThreadSanitizer does not follow.
    add_compile_options(-Wno-tsan)
  endif()
  if(OPSCOPE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=all)
  endif()
endif()

configure_file(${CMAKE_SOURCE_DIR}/packaging/cmake/version.h.in ${CMAKE_BINARY_DIR}/generated/opscope/version.h @ONLY)
