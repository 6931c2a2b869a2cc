# SPDX-License-Identifier: Apache-2.0
# What belongs to the programs of app/ as a whole: the target `programs`, the sample beside them, and `cmake --install`.
# Included after app/ was added.
include(GNUInstallDirs)

# The executables of all folders below app/.
set(programs "")
get_property(folders DIRECTORY ${CMAKE_SOURCE_DIR}/app PROPERTY SUBDIRECTORIES)
foreach(folder ${folders})
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      list(APPEND programs ${target})
    endif()
  endforeach()
endforeach()
add_custom_target(programs DEPENDS ${programs})

# The layout is the same in a build folder and when installed, so a program finds things relative to itself:
# bin/, ../lib/libtvm_ffi.so, ../share/opscope/samples.
configure_file(${CMAKE_SOURCE_DIR}/resources/samples/basic_pitch.so
  ${CMAKE_BINARY_DIR}/share/opscope/samples/basic_pitch.so COPYONLY)

if(programs)
  install(TARGETS ${programs} RUNTIME)
endif()
install(FILES ${CMAKE_BINARY_DIR}/lib/libtvm_ffi.so DESTINATION lib)
install(FILES resources/samples/basic_pitch.so resources/samples/README.md resources/samples/NOTICE
  DESTINATION share/opscope/samples)
install(FILES LICENSE LICENSE.GPL-3.0 docs/third-party.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
