//===- MoveAsIntegers.h - Moves of f16 and bf16 as integers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_MOVEASINTEGERS_H
#define FLYWHEEL_LIB_TARGET_MOVEASINTEGERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

namespace flywheel {

/// Before: no arithmetic on types that `isNarrow` holds for. After: what loads,
/// stores, chooses or permutes such numbers does so with integers of their
/// width. A CPU without these types would otherwise move them in f32 registers,
/// and call a compiler runtime to round them again.
void moveAsIntegers(llvm::Module &module,
                    llvm::function_ref<bool(llvm::Type *)> isNarrow);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_MOVEASINTEGERS_H
