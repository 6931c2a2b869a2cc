# SPDX-License-Identifier: Apache-2.0
# The imported target tvm_ffi::shared, from the wheel that packaging/setup.sh unpacked to build/deps.
# libtvm_ffi.so is copied beside our programs and found there by a relative rpath, so a build folder can be moved.

set(OPSCOPE_DEPS_DIR ${CMAKE_SOURCE_DIR}/build/deps CACHE PATH "Where packaging/setup.sh unpacked dependencies")
set(_ffi ${OPSCOPE_DEPS_DIR}/tvm_ffi)
if(NOT EXISTS ${_ffi}/lib/libtvm_ffi.so)
  message(FATAL_ERROR "apache-tvm-ffi is not in ${OPSCOPE_DEPS_DIR}. Run packaging/setup.sh once, then configure again.")
endif()

configure_file(${_ffi}/lib/libtvm_ffi.so ${CMAKE_BINARY_DIR}/lib/libtvm_ffi.so COPYONLY)
add_library(tvm_ffi::shared SHARED IMPORTED)
set_target_properties(tvm_ffi::shared PROPERTIES
  IMPORTED_LOCATION ${CMAKE_BINARY_DIR}/lib/libtvm_ffi.so
  INTERFACE_INCLUDE_DIRECTORIES ${_ffi}/include)
# One path for both: CMake's own build path ends in an empty entry, which means the current folder.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
