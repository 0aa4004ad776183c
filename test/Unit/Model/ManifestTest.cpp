//===- ManifestTest.cpp - The description of a model ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"
#include "flywheel/Model/CNames.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/Support/raw_ostream.h"

using namespace flywheel;
using flywheel::test::AdderTest;

namespace {

TEST_F(AdderTest, ManifestRoundTrips) {
  Manifest manifest = program->getManifest();
  mlir::OwningOpRef<mlir::ModuleOp> empty =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  manifest.attachTo(*empty);
  EXPECT_EQ((*empty)->getAttr("train.manifest"),
            (*module)->getAttr("train.manifest"));
}

TEST_F(AdderTest, WorkspaceBytes) {
  const ManifestEntry *entry = program->getManifest().lookupEntry("step");
  // One slot holds the larger of 16 * batch and 8 bytes.
  EXPECT_EQ(entry->getWorkspaceBytes({0}).get(), 64);
  EXPECT_EQ(entry->getWorkspaceBytes({4}).get(), 64);
  EXPECT_EQ(entry->getWorkspaceBytes({5}).get(), 128);
  EXPECT_EQ(getCStateBytes(program->getManifest(), 16).get(), 768 + 256);
}

TEST(WorkspaceMap, EvaluatesEveryKindOfExpression) {
  mlir::MLIRContext context;
  mlir::AffineExpr a = mlir::getAffineSymbolExpr(0, &context);
  mlir::AffineExpr b = mlir::getAffineSymbolExpr(1, &context);
  auto evaluate = [&](mlir::AffineExpr expr) {
    return evaluateSize(expr, {7, 3}).getSaturated();
  };
  EXPECT_EQ(evaluate(a * 4 + b), 31);
  EXPECT_EQ(evaluate(a * b), 21);
  EXPECT_EQ(evaluate((a + 1) % 5), 3);
  EXPECT_EQ(evaluate(a.floorDiv(2)), 3);
  EXPECT_EQ(evaluate(a.ceilDiv(2)), 4);
}

TEST(WorkspaceMap, FindsTheLargestOfDifferences) {
  mlir::MLIRContext context;
  mlir::AffineExpr a = mlir::getAffineSymbolExpr(0, &context);
  mlir::AffineExpr b = mlir::getAffineSymbolExpr(1, &context);
  auto evaluate = [&](mlir::AffineExpr expr) {
    return evaluateLargestSize(expr, {7, 3}).getSaturated();
  };
  EXPECT_EQ(evaluate(a * 4 + b), 31);
  EXPECT_EQ(evaluate(a - b), 7);
  EXPECT_EQ(evaluate(b - a), 3);
  EXPECT_EQ(evaluate(b * 2 - a - 7), 0);
  EXPECT_EQ(evaluate((a - b) * (b - a + 1)), 28);
  EXPECT_EQ(evaluate((a - 10) * (b - 4)), 40);
  EXPECT_EQ(evaluate((a - b) % 5), 4);
  EXPECT_EQ(evaluate(7 - a.floorDiv(2)), 7);
  EXPECT_EQ(evaluate((b - a).ceilDiv(2)), 2);
  EXPECT_EQ(evaluate(9 - (b + 7).floorDiv(4)), 8);
  EXPECT_TRUE(isNeverNegative(a * b + a.floorDiv(2) * 3, 2));
  EXPECT_TRUE(isNeverNegative((a - b) % 5, 2));
  EXPECT_FALSE(isNeverNegative(a - b, 2));
  EXPECT_FALSE(isNeverNegative((a - 1) * b, 2));
}

TEST(WorkspaceMap, KnowsWhatIsTooLarge) {
  mlir::MLIRContext context;
  mlir::AffineExpr a = mlir::getAffineSymbolExpr(0, &context);
  mlir::AffineExpr b = mlir::getAffineSymbolExpr(1, &context);
  auto evaluate = [&](mlir::AffineExpr expr) {
    return evaluateSize(expr, {int64_t{1} << 42, 3});
  };
  EXPECT_EQ(evaluate(a * 4).get(), int64_t{1} << 44);
  EXPECT_EQ(evaluate(a * 16384).get(), kMaxSize);
  EXPECT_TRUE(evaluate(a * 16385).isTooLarge());
  // 0 and 64 modulo 2^64.
  EXPECT_TRUE(evaluate(a * a * 4).isTooLarge());
  EXPECT_TRUE(evaluate(a * a * 4 + 64).isTooLarge());
  EXPECT_TRUE(evaluate((a * a).floorDiv(b)).isTooLarge());
  // There is nothing of what is too large; sizes are not negative.
  EXPECT_EQ(evaluate(a * a * (b - 3)).get(), 0);
  EXPECT_EQ(evaluate(a * -1).get(), 0);
  EXPECT_TRUE(evaluate(a * a * -1).isTooLarge());
}

TEST(CheckedSize, Saturates) {
  CheckedSize large = kMaxSize;
  EXPECT_EQ(large.get(), kMaxSize);
  EXPECT_TRUE((large + 1).isTooLarge());
  EXPECT_TRUE((large * large + large).isTooLarge());
  EXPECT_TRUE(CheckedSize(INT64_MAX).isTooLarge());
  EXPECT_EQ((large * large * 0).get(), 0);
  EXPECT_EQ(CheckedSize(65).alignTo(64).get(), 128);
  EXPECT_EQ(CheckedSize(kMaxSize - 1).alignTo(64).get(), kMaxSize);
  EXPECT_EQ((large + 1).getSaturated(), kMaxSize + 1);
}

TEST_F(AdderTest, LayoutHashDependsOnTheLayoutOnly) {
  std::vector<ManifestVariable> variables = program->getManifest().variables;
  uint64_t hash = computeLayoutHash(variables);
  variables[0].trainable = false;
  EXPECT_EQ(computeLayoutHash(variables), hash);
  variables[0].offset += 64;
  EXPECT_NE(computeLayoutHash(variables), hash);
}

TEST_F(AdderTest, JSON) {
  llvm::json::Value json = program->getManifest().toJSON(/*maxDimSize=*/16);
  llvm::json::Object *root = json.getAsObject();
  ASSERT_TRUE(root);
  EXPECT_EQ(root->getString("model"), "adder");
  EXPECT_EQ(root->getInteger("c_state_bytes"), 1024);
  llvm::json::Object *step = (*root->getArray("entries"))[1].getAsObject();
  EXPECT_EQ(step->getString("symbol"), "adder_step");
  EXPECT_EQ((*step->getArray("feeds"))[0],
            llvm::json::Value(
                llvm::json::Object{{"name", "x"},
                                   {"dtype", "float32"},
                                   {"shape", llvm::json::Array{"batch", 4}}}));
}

TEST(CIdentifier, OfAnyName) {
  EXPECT_EQ(toCIdentifier("W/Adam.m"), "W_Adam_m");
  EXPECT_EQ(toCIdentifier("3d"), "model_3d");
  EXPECT_EQ(toCIdentifier("for"), "model_for");
  EXPECT_EQ(toCIdentifier(""), "model_");
}

} // namespace
