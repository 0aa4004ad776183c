# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How MLIR and LLVM are linked: FLYWHEEL_UPSTREAM are both, and
# FLYWHEEL_UPSTREAM_REGISTRIES the archives of MLIR's lists of dialects,
# extensions and passes, which its shared library lacks.

option(FLYWHEEL_STATIC_UPSTREAM
       "Link what is needed of LLVM and MLIR into each program, as a wheel does" OFF)
set(FLYWHEEL_TARGETS "${LLVM_TARGETS_TO_BUILD}" CACHE STRING
    "Architectures that code is generated for, as LLVM names them")
foreach(target ${FLYWHEEL_TARGETS})
  if(NOT target IN_LIST LLVM_TARGETS_TO_BUILD)
    message(FATAL_ERROR "FLYWHEEL_TARGETS: expected some of "
                        "${LLVM_TARGETS_TO_BUILD}, found ${target}")
  endif()
endforeach()
if(NOT LLVM_NATIVE_ARCH IN_LIST FLYWHEEL_TARGETS)
  message(FATAL_ERROR "FLYWHEEL_TARGETS: expected this machine's ${LLVM_NATIVE_ARCH}"
                      " to be one of ${FLYWHEEL_TARGETS}")
endif()

if(NOT FLYWHEEL_STATIC_UPSTREAM)
  set(FLYWHEEL_UPSTREAM MLIR LLVM)
  set(FLYWHEEL_UPSTREAM_REGISTRIES
      MLIRRegisterAllDialects MLIRRegisterAllExtensions MLIRRegisterAllPasses)
  return()
endif()

# The files themselves: as targets of CMake, the archives of MLIR bring in the
# shared library of LLVM. The linker takes of each what is called. Left out are
# those that define what others define, too.
file(GLOB archives "${LLVM_LIBRARY_DIR}/libMLIR*.a" "${LLVM_LIBRARY_DIR}/libLLVM*.a")
list(FILTER archives EXCLUDE REGEX "/libMLIR(CAPI|Test)[^/]*$")
foreach(target ${LLVM_TARGETS_TO_BUILD})
  if(NOT target IN_LIST FLYWHEEL_TARGETS)
    list(FILTER archives EXCLUDE REGEX "/libLLVM${target}[A-Z][^/]*$")
  endif()
endforeach()
if(NOT archives)
  message(FATAL_ERROR "FLYWHEEL_STATIC_UPSTREAM: expected archives of LLVM and "
                      "MLIR in ${LLVM_LIBRARY_DIR}, found none")
endif()
set(FLYWHEEL_UPSTREAM_REGISTRIES "")
set(FLYWHEEL_UPSTREAM ${archives} z zstd ${CMAKE_DL_LIBS})
# A section for each function, so that those that nothing calls are left out.
add_compile_options(-ffunction-sections -fdata-sections)
# Names of LLVM would meet those of another package in the same process. Packed
# relocations, 5 MB less of a wheel's 120, need glibc 2.36.
add_link_options(-Wl,-O2 -Wl,--gc-sections -Wl,--icf=all -Wl,--exclude-libs,ALL
                 -Wl,-z,pack-relative-relocs)
