# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One way to add a library, a tool and a TableGen output.

# flywheel_add_library(<name> SOURCES <files> [DEPENDS <targets>] [LINK <libs>])
# A static library of ours. MLIR and LLVM come as the shared Debian libraries.
function(flywheel_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  # TableGen outputs are few and quick: every library waits for all of them, so
  # that no include is ever missing from a clean build.
  add_dependencies(${name} flywheel-tablegen ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
endfunction()

# flywheel_add_runtime_library(<name> SOURCES <files> [LINK <libs>])
# A static library that programs without MLIR and LLVM can link.
function(flywheel_add_runtime_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>")
  target_link_libraries(${name} PUBLIC ${ARG_LINK}
                        PRIVATE nlohmann_json::nlohmann_json)
endfunction()

# flywheel_add_runtime_tool(<name> SOURCES <files> [LINK <libs>])
# A tool made of runtime libraries only.
function(flywheel_add_runtime_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# flywheel_add_tool(<name> SOURCES <files> [LINK <libs>])
function(flywheel_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  add_dependencies(${name} flywheel-tablegen)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()

# flywheel_tablegen(<td file> <output> <generator flags>...)
# Runs mlir-tblgen in the current include directory. The stem of the target
# name is derived from the output, so that every call is its own target.
function(flywheel_tablegen td output)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${output} ${ARGN})
  string(MAKE_C_IDENTIFIER "flywheel-gen-${CMAKE_CURRENT_SOURCE_DIR}-${output}" target)
  add_custom_target(${target} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_dependencies(flywheel-tablegen ${target})
endfunction()
