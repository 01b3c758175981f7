# Installation, for find_package(rtbwire_scan) and pkg-config. No installed file contains the
# prefix, so the folder can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS rtbwire_scan EXPORT rtbwire_scan)
install(DIRECTORY include/rtbwire TYPE INCLUDE PATTERN vectorscan.* EXCLUDE)

set(rtbwire_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rtbwire_scan)
install(EXPORT rtbwire_scan FILE rtbwire_scan-targets.cmake NAMESPACE rtbwire::
        DESTINATION ${rtbwire_cmake_dir})
install(FILES cmake/rtbwire_scan-config.cmake DESTINATION ${rtbwire_cmake_dir})
# Separate files, so that only users of the backend need libhs.
if(TARGET rtbwire_scan_vectorscan)
  install(TARGETS rtbwire_scan_vectorscan EXPORT rtbwire_scan_vectorscan)
  install(FILES include/rtbwire/vectorscan.h include/rtbwire/vectorscan.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rtbwire)
  install(EXPORT rtbwire_scan_vectorscan NAMESPACE rtbwire:: DESTINATION ${rtbwire_cmake_dir}
          FILE rtbwire_scan_vectorscan-targets.cmake)
endif()
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rtbwire_scan-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rtbwire_scan-config-version.cmake
        DESTINATION ${rtbwire_cmake_dir})

# The prefix relative to pcfiledir, the folder of the file.
set(rtbwire_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  # With absolute folders, as distributions use, the installation cannot be moved.
  set(RTBWIRE_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(RTBWIRE_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(RTBWIRE_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH rtbwire_up /prefix/${rtbwire_pc_dir} /prefix)
  string(REGEX REPLACE "/$" "" rtbwire_up "${rtbwire_up}")
  set(RTBWIRE_PC_PREFIX "\${pcfiledir}/${rtbwire_up}")
  set(RTBWIRE_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(RTBWIRE_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# cc does not link the C++ runtime by itself.
set(RTBWIRE_PC_RUNTIME "")
foreach(runtime stdc++ c++)
  if(runtime IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    set(RTBWIRE_PC_RUNTIME "-l${runtime}")
    break()
  endif()
endforeach()
set(rtbwire_pc_files rtbwire_scan.pc)
if(TARGET rtbwire_scan_vectorscan)
  list(APPEND rtbwire_pc_files rtbwire_scan_vectorscan.pc)
endif()
foreach(file IN LISTS rtbwire_pc_files)
  configure_file(cmake/${file}.in ${PROJECT_BINARY_DIR}/${file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${rtbwire_pc_dir})
endforeach()
