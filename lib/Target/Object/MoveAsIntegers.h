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

/// Before: no arithmetic on types that `isNarrow` holds for. After: what loads,
/// stores, chooses or permutes such numbers does so with integers of their
/// width. A CPU without these types would otherwise move them in f32 registers,
/// and call a compiler runtime to round them again.
void moveAsIntegers(llvm::Module &module,
                    llvm::function_ref<bool(llvm::Type *)> isNarrow);

/// The function of `call` on other types: the result of `getType` for each type
/// that it is overloaded on, with the results of `getOperand` as its operands.
/// Null, and nothing is made, where the types of its function are not its own.
llvm::CallInst *
createOnTypes(llvm::IRBuilderBase &b, llvm::IntrinsicInst *call,
              llvm::function_ref<llvm::Type *(llvm::Type *)> getType,
              llvm::function_ref<llvm::Value *(llvm::Value *)> getOperand);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_MOVEASINTEGERS_H
