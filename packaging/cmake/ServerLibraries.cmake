# SPDX-License-Identifier: Apache-2.0
# opscope_bring_libraries_along(TARGET): the program needs no shared library but libtvm_ffi's and the system's own.
# Modules link static libraries where Debian has them; for fmt and simdjson it has shared ones only, so what they
# hold is compiled into the program, and the linker leaves out what is not needed then.
function(opscope_bring_libraries_along target)
  find_package(fmt REQUIRED)
  if(fmt_VERSION MATCHES "^9\\.")
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/app/server/static/fmt_library.cpp)
  endif()
  set(simdjson ${CMAKE_SOURCE_DIR}/build/deps/simdjson/singleheader/simdjson.cpp)
  if(EXISTS ${simdjson})
    target_sources(${target} PRIVATE ${simdjson})
    set_source_files_properties(${simdjson} PROPERTIES COMPILE_OPTIONS "-w")
  endif()
  target_link_options(${target} PRIVATE -Wl,--as-needed)
endfunction()
