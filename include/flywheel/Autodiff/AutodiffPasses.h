//===- AutodiffPasses.h - Differentiation passes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_AUTODIFFPASSES_H
#define FLYWHEEL_AUTODIFF_AUTODIFFPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Autodiff/AutodiffPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Autodiff/AutodiffPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_AUTODIFFPASSES_H
