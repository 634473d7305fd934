# The compiler options of our own targets: warnings, and no more. Optimisation and sanitizers belong to the presets.
#
#   target_link_libraries(x PRIVATE halogen_options)
add_library(halogen_options INTERFACE)
target_compile_options(halogen_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers
  $<$<BOOL:${HALOGEN_WARNINGS_AS_ERRORS}>:-Werror>)
# GCC 12 finds overflows in std::string's own operator+ once it optimises (GCC bugs 105329, 105651), at link time too.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(halogen_options INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
  target_link_options(halogen_options INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
endif()
