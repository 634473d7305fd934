# The allocator of our own programs, never of what users link: formulas are many small objects, and solving takes a quarter
# less time with tcmalloc than with glibc's malloc. Sanitizers bring their own.
#
#   target_link_libraries(x PRIVATE halogen_allocator)
add_library(halogen_allocator INTERFACE)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  find_library(HALOGEN_TCMALLOC tcmalloc_minimal REQUIRED)
  target_link_libraries(halogen_allocator INTERFACE ${HALOGEN_TCMALLOC})
endif()
