//===- TestModel.h - A small model for the tests ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model `adder` has two variables, `w : 4xf32` and `steps : i64`, and
//
//   init(seed, run)   w = seed * 100 + run, steps = 0
//   step(x: ?x4, y: ?x4) -> total: f32, doubled: ?x4
//                     w += the column sums of x * y, steps += 1; total is the
//                     sum of the new w, doubled is 2 * x, by way of the
//                     workspace. Fails when x[0, 0] < 0.
//   set(v: 4)         w = v
//
// Its kernels are written with memrefs and scf and lowered to the LLVM dialect
// as the compiler does it.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_UNIT_TESTMODEL_H
#define FLYWHEEL_TEST_UNIT_TESTMODEL_H

#include "flywheel/Session/Session.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

#include <memory>

namespace flywheel::test {

/// The bound of dimension sizes in the C interface of the model.
constexpr int64_t kMaxDimSize = 16;

/// Owns the context, the module with entry points, and the program.
class AdderTest : public ::testing::Test {
protected:
  void SetUp() override;

  std::unique_ptr<Session> makeSession();
  /// Feeds ones of that many rows as x and `y` times ones as y; `total` and
  /// `doubled` receive the results.
  runtime::Status step(Session &session, int64_t rows, float y = 1.0f);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::shared_ptr<const Program> program;
  float total = 0.0f;
  std::vector<float> doubled;
};

/// Parses a module and brings it to the LLVM dialect with entry points.
mlir::OwningOpRef<mlir::ModuleOp> lowerToEntryPoints(mlir::MLIRContext &context,
                                                     llvm::StringRef text);

/// The text of the model.
llvm::StringRef getAdderText();

} // namespace flywheel::test

#endif // FLYWHEEL_TEST_UNIT_TESTMODEL_H
