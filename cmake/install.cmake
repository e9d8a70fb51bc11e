# find_package(gas) for others: headers below include/gas, so that "gas/…", "partition/…", … cannot
# meet a stranger's; one imported target per folder.
include(CMakePackageConfigHelpers)

foreach(folder gas partition loaders programs)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${GAS_INCLUDE_DIR}
          FILES_MATCHING PATTERN "*.hpp")
endforeach()

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
