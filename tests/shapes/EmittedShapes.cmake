# Sets emitted_shapes_folder and emitted_shapes: the shapes of some programs as C++ headers, made by emit_shape_headers when
# building.
set(emitted_shapes_folder ${CMAKE_CURRENT_BINARY_DIR}/emitted_shapes)
set(emitted_shapes "")
foreach(name conv2d residual ranks pieces)
  list(APPEND emitted_shapes ${emitted_shapes_folder}/${name}_shapes.h)
endforeach()
file(MAKE_DIRECTORY ${emitted_shapes_folder})
if(NOT TARGET emit_shape_headers)
  add_executable(emit_shape_headers ${CMAKE_CURRENT_LIST_DIR}/emit_shape_headers.cpp)
  target_include_directories(emit_shape_headers PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(emit_shape_headers PRIVATE halogen_emit halogen_options)
endif()
add_custom_command(OUTPUT ${emitted_shapes} COMMAND emit_shape_headers ${emitted_shapes_folder} DEPENDS emit_shape_headers
  COMMENT "Emitting shapes as C++" VERBATIM)
