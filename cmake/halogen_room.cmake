# halogen_room(NAME [HALIDE] SOURCES file… [PUBLIC target…] [PRIVATE target…])
#
# A room: one folder, one static library halogen_NAME. It may use what it links and no more, so that the linker keeps the
# direction; `.ci/walls` says the same of includes. Sources by name, sorted, relative to the calling CMakeLists.txt. HALIDE: its
# files read Halide.h.
function(halogen_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HALIDE" "" "SOURCES;PUBLIC;PRIVATE")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "halogen_room(${name}): give HALIDE, SOURCES, then PUBLIC, PRIVATE")
  endif()
  add_library(halogen_${name} STATIC ${arg_SOURCES})
  target_include_directories(halogen_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(halogen_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} halogen_options)
  if(arg_HALIDE)
    halogen_headers(halogen_${name} halide)
  else()
    halogen_headers(halogen_${name} standard)
  endif()
endfunction()
