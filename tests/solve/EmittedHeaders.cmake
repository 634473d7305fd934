# Sets emitted_folder and emitted_headers: the sizes of some kernels as C++ headers, made by emit_headers when building.
set(emitted_folder ${CMAKE_CURRENT_BINARY_DIR}/emitted)
set(emitted_headers ${emitted_folder}/cases_sizes.h ${emitted_folder}/conv2d_sizes.h ${emitted_folder}/extremes_sizes.h ${emitted_folder}/halves_sizes.h)
file(MAKE_DIRECTORY ${emitted_folder})
if(NOT TARGET emit_headers)
  add_executable(emit_headers ${CMAKE_CURRENT_LIST_DIR}/emit_headers.cpp)
  target_link_libraries(emit_headers PRIVATE halogen_emit halogen_options)
endif()
add_custom_command(OUTPUT ${emitted_headers} COMMAND emit_headers ${emitted_folder} DEPENDS emit_headers
  COMMENT "Emitting sizes as C++" VERBATIM)
