//===- MergeElementwise.h - Two elementwise ops in one loop -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_FUSION_MERGEELEMENTWISE_H
#define FLYWHEEL_LIB_TRANSFORMS_FUSION_MERGEELEMENTWISE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Creates, at the insertion point, an op that computes the results of `first`
/// and then those of `second`. Both are elementwise (`isElementwise`) with the
/// same loops; `second` may read results of `first` by identity maps, and then
/// reads them in the body. The two ops stay as they are.
mlir::linalg::GenericOp mergeElementwise(mlir::RewriterBase &rewriter,
                                         mlir::linalg::GenericOp first,
                                         mlir::linalg::GenericOp second);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_FUSION_MERGEELEMENTWISE_H
