//===- LowerRows.h - Loops over the rows of tables --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_COMMON_LOWERROWS_H
#define FLYWHEEL_LIB_CODEGEN_COMMON_LOWERROWS_H

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

namespace flywheel {

/// Emits loops before `op`, on buffers, that compute the results of `op`.
void lowerRows(linalg_ext::ArgsortOp op);
void lowerRows(linalg_ext::CombineRowsOp op);
void lowerRows(linalg_ext::UpdateRowsOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_COMMON_LOWERROWS_H
