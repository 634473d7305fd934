# The compiler options of our own targets: warnings, and no more. Optimisation and sanitizers belong to the presets.
#
#   target_link_libraries(x PRIVATE halogen_options)
add_library(halogen_options INTERFACE)
target_compile_options(halogen_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers
  $<$<BOOL:${HALOGEN_WARNINGS_AS_ERRORS}>:-Werror>)
