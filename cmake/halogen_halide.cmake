# Finds Halide 21, the compiler, where `./dev setup` or the caller put it.

# halogen_find_halide()
#
# Provides Halide::Halide and the other targets of Halide's own package. Looked at, in this order: Halide_DIR or
# Halide_ROOT as given by the caller; the project's virtual environment (.venv); the Python on the PATH (an activated
# environment); CMake's usual places. The wheel is asked for its place because CMake does not look into `lib64` on Debian.
macro(halogen_find_halide)
  if(NOT Halide_DIR AND NOT Halide_ROOT AND NOT DEFINED ENV{Halide_ROOT})
    halogen_halide_of_python(halogen_halide_dir)
    if(halogen_halide_dir)
      set(Halide_DIR ${halogen_halide_dir} CACHE PATH "The folder of HalideConfig.cmake" FORCE)
    endif()
  endif()
  find_package(Halide 21 QUIET)
  if(NOT Halide_FOUND)
    message(FATAL_ERROR
      "Halide 21 was not found.\n"
      "Run ./dev setup, which installs it into .venv; or pip install halide==21.0.0 and configure with\n"
      "  -DHalide_DIR=$(python3 -c 'import halide; print(halide.install_dir())')/lib64/cmake/Halide")
  endif()
  message(STATUS "Halide ${Halide_VERSION}: ${Halide_DIR}")
endmacro()

# halogen_halide_of_python(RESULT): the folder of HalideConfig.cmake inside the first Python that owns a Halide wheel,
# or the empty string.
function(halogen_halide_of_python result)
  set(${result} "" PARENT_SCOPE)
  foreach(python IN ITEMS ${PROJECT_SOURCE_DIR}/.venv/bin/python python3)
    execute_process(
      COMMAND ${python} -c "import importlib.util as u, os; print(os.path.dirname(u.find_spec('halide').origin))"
      OUTPUT_VARIABLE home OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND EXISTS ${home}/lib64/cmake/Halide/HalideConfig.cmake)
      set(${result} ${home}/lib64/cmake/Halide PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
