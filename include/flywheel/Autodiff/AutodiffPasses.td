//===- AutodiffPasses.td - Passes of Autodiff ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_PASSES
#define FLYWHEEL_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

#endif // FLYWHEEL_AUTODIFF_PASSES
