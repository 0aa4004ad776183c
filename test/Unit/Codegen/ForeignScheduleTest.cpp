//===- ForeignScheduleTest.cpp - Schedules of another dialect -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any attribute can implement the interface of schedules. No kernels of ours
// compute what a foreign one says, which is an error or a warning.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CPU/CPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace flywheel;

namespace {

/// Strings are schedules: "tiled" has a level of tiles, others have none.
struct StringSchedule
    : codegen::ScheduleAttrInterface::ExternalModel<StringSchedule,
                                                    StringAttr> {
  static LogicalResult verifySchedule(Attribute, Operation *) {
    return success();
  }
  static ArrayRef<DenseI64ArrayAttr> getTiles(Attribute schedule) {
    if (cast<StringAttr>(schedule).getValue() != "tiled")
      return {};
    // Created again for each test, which has a context of its own.
    static DenseI64ArrayAttr tiles;
    tiles = DenseI64ArrayAttr::get(schedule.getContext(), {4, 4, 0});
    return tiles;
  }
};

class ForeignScheduleTest : public testing::Test {
protected:
  ForeignScheduleTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, memref::MemRefDialect,
                        codegen::CodegenDialect>();
    StringAttr::attachInterface<StringSchedule>(context);
  }

  /// Returns the diagnostics of `pass` on a product with schedule `name`, on
  /// values of `kind`; the module is left in `module`.
  std::string run(std::unique_ptr<Pass> pass, StringRef name, StringRef kind) {
    std::string type = (kind + "<8x8xf32>").str();
    bool isTensor = kind == "tensor";
    std::string text =
        "module attributes {codegen.target = #codegen.cpu<vector_bits = 512, "
        "vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = "
        "1, features = []>} { func.func @f(%a: " +
        type + ") " + (isTensor ? "-> " + type : "") + " { " +
        (isTensor ? "%0 = " : "") + "linalg.matmul {codegen.schedule = \"" +
        name.str() + "\"} ins(%a, %a : " + type + ", " + type +
        ") outs(%a : " + type + ") " +
        (isTensor ? "-> " + type + " return %0 : " + type : "return") + " } }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    std::string said;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str();
      return success();
    });
    PassManager passes(&context);
    passes.addNestedPass<func::FuncOp>(std::move(pass));
    isAccepted = succeeded(passes.run(*module));
    return said;
  }

  codegen::ScheduleAttrInterface getSchedule() {
    codegen::ScheduleAttrInterface schedule;
    module->walk(
        [&](linalg::MatmulOp op) { schedule = codegen::getSchedule(op); });
    return schedule;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  bool isAccepted = false;
};

TEST_F(ForeignScheduleTest, GivesWayToOneOfOurs) {
  EXPECT_EQ(run(createChooseSchedules(), "mine", "memref"),
            "another schedule is chosen for 'linalg.matmul', as \"mine\" does "
            "not fit: expected a schedule of a family of kernels, such as "
            "#codegen.loops");
  EXPECT_TRUE(isAccepted);
  EXPECT_TRUE(isa<codegen::FMAAttr>(getSchedule()));
}

TEST_F(ForeignScheduleTest, IsNotTiled) {
  EXPECT_EQ(run(createTileAndFuse(), "tiled", "tensor"),
            "'linalg.matmul' op cannot have the schedule \"tiled\": expected "
            "#codegen.fma<...> for an op with tiles");
  EXPECT_FALSE(isAccepted);
}

TEST_F(ForeignScheduleTest, WithoutTilesIsKeptOnTensors) {
  EXPECT_EQ(run(createTileAndFuse(), "mine", "tensor"), "");
  EXPECT_TRUE(isAccepted);
  EXPECT_TRUE(isa<StringAttr>(getSchedule()));
}

TEST_F(ForeignScheduleTest, HasNoKernel) {
  EXPECT_EQ(run(createVectorizeKernels(), "mine", "memref"),
            "'linalg.matmul' op cannot have the schedule \"mine\": expected a "
            "schedule of a family of kernels, such as #codegen.loops");
  EXPECT_FALSE(isAccepted);
}

} // namespace
