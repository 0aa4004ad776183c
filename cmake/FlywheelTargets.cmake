# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One way to add a library, a tool and a TableGen output. What is added is also
# installed and exported: FlywheelConfig.cmake gives it to other projects.

include(GNUInstallDirs)

# What a library or tool reads unless its folder says otherwise: our dialects, on
# top of upstream's headers.
set(FLYWHEEL_PRECOMPILED_HEADER Dialects)

# flywheel_set_up_target(<name> [MLIR] [PRECOMPILED [<header>]])
# What every target of ours has: include directories, those of MLIR as system
# headers, and with MLIR precompiled headers: a file of lib/Precompiled, by
# default FLYWHEEL_PRECOMPILED_HEADER.
function(flywheel_set_up_target name)
  cmake_parse_arguments(ARG "MLIR" "" "PRECOMPILED" ${ARGN})
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_options(${name} PRIVATE
    -Wall -Wextra -Wno-unused-parameter
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  if(NOT ARG_MLIR)
    return()
  endif()
  # TableGen outputs are few and quick: every target waits for all of them, so
  # that no include is ever missing from a clean build.
  add_dependencies(${name} flywheel-tablegen)
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>")
  target_include_directories(${name} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS}>")
  target_compile_definitions(${name} PRIVATE ${FLYWHEEL_LLVM_DEFINITIONS})
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${name} PRIVATE
                           $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
  endif()
  set(header "${FLYWHEEL_PRECOMPILED_HEADER}")
  if("PRECOMPILED" IN_LIST ARGN)
    set(header "${ARG_PRECOMPILED}")
  endif()
  if(FLYWHEEL_PRECOMPILE AND header)
    # Precompiled headers are of one kind of code: that of libraries.
    get_target_property(type ${name} TYPE)
    if(type STREQUAL EXECUTABLE)
      set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${name} PRIVATE -fPIC)
    endif()
    # Relative to the build folder, in which Ninja runs the compiler. The headers
    # in it are dependencies of each file: Clang lists them.
    add_dependencies(${name} flywheel-precompiled-${header})
    target_compile_options(${name} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -include-pch -Xclang lib/Precompiled/${header}.pch>")
  endif()
endfunction()

# flywheel_compile_together(<name>)
# Compiles six files of a target at once: half the time of a build, while a file
# that was touched is still compiled in seconds. Static names of a library must
# differ, and none of its files may use namespaces that make a name ambiguous.
function(flywheel_compile_together name)
  if(FLYWHEEL_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON
                          UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# flywheel_install(<name>): as Flywheel::<name> in the installed package.
function(flywheel_install name)
  install(TARGETS ${name} EXPORT FlywheelTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

# flywheel_add_library(<name> SOURCES <files> [DEPENDS <targets>] [LINK <libs>])
# A static library of ours, with MLIR and LLVM (Upstream.cmake).
function(flywheel_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  flywheel_compile_together(${name})
  flywheel_set_up_target(${name} MLIR)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${FLYWHEEL_UPSTREAM})
  flywheel_install(${name})
  set_property(GLOBAL APPEND PROPERTY FLYWHEEL_MLIR_TARGETS Flywheel::${name})
endfunction()

# flywheel_add_runtime_library(<name> SOURCES <files> [LINK <libs>])
# A static library that programs without MLIR and LLVM can link.
function(flywheel_add_runtime_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  flywheel_compile_together(${name})
  flywheel_set_up_target(${name})
  # Headers only: who links the installed library does not need them.
  target_link_libraries(${name} PUBLIC ${ARG_LINK}
    PRIVATE "$<BUILD_INTERFACE:nlohmann_json::nlohmann_json>")
  flywheel_install(${name})
endfunction()

# flywheel_add_tool(<name> <function> SOURCES <files> [LINK <libs>])
# A tool: <function> of tools/Tools.h in the library <name>-main, with MLIR and
# LLVM, and a program that calls it.
function(flywheel_add_tool name function)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name}-main STATIC ${ARG_SOURCES})
  flywheel_compile_together(${name}-main)
  flywheel_set_up_target(${name}-main MLIR)
  target_link_libraries(${name}-main PUBLIC ${ARG_LINK} ${FLYWHEEL_UPSTREAM})
  flywheel_add_tool_program(${name} ${function})
  # The shared libraries in front of the archives of MLIR that have lists of
  # dialects and passes.
  target_link_libraries(${name} PRIVATE ${FLYWHEEL_UPSTREAM})
endfunction()

# flywheel_add_runtime_tool(<name> <function> SOURCES <files> [LINK <libs>])
# A tool made of runtime libraries only.
function(flywheel_add_runtime_tool name function)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name}-main STATIC ${ARG_SOURCES})
  flywheel_set_up_target(${name}-main)
  target_link_libraries(${name}-main PUBLIC ${ARG_LINK})
  flywheel_add_tool_program(${name} ${function})
endfunction()

function(flywheel_add_tool_program name function)
  add_executable(${name} "${PROJECT_SOURCE_DIR}/tools/Main.cpp")
  flywheel_set_up_target(${name})
  target_include_directories(${name}-main PUBLIC "${PROJECT_SOURCE_DIR}/tools")
  target_compile_definitions(${name} PRIVATE FLYWHEEL_TOOL=${function})
  target_link_libraries(${name} PRIVATE ${name}-main)
  flywheel_install(${name})
endfunction()

# flywheel_tablegen(<td file> <output> <generator flags>...)
# Runs mlir-tblgen in the current include directory. The stem of the target
# name is derived from the output, so that every call is its own target.
function(flywheel_tablegen td output)
  set(LLVM_TARGET_DEFINITIONS ${td})
  if("-gen-pass-decls" IN_LIST ARGN)
    set(script "${PROJECT_SOURCE_DIR}/cmake/CountPasses.cmake")
    mlir_tablegen(Upstream${output} ${ARGN})
    add_custom_command(OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${output}"
      COMMAND ${CMAKE_COMMAND} -DINPUT=Upstream${output} -DOUTPUT=${output} -P "${script}"
      WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
      DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/Upstream${output}" "${script}" VERBATIM)
  else()
    mlir_tablegen(${output} ${ARGN})
  endif()
  string(MAKE_C_IDENTIFIER "flywheel-gen-${CMAKE_CURRENT_SOURCE_DIR}-${output}" target)
  add_custom_target(${target} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_dependencies(flywheel-tablegen ${target})
endfunction()
