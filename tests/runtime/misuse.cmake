# Calls that must not compile, and what the compiler then says. A script: CXX the compiler, INCLUDES with | between, WORK.
#
# Each case: a line of C++ in a function that has x, y (Eigen::MatrixXf), and a part of the message expected.
set(cases
  "(void)scale(x, y)|no match for call"                                # alpha has no default
  "(void)scale(x, y, {.threads = 1})|no match for call"                # nor may it be left out
  "(void)scale(x.cast<double>().eval(), y, {.alpha = 1})|scale: X holds f32"
  "(void)scale(x, std::as_const(y), {.alpha = 1})|scale: Y is written, so it cannot be const"
  "(void)scale(x + x, y, {.alpha = 1})|an expression must be evaluated first"
  "(void)scale(view(x.data(), {2, 2, 2}), y, {.alpha = 1})|another number of dims"
  "(void)scale(std::vector<float>(4), y, {.alpha = 1})|a list has one dim"
  "scale(x, y, {.alpha = 1})|ignoring return")

string(REPLACE "|" ";" folders "${INCLUDES}")
set(flags "")
foreach(folder IN LISTS folders)
  list(APPEND flags -isystem ${folder})
endforeach()

function(compile line result output)
  file(WRITE ${WORK}/misuse.cpp "#include <halogen/kernels/scale.h>\n#include <Eigen/Core>\n#include <utility>\n#include <vector>\n"
    "using halogen::kernels::scale;\nusing halogen::view;\nvoid f(const Eigen::MatrixXf& x, Eigen::MatrixXf& y) { ${line}; }\n")
  execute_process(COMMAND ${CXX} -std=c++20 -fsyntax-only -Werror=unused-result ${flags} ${WORK}/misuse.cpp
    RESULT_VARIABLE code ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${WORK})
compile("(void)scale(x, y, {.alpha = 1})" failed text)
if(failed)
  message(FATAL_ERROR "the good call does not compile:\n${text}")
endif()
foreach(case IN LISTS cases)
  string(REGEX MATCH "^[^|]*" line "${case}")
  string(REGEX REPLACE "^[^|]*\\|" "" expected "${case}")
  compile("${line}" failed text)
  if(NOT failed)
    message(SEND_ERROR "compiles, but must not: ${line}")
  else()
    string(FIND "${text}" "${expected}" found)
    if(found EQUAL -1)
      message(SEND_ERROR "${line}\ndoes not say \"${expected}\" but:\n${text}")
    endif()
  endif()
endforeach()
