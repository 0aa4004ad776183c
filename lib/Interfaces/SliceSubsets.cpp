//===- SliceSubsets.cpp - Comparison of slices ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/SliceSubsets.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

using namespace mlir;

/// Returns true if two slices have the same offsets, sizes and strides; nullopt
/// if values that differ may be equal at run time.
static std::optional<bool> haveSameNumbers(OffsetSizeAndStrideOpInterface one,
                                           OffsetSizeAndStrideOpInterface two) {
  bool areSame = true;
  auto compare = [&](ArrayRef<OpFoldResult> lhs, ArrayRef<OpFoldResult> rhs) {
    for (auto [a, b] : llvm::zip(lhs, rhs)) {
      if (a == b)
        continue;
      std::optional<int64_t> left = getConstantIntValue(a),
                             right = getConstantIntValue(b);
      if (!left || !right)
        areSame = false;
      else if (*left != *right)
        return false;
    }
    return true;
  };
  if (one.getStaticOffsets().size() != two.getStaticOffsets().size())
    return std::nullopt;
  if (!compare(one.getMixedOffsets(), two.getMixedOffsets()) ||
      !compare(one.getMixedSizes(), two.getMixedSizes()) ||
      !compare(one.getMixedStrides(), two.getMixedStrides()))
    return false;
  return areSame ? std::optional<bool>(true) : std::nullopt;
}

static std::optional<bool> haveSameNumbers(Operation *op,
                                           SubsetOpInterface candidate) {
  auto one = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  auto two = dyn_cast<OffsetSizeAndStrideOpInterface>(candidate.getOperation());
  return one && two ? haveSameNumbers(one, two) : std::nullopt;
}

namespace {
using Equivalence = function_ref<bool(Value, Value)>;

template <typename OpT>
struct SliceModel : SubsetOpInterface::ExternalModel<SliceModel<OpT>, OpT> {
  bool operatesOnEquivalentSubset(Operation *op, SubsetOpInterface candidate,
                                  Equivalence areEquivalent) const {
    std::optional<bool> areSame = haveSameNumbers(op, candidate);
    if (!areSame)
      return detail::defaultOperatesOnEquivalentSubset(op, candidate,
                                                       areEquivalent);
    return *areSame && areEquivalent(detail::getTensorContainer(op),
                                     detail::getTensorContainer(candidate));
  }

  bool operatesOnDisjointSubset(Operation *op, SubsetOpInterface candidate,
                                Equivalence areEquivalent) const {
    if (haveSameNumbers(op, candidate).value_or(false))
      return false;
    return detail::defaultOperatesOnDisjointSubset(op, candidate,
                                                   areEquivalent);
  }

  FailureOr<HyperrectangularSlice>
  getAccessedHyperrectangularSlice(Operation *op) const {
    return HyperrectangularSlice(cast<OffsetSizeAndStrideOpInterface>(op));
  }
};
} // namespace

void flywheel::registerSliceSubsets(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<SliceModel<tensor::ExtractSliceOp>>(
        *context);
    tensor::InsertSliceOp::attachInterface<SliceModel<tensor::InsertSliceOp>>(
        *context);
    tensor::ParallelInsertSliceOp::attachInterface<
        SliceModel<tensor::ParallelInsertSliceOp>>(*context);
  });
}
