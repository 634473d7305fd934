# `cmake --install`: a package for find_package(Halogen). It holds the program, libHalide.so beside it (the program needs
# it, compiled kernels do not), Halide's runtime, the headers and the CMake functions; nothing of it points back into the
# source, the build or the Python environment, so that the tree may be moved.
include(CMakePackageConfigHelpers)

set_target_properties(halogen PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/halogen")
install(TARGETS halogen DESTINATION bin)
install(FILES $<TARGET_FILE:Halide::Halide> DESTINATION lib/halogen)
install(FILES ${HALOGEN_RUNTIME_HEADERS} DESTINATION include/halogen)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/HalogenKernels.cmake DESTINATION lib/cmake/Halogen)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/HalogenConfig.cmake.in ${PROJECT_BINARY_DIR}/HalogenConfig.cmake
  INSTALL_DESTINATION lib/cmake/Halogen)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HalogenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HalogenConfig.cmake ${PROJECT_BINARY_DIR}/HalogenConfigVersion.cmake
  DESTINATION lib/cmake/Halogen)
