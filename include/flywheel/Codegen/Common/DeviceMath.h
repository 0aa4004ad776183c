//===- DeviceMath.h - Functions of numbers without a library ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_COMMON_DEVICEMATH_H
#define FLYWHEEL_CODEGEN_COMMON_DEVICEMATH_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace flywheel {

/// Arithmetic for the functions of `math` on numbers of f32 and f64 that
/// `flywheel-expand-math` leaves to the C library, with the errors of
/// docs/Precision.md. Functions that it does expand may be among the results.
void populateDeviceMathPatterns(mlir::RewritePatternSet &patterns);

} // namespace flywheel

#endif // FLYWHEEL_CODEGEN_COMMON_DEVICEMATH_H
