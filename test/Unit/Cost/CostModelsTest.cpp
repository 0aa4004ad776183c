//===- CostModelsTest.cpp - Every op has a cost, or a reason --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// F1: an op without a cost counts 0 and is listed as unknown. No op of ours is
// to be that by oversight: this goes over all that are registered.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"
#include "flywheel/Interfaces/CostOpInterface.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace flywheel;

/// Ops that are not counted by a model of their own, and why that is right.
constexpr std::pair<StringLiteral, StringLiteral> kWithoutModel[] = {
    {"linalg_ext.compare_sizes", "compares sizes, of which no number is"},
    {"linalg_ext.check", "is an error, not a number"},
    {"train.apply_gradients", "is expanded before anything is counted"},
    {"train.average_variables", "is expanded before anything is counted"},
    {"train.clip_by_global_norm", "is expanded before anything is counted"},
    {"train.custom_vjp", "costs what is in it"},
    {"train.least_squares", "is expanded before anything is counted"},
    {"train.minimize", "is expanded before anything is counted"},
    {"train.moving_average", "is expanded before anything is counted"},
    {"train.normal_quantile",
     "is in bodies of draws, which cost a scale and a mean"},
    {"train.project", "costs what its constraint says"},
    {"train.schedule", "is expanded before anything is counted"},
    {"train.swap_averages", "is expanded before anything is counted"},
};

static bool hasModel(RegisteredOperationName op) {
  return op.hasInterface<CostOpInterface>() ||
         op.hasInterface<train::OptimizerUpdateOpInterface>() ||
         op.hasInterface<CompositeOpInterface>();
}

namespace {

class CostModels : public testing::Test {
protected:
  CostModels() : context(createContext()) {
    context->loadDialect<linalg_ext::LinalgExtDialect, nn::NNDialect,
                         train::TrainDialect>();
  }

  std::shared_ptr<MLIRContext> context;
};

TEST_F(CostModels, EveryOpHasOneOrAReason) {
  unsigned numSeen = 0;
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    if (!llvm::is_contained({"linalg_ext", "nn", "train"},
                            op.getDialectNamespace()))
      continue;
    ++numSeen;
    if (hasModel(op) || op.hasTrait<OpTrait::IsTerminator>())
      continue;
    EXPECT_TRUE(llvm::is_contained(llvm::make_first_range(kWithoutModel),
                                   op.getStringRef()))
        << "'" << op.getStringRef().str()
        << "' has no cost: give it one in its .td file or in "
           "lib/Cost/CostModels.cpp, or a reason here";
  }
  // Without loaded dialects, the loop above would check nothing.
  EXPECT_GT(numSeen, 100u);
}

TEST_F(CostModels, NoReasonIsStale) {
  for (auto [name, reason] : kWithoutModel) {
    auto op = RegisteredOperationName::lookup(name, context.get());
    ASSERT_TRUE(op) << "'" << name.str() << "' is no op";
    EXPECT_FALSE(hasModel(*op)) << "'" << name.str() << "' has a cost";
    EXPECT_FALSE(reason.empty()) << name.str();
  }
}

} // namespace
