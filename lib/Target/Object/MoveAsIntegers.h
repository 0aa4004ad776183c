//===- MoveAsIntegers.h - Moves of f16 and bf16 as integers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_MOVEASINTEGERS_H
#define FLYWHEEL_LIB_TARGET_OBJECT_MOVEASINTEGERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace flywheel {

/// Before: no arithmetic on types for which `isNarrow` returns true. After:
/// loads, stores, selections and permutations of such numbers, and calls of
/// functions of the module, use integers of their width. A CPU without these
/// types would otherwise move them in f32 registers, and call a compiler
/// runtime to round them again.
void moveAsIntegers(llvm::Module &module,
                    llvm::function_ref<bool(llvm::Type *)> isNarrow);

/// Builds `call` on other types: `getType` maps each type that its function is
/// overloaded on, and `getOperand` its operands. Returns null, and builds
/// nothing, if the types of the function are not those of the intrinsic.
llvm::CallInst *
createOnTypes(llvm::IRBuilderBase &b, llvm::IntrinsicInst *call,
              llvm::function_ref<llvm::Type *(llvm::Type *)> getType,
              llvm::function_ref<llvm::Value *(llvm::Value *)> getOperand);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_MOVEASINTEGERS_H
