# Halide's runtime as a static library: the one copy that all kernels of a program share.

# halogen_runtime_library(TARGET [FEATURES asan])
#
# Makes the imported target TARGET: libhalogen_halide_runtime.a (with asan, libhalogen_halide_runtime_asan.a), the
# runtime's headers, threads. The library is built with the default build, since it is installed.
function(halogen_runtime_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FEATURES")
  set(name libhalogen_halide_runtime)
  set(halide_target x86-64-linux)
  foreach(feature IN LISTS arg_FEATURES)
    string(APPEND name _${feature})
    string(APPEND halide_target -${feature})
  endforeach()
  set(library ${CMAKE_CURRENT_BINARY_DIR}/${name}.a)
  add_custom_command(
    OUTPUT ${library}
    COMMAND $<TARGET_FILE:halogen> -r ${name} -o ${CMAKE_CURRENT_BINARY_DIR} -e static_library target=${halide_target}
    DEPENDS $<TARGET_FILE:halogen>
    COMMENT "Compiling Halide's runtime: ${name}"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${library})
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${library} INTERFACE_LINK_LIBRARIES halogen_runtime)
  add_dependencies(${target} ${name})
  install(FILES ${library} DESTINATION lib/halogen)
endfunction()
