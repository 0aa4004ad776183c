//===- CodegenCommonPasses.h - Passes of every back end ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_COMMON_CODEGENCOMMONPASSES_H
#define FLYWHEEL_CODEGEN_COMMON_CODEGENCOMMONPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_CODEGEN_COMMON_CODEGENCOMMONPASSES_H
