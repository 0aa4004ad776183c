//===- Rules.cpp - The table of batching rules ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Batching/BatchingRules.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/BatchableOpInterface.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {

static void attach(ArrayRef<BatchingRule> rules, MLIRContext *context) {
  for (const BatchingRule &rule : rules)
    rule.attach(context);
}

void registerBatchingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attach(getLinalgBatchingRules(), context);
  });
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attach(getSCFBatchingRules(), context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach(getTensorBatchingRules(), context);
  });
  registry.addExtension(+[](MLIRContext *context, train::TrainDialect *) {
    attach(getTrainBatchingRules(), context);
  });
}

bool hasBatchingRule(OperationName name) {
  return name.hasInterface<BatchableOpInterface>() ||
         name.hasInterface<CompositeOpInterface>() ||
         (name.hasTrait<OpTrait::Elementwise>() &&
          name.hasTrait<OpTrait::Tensorizable>());
}

} // namespace flywheel
