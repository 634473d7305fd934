# Kernels as libraries. For Halogen's own build and, through find_package(Halogen), for every other project.
#
# Both functions need the target halogen::halogen (the compiler) and halogen::runtime (what kernels link).

# halogen_kernel(NAME [SOURCE FILE.hgn] [KERNEL kernel] [TARGETS leg…] [FEATURES asan] [ESTIMATES SIZE=INT…]
#                [HISTORY FILE] [FOR "FACTS"…])
#
# Makes the library target halogen::NAME from one kernel: code for every leg, found at run time, and the header
# <halogen/kernels/NAME.h>. A target that links it is compiled after it was made:
#
#   halogen_kernel(blur SOURCE filters.hgn TARGETS sse41 avx2)
#   target_link_libraries(photo PRIVATE halogen::blur)      # then #include <halogen/kernels/blur.h>
#
# SOURCE      the text; NAME.hgn or kernels/NAME.hgn of this folder if not given; else the built-in kernel of that name
# KERNEL      which kernel of the text; NAME if not given
# TARGETS     among sse41 avx2 avx512 zen4; all if not given
# FEATURES    asan: for programs compiled with -fsanitize=address; HALOGEN_SANITIZE_KERNELS sets it for all kernels
# ESTIMATES   likely sizes
# HISTORY     a schedule in place of the one Halogen would choose
# FOR         for each, code of its own for calls of which this is known: "R=3, S=3" "N <= 16 and dense(X)"
#
# The target is visible in the whole project; asking twice for the same NAME is an error.
function(halogen_kernel name)
  set(first 1)
  if(name STREQUAL "NAME")  # halogen_kernel(NAME blur …) says the same
    set(name "${ARGV1}")
    set(first 2)
  endif()
  cmake_parse_arguments(PARSE_ARGV ${first} arg "" "SOURCE;KERNEL;HISTORY" "TARGETS;FEATURES;ESTIMATES;FOR")
  if(arg_UNPARSED_ARGUMENTS OR NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "halogen_kernel(${name} ${arg_UNPARSED_ARGUMENTS}): give a name, then SOURCE, KERNEL, TARGETS, "
                        "FEATURES, ESTIMATES, HISTORY, FOR")
  endif()
  if(TARGET halogen::${name})
    message(FATAL_ERROR "halogen_kernel(${name}): there is a kernel of this name already; use another NAME with KERNEL ${name}")
  endif()
  _halogen_source("${name}" "${arg_SOURCE}" source depends)
  if(HALOGEN_SANITIZE_KERNELS AND NOT arg_FEATURES)
    set(arg_FEATURES asan)
  endif()
  set(runtime halogen::runtime)
  set(options --no-runtime --name ${name})
  if(depends)  # a built-in kernel is chosen by its name alone
    if(NOT arg_KERNEL)
      set(arg_KERNEL ${name})
    endif()
    list(APPEND options --kernel ${arg_KERNEL})
  endif()
  foreach(feature IN LISTS arg_FEATURES)
    if(NOT feature STREQUAL "asan")
      message(FATAL_ERROR "halogen_kernel(${name}): unknown feature ${feature}; the feature is asan")
    endif()
    list(APPEND options --asan)
    set(runtime halogen::runtime_asan)
  endforeach()
  if(arg_TARGETS)
    list(JOIN arg_TARGETS "," legs)
    list(APPEND options --target ${legs})
  endif()
  foreach(estimate IN LISTS arg_ESTIMATES)
    list(APPEND options --estimate ${estimate})
  endforeach()
  foreach(facts IN LISTS arg_FOR)
    list(APPEND options --for ${facts})
  endforeach()
  if(arg_HISTORY)
    get_filename_component(history "${arg_HISTORY}" ABSOLUTE)
    list(APPEND options --history ${history})
    list(APPEND depends ${history})
  endif()
  _halogen_library(${name} "${source}" "${depends}" "${options}" ${runtime})
endfunction()

# halogen_add_kernels(TARGET FILES FILE.hgn… [TARGETS leg…] [FEATURES asan] [FOR "FACTS"…])
#
# Makes every kernel of some texts a library, as halogen_kernel does, and links them into TARGET. The name of each is the
# one it has in the text.
#
#   add_executable(photo main.cpp)
#   halogen_add_kernels(photo FILES filters.hgn resize.hgn)
function(halogen_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;TARGETS;FEATURES;FOR")
  if(NOT TARGET "${target}" OR NOT arg_FILES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "halogen_add_kernels(${target} FILES FILE.hgn… [TARGETS leg…] [FEATURES asan] [FOR FACTS…]): TARGET must exist")
  endif()
  get_target_property(type ${target} TYPE)
  set(visibility PRIVATE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(visibility INTERFACE)
  endif()
  foreach(file IN LISTS arg_FILES)
    get_filename_component(path "${file}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "halogen_add_kernels(${target}): there is no file ${path}")
    endif()
    _halogen_names_in("${path}" names)
    foreach(name IN LISTS names)
      halogen_kernel(${name} SOURCE ${path} TARGETS ${arg_TARGETS} FEATURES ${arg_FEATURES} FOR ${arg_FOR})
      target_link_libraries(${target} ${visibility} halogen::${name})
    endforeach()
  endforeach()
endfunction()

# The names of the kernels in a text; read again when the text changes.
function(_halogen_names_in path result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(STRINGS ${path} lines REGEX "^[ \t]*kernel[ \t]+[A-Za-z_]")
  set(names "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[ \t]*kernel[ \t]+([A-Za-z0-9_]+).*" "\\1" name "${line}")
    list(APPEND names ${name})
  endforeach()
  if(NOT names)
    message(FATAL_ERROR "${path} holds no kernel: write `kernel NAME(…) -> … { … }` at the start of a line")
  endif()
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# What the compiler is given as the kernel's text, and the files that depends on: none for a built-in kernel.
function(_halogen_source name given source depends)
  if(given)
    get_filename_component(path "${given}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "halogen_kernel(${name}): there is no file ${path}")
    endif()
  else()
    foreach(path IN ITEMS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.hgn ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${name}.hgn)
      if(EXISTS "${path}")
        break()
      endif()
    endforeach()
  endif()
  if(EXISTS "${path}")
    set(${source} ${path} PARENT_SCOPE)
    set(${depends} ${path} PARENT_SCOPE)
  else()
    set(${source} ${name} PARENT_SCOPE)
    set(${depends} "" PARENT_SCOPE)
  endif()
endfunction()

# The rule that compiles, and the target that others link.
function(_halogen_library name source depends options runtime)
  set(include ${CMAKE_CURRENT_BINARY_DIR}/halogen_kernels)
  set(folder ${include}/halogen/kernels)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/lib${name}.a ${folder}/${name}.h ${folder}/${name}.json
    COMMAND $<TARGET_FILE:halogen::halogen> compile ${source} -o ${folder} --quiet ${options}
    DEPENDS ${depends} $<TARGET_FILE:halogen::halogen>
    COMMENT "Compiling kernel ${name}"
    VERBATIM)
  add_custom_target(halogen_kernel_${name} DEPENDS ${folder}/lib${name}.a ${folder}/${name}.h ${folder}/${name}.json)
  add_library(halogen::${name} STATIC IMPORTED GLOBAL)
  set_target_properties(halogen::${name} PROPERTIES
    IMPORTED_LOCATION ${folder}/lib${name}.a
    INTERFACE_INCLUDE_DIRECTORIES ${include}
    INTERFACE_LINK_LIBRARIES ${runtime})
  add_dependencies(halogen::${name} halogen_kernel_${name})
endfunction()
