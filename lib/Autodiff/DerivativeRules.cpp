//===- DerivativeRules.cpp - The table of derivative rules ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/DerivativeRules.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {

static void attach(ArrayRef<DerivativeRule> rules, MLIRContext *context) {
  for (const DerivativeRule &rule : rules)
    rule.attach(context);
}

void registerDerivativeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach(getArithRules(), context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attach(getMathRules(), context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach(getTensorRules(), context);
  });
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attach(getLinalgRules(), context);
  });
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attach(getSCFRules(), context);
  });
  registry.addExtension(+[](MLIRContext *context, train::TrainDialect *) {
    attach(getTrainRules(), context);
  });
}

SmallVector<OperationName> getDerivativeRules(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                      math::MathDialect, nn::NNDialect, scf::SCFDialect,
                      tensor::TensorDialect, train::TrainDialect>();
  SmallVector<OperationName> rules;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<DifferentiableOpInterface>() ||
        name.hasInterface<CompositeOpInterface>())
      rules.push_back(name);
  llvm::sort(rules, [](OperationName a, OperationName b) {
    return a.getStringRef() < b.getStringRef();
  });
  return rules;
}

} // namespace flywheel
