//===- LinalgOps.h - The linalg ops that rules know -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of the ops of `linalg` that have a derivative rule and a
// batching rule. Most rules are derived from the op's body; an op that has a
// better one is named in the table of rules, not here.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_LINALGOPS_H
#define FLYWHEEL_INTERFACES_LINALGOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <array>

namespace flywheel {

/// Stands for the op class `OpTy` as an argument.
template <typename OpTy> struct OpTag {
  using Type = OpTy;
};

/// A list of op classes.
template <typename... OpTys> struct OpList {
  /// Returns the array of the results of `fn` on the tags.
  template <typename FnT> static auto map(FnT fn) {
    return std::array{fn(OpTag<OpTys>())...};
  }
};

using LinalgOps = OpList<
    mlir::linalg::AbsOp, mlir::linalg::AddOp, mlir::linalg::BatchMatmulOp,
    mlir::linalg::BatchMatvecOp, mlir::linalg::BatchMmt4DOp,
    mlir::linalg::BatchReduceMatmulOp, mlir::linalg::BatchVecmatOp,
    mlir::linalg::BroadcastOp, mlir::linalg::CeilOp, mlir::linalg::ContractOp,
    mlir::linalg::CopyOp, mlir::linalg::DivOp, mlir::linalg::DotOp,
    mlir::linalg::ElementwiseOp, mlir::linalg::ErfOp, mlir::linalg::ExpOp,
    mlir::linalg::FillOp, mlir::linalg::FloorOp, mlir::linalg::GenericOp,
    mlir::linalg::LogOp, mlir::linalg::MapOp, mlir::linalg::MatmulOp,
    mlir::linalg::MatvecOp, mlir::linalg::MaxOp, mlir::linalg::MinOp,
    mlir::linalg::Mmt4DOp, mlir::linalg::MulOp, mlir::linalg::NegFOp,
    mlir::linalg::PowFOp, mlir::linalg::ReciprocalOp, mlir::linalg::ReduceOp,
    mlir::linalg::RoundOp, mlir::linalg::RsqrtOp, mlir::linalg::SelectOp,
    mlir::linalg::SqrtOp, mlir::linalg::SquareOp, mlir::linalg::SubOp,
    mlir::linalg::TanhOp, mlir::linalg::TransposeOp, mlir::linalg::VecmatOp>;

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_LINALGOPS_H
