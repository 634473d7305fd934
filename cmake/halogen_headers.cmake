# Headers of other people, read once and not in every file: half of the time of a build is the reading of declarations.
#
#   halogen_headers(TARGET standard | halide | test | halide_test)
#
# standard: the C++ library and fmt; halide: Halide.h too (1.3 MB of declarations); test, halide_test: with GoogleTest. Every file
# still includes what it uses, so that it compiles without this (a release has none of it: its rooms are optimised as one).
set(halogen_standard_headers
  <algorithm> <array> <cstdint> <functional> <map> <memory> <numeric> <optional> <set> <string> <string_view> <unordered_map>
  <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
set(halogen_halide_headers ${halogen_standard_headers} <Halide.h>)
set(halogen_test_headers ${halogen_standard_headers} <gmock/gmock.h> <gtest/gtest.h>)
set(halogen_halide_test_headers ${halogen_test_headers} <Halide.h>)

function(halogen_headers target kind)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    return()
  endif()
  set(holder halogen_headers_${kind})
  if(NOT TARGET ${holder})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${holder}.cpp CONTENT "")
    add_library(${holder} OBJECT ${PROJECT_BINARY_DIR}/${holder}.cpp)
    target_link_libraries(${holder} PRIVATE fmt::fmt halogen_options)
    if(kind MATCHES halide)
      target_link_libraries(${holder} PRIVATE Halide::Halide)
    endif()
    if(kind MATCHES test)
      target_link_libraries(${holder} PRIVATE GTest::gmock)
    endif()
    target_precompile_headers(${holder} PRIVATE ${halogen_${kind}_headers})
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt)  # its macros must be the holder's
  target_precompile_headers(${target} REUSE_FROM ${holder})
endfunction()
