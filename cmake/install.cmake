# find_package(gas) for others: headers below include/gas, so that "gas/…", "partition/…", … cannot
# meet a stranger's; one imported target per folder.
include(CMakePackageConfigHelpers)

foreach(folder gas partition loaders programs)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${GAS_INCLUDE_DIR}
          FILES_MATCHING PATTERN "*.hpp" PATTERN block_kernel_loops.hpp EXCLUDE PATTERN layer_loops.hpp EXCLUDE)
endforeach()
if(GAS_TOOLS)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/support/tool.hpp DESTINATION ${GAS_INCLUDE_DIR}/gas)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/support DESTINATION ${GAS_INCLUDE_DIR}/tools
          FILES_MATCHING PATTERN "*.hpp" PATTERN tool.hpp EXCLUDE PATTERN packages EXCLUDE)
endif()

set(GAS_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gas)
install(EXPORT gasTargets NAMESPACE gas:: DESTINATION ${GAS_CONFIG_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gasConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/gasConfig.cmake
                              INSTALL_DESTINATION ${GAS_CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gasConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gasConfig.cmake ${PROJECT_BINARY_DIR}/gasConfigVersion.cmake
        DESTINATION ${GAS_CONFIG_DIR})
# With the tutorial, its template and the examples.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})

# gas.pc for those who build without CMake. A program that links static libraries links what these need, too.
file(RELATIVE_PATH GAS_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(GAS_PC_LIBRARIES "-lgas_programs -lgas_partition -lgas_loaders -lgas_gas")
if(GAS_TOOLS)
  string(PREPEND GAS_PC_LIBRARIES "-lgas_tool ")
endif()
set(GAS_PC_PRIVATE "")
if(BUILD_SHARED_LIBS)
  set(GAS_PC_PRIVATE .private)
endif()
list(JOIN MPI_CXX_LIBRARIES " " GAS_PC_MPI_LIBRARIES)
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-isystem " OUTPUT_VARIABLE GAS_PC_MPI_CFLAGS)
list(JOIN GAS_PC_MPI_CFLAGS " " GAS_PC_MPI_CFLAGS)
configure_file(${CMAKE_CURRENT_LIST_DIR}/gas.pc.in ${PROJECT_BINARY_DIR}/gas.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gas.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
