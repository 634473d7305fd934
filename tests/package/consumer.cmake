# Installs Halogen, moves the tree, builds examples/consumer against it, looks at what it links, runs it.
#
# BUILD   Halogen's build folder        WORK    a folder for this test alone, emptied first
# SOURCE  the consumer                  MAKE, CXX, CONFIG, EIGEN   as in Halogen's own build

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
  if(failed)
    message(FATAL_ERROR "${what} failed (${failed}):\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run("Installing" ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)  # nothing may point to where it was installed

run("Configuring the consumer" ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G Ninja -DCMAKE_MAKE_PROGRAM=${MAKE}
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/moved -DEigen3_DIR=${EIGEN}
  "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
run("Building the consumer" ${CMAKE_COMMAND} --build ${WORK}/build)
run("Running the consumer" ${WORK}/build/consumer)
message(STATUS "${output}")
if(NOT output MATCHES "ok   leaky_layer on sse41" OR output MATCHES "FAIL")
  message(FATAL_ERROR "the consumer printed no good answer on sse41")
endif()

run("Asking what it links" ldd ${WORK}/build/consumer)
if(output MATCHES "libHalide")
  message(FATAL_ERROR "the consumer needs libHalide:\n${output}")
endif()
