# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sanitizers of our own code: FLYWHEEL_SANITIZERS, as -fsanitize= takes them. The
# run time of the sanitizers is a shared library: LLVM's libraries, the Python
# module and programs that tests compile use the same one.

if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "FLYWHEEL_SANITIZERS needs clang, not ${CMAKE_CXX_COMPILER}")
endif()
execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-runtime-dir
                OUTPUT_VARIABLE FLYWHEEL_SANITIZER_DIR
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(FLYWHEEL_SANITIZERS MATCHES thread)
  set(FLYWHEEL_SANITIZER_RUNTIME tsan)
else()
  set(FLYWHEEL_SANITIZER_RUNTIME asan)
endif()
string(PREPEND FLYWHEEL_SANITIZER_RUNTIME "${FLYWHEEL_SANITIZER_DIR}/libclang_rt.")
string(APPEND FLYWHEEL_SANITIZER_RUNTIME "-${CMAKE_SYSTEM_PROCESSOR}.so")
if(NOT EXISTS "${FLYWHEEL_SANITIZER_RUNTIME}")
  message(FATAL_ERROR "no ${FLYWHEEL_SANITIZER_RUNTIME}; on Debian it is in "
                      "libclang-rt-22-dev")
endif()

set(FLYWHEEL_SANITIZER_COMPILE_OPTIONS
    -fsanitize=${FLYWHEEL_SANITIZERS} -fno-omit-frame-pointer
    -fno-sanitize-recover=all -g1
    # LLVM's libraries have no type information for its checks of casts.
    -fno-sanitize=vptr,function)
set(FLYWHEEL_SANITIZER_LINK_OPTIONS
    -fsanitize=${FLYWHEEL_SANITIZERS} -shared-libsan
    "-Wl,-rpath,${FLYWHEEL_SANITIZER_DIR}")
add_compile_options(${FLYWHEEL_SANITIZER_COMPILE_OPTIONS})
add_link_options(${FLYWHEEL_SANITIZER_LINK_OPTIONS})

# flywheel_write_sanitizing_compiler(<file> <compiler>)
# A compiler for programs that tests link with our libraries.
function(flywheel_write_sanitizing_compiler file compiler)
  set(options -Wno-unused-command-line-argument
              ${FLYWHEEL_SANITIZER_COMPILE_OPTIONS} ${FLYWHEEL_SANITIZER_LINK_OPTIONS})
  list(JOIN options " " options)
  file(WRITE "${file}" "#!/bin/sh\nexec '${compiler}' ${options} \"$@\"\n")
  file(CHMOD "${file}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
       GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()
