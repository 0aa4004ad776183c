//===- PerfMap.h - Names of generated code for perf -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_PERFMAP_H
#define FLYWHEEL_LIB_TARGET_OBJECT_PERFMAP_H

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"

namespace flywheel {

/// Returns true if FLYWHEEL_PERF_MAP of the environment is 1, and false if it
/// is 0, empty or unset. Errors: any other value.
llvm::Expected<bool> isPerfMapRequested();

/// Makes `jit` append a line for each function that it links from now on to
/// `/tmp/perf-PID.map`, where `perf` looks for names of code without a file:
/// the address and the bytes in hexadecimal digits, and the symbol.
///
/// Errors: a file that cannot be opened, or is a link; a host whose JIT does
/// not report the functions that it links. A write that fails later is an error
/// of the lookup that needs the code.
llvm::Error writePerfMap(llvm::orc::LLJIT &jit);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_PERFMAP_H
