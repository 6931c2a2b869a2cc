# SPDX-License-Identifier: Apache-2.0
# opscope-server for aarch64 boards, cross-built beside this build: aarch64/bin/opscope-server with ../lib.
option(OPSCOPE_AARCH64_SERVER "Cross-build opscope-server for aarch64 (packaging/setup.sh --tests fetches what it needs)" OFF)
set(OPSCOPE_AARCH64_FLAGS "-O3 -DNDEBUG" CACHE STRING "Its compiler's flags; -O1 builds faster, for tests alone")
if(NOT OPSCOPE_AARCH64_SERVER)
  return()
endif()
if(NOT EXISTS ${CMAKE_SOURCE_DIR}/build/deps/aarch64/tvm_ffi/lib/libtvm_ffi.so)
  message(FATAL_ERROR "The libraries for aarch64 are not in build/deps. Run packaging/fetch_board_libraries.sh once.")
endif()
include(ExternalProject)
ExternalProject_Add(aarch64_server
  SOURCE_DIR ${CMAKE_SOURCE_DIR}
  BINARY_DIR ${CMAKE_BINARY_DIR}/aarch64
  PREFIX ${CMAKE_BINARY_DIR}/aarch64-steps
  CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${CMAKE_SOURCE_DIR}/packaging/cmake/aarch64-toolchain.cmake
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=${OPSCOPE_AARCH64_FLAGS}" -DOPSCOPE_SERVER_ONLY=ON -DOPSCOPE_BUILD_WORKBENCH=OFF
    -DOPSCOPE_DEPS_DIR=${CMAKE_SOURCE_DIR}/build/deps/aarch64
  BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> -j 2
  BUILD_ALWAYS ON
  INSTALL_COMMAND ""
  USES_TERMINAL_BUILD ON)
