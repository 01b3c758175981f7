# What cmake --install puts where, for find_package(rtbwire_scan) and for pkg-config. Nothing
# installed names the prefix: the folder may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS rtbwire_scan EXPORT rtbwire_scan)
install(DIRECTORY include/rtbwire TYPE INCLUDE PATTERN vectorscan.* EXCLUDE)

set(rtbwire_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rtbwire_scan)
install(EXPORT rtbwire_scan FILE rtbwire_scan-targets.cmake NAMESPACE rtbwire::
        DESTINATION ${rtbwire_cmake_dir})
install(FILES cmake/rtbwire_scan-config.cmake DESTINATION ${rtbwire_cmake_dir})
# In files of its own: who does not ask for it need not have libhs.
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

# pcfiledir is where pkg-config found the file, so the prefix is so many folders above it.
set(rtbwire_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  # A distribution that splits the folders has no prefix to move.
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
# A linker that cc starts does not know the runtime of the compiler that built the library.
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
