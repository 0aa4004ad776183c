//===- ConversionPasses.td - Passes of Conversion ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CONVERSION_PASSES
#define FLYWHEEL_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

#endif // FLYWHEEL_CONVERSION_PASSES
