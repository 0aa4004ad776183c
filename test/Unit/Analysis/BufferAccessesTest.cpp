//===- BufferAccessesTest.cpp - Who touches which memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/BufferAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace flywheel;

namespace {

class BufferAccessesTest : public testing::Test {
protected:
  BufferAccessesTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, memref::MemRefDialect,
                        scf::SCFDialect>();
    context.allowUnregisteredDialects();
  }

  /// Parses the body of a function of two buffers, `%a` and `%b`, a condition
  /// and two numbers. Ops have names by their attribute `is`.
  void parse(StringRef body) {
    std::string text =
        ("func.func private @unknown(memref<8xf32>) -> memref<8xf32>\n"
         "func.func private @make() -> memref<8xf32>\n"
         "func.func private @report(index)\n"
         "func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %c: i1, %m: "
         "index, %n: index) {\n" +
         body + "\nreturn }")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    function = module->lookupSymbol<func::FuncOp>("f");
  }

  Operation *get(StringRef name) {
    Operation *found = nullptr;
    function.walk([&](Operation *op) {
      auto is = op->getAttrOfType<StringAttr>("is");
      if (is && is.getValue() == name)
        found = op;
    });
    EXPECT_NE(found, nullptr) << name.str();
    return found;
  }
  Value value(StringRef name) { return get(name)->getResult(0); }
  Value a() { return function.getArgument(0); }
  Value b() { return function.getArgument(1); }

  /// Checks that `buffer` may be all of `roots`, and nothing else.
  void expectRoots(Value buffer, ArrayRef<Value> roots, bool isKnown = true,
                   Iterations iterations = Iterations::All) {
    BufferRoots found = findRoots(buffer, iterations);
    EXPECT_EQ(found.isKnown, isKnown);
    EXPECT_EQ(found.roots.size(), roots.size());
    for (Value root : roots)
      EXPECT_TRUE(found.roots.contains(root));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

TEST_F(BufferAccessesTest, FollowsViewsAndSelections) {
  parse(R"(
    %0 = memref.subview %a[%m] [4] [1] {is = "part"}
      : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    %1 = arith.select %c, %a, %b {is = "either"} : memref<8xf32>
    %2 = memref.expand_shape %1 [[0, 1]] output_shape [2, 4] {is = "reshaped"}
      : memref<8xf32> into memref<2x4xf32>
    %3 = memref.alloc() {is = "own"} : memref<8xf32>)");
  expectRoots(a(), {a()});
  expectRoots(value("part"), {a()});
  expectRoots(value("reshaped"), {a(), b()});
  expectRoots(value("own"), {value("own")});
  EXPECT_TRUE(mayOverlap(value("part"), value("reshaped")));
  EXPECT_FALSE(mayOverlap(value("part"), b()));
  EXPECT_FALSE(mayOverlap(value("own"), value("reshaped")));
  EXPECT_EQ(getViewed(value("reshaped")), value("either"));
  EXPECT_EQ(getViewed<memref::SubViewOp>(value("reshaped")), value("reshaped"));
}

TEST_F(BufferAccessesTest, FollowsBranchesAndLoops) {
  parse(R"(
    %0 = memref.alloc() {is = "own"} : memref<8xf32>
    %1 = scf.if %c -> memref<8xf32> { scf.yield %a : memref<8xf32> }
      else { scf.yield %0 : memref<8xf32> } {is = "branch"}
    %2 = scf.for %i = %m to %n step %n iter_args(%x = %a) -> memref<8xf32> {
      %p = memref.cast %x {is = "carried"} : memref<8xf32> to memref<?xf32>
      scf.yield %b : memref<8xf32>
    } {is = "loop"})");
  expectRoots(value("branch"), {a(), value("own")});
  expectRoots(value("carried"), {a(), b()});
  expectRoots(value("carried"), {a()}, true, Iterations::First);
  expectRoots(value("loop"), {a(), b()});
  expectRoots(value("loop"), {a()}, true, Iterations::First);
}

TEST_F(BufferAccessesTest, SaysWhatItDoesNotKnow) {
  parse(R"(
    %0 = func.call @unknown(%a) {is = "unknown"}
      : (memref<8xf32>) -> memref<8xf32>
    %1 = func.call @make() {is = "made"} : () -> memref<8xf32>
    %2 = arith.select %c, %0, %b {is = "either"} : memref<8xf32>
    "test.op"(%m) ({ ^bb0(%x: memref<8xf32>):
      %y = memref.cast %x {is = "inner"} : memref<8xf32> to memref<?xf32>
      "test.end"() : () -> () }) : (index) -> ())");
  expectRoots(value("unknown"), {a()}, false);
  expectRoots(value("inner"), {}, false);
  expectRoots(value("either"), {a(), b()}, false);
  expectRoots(value("made"), {value("made")});
  EXPECT_TRUE(mayOverlap(value("unknown"), value("made")));
  EXPECT_FALSE(mayOverlap(value("made"), a()));
}

TEST_F(BufferAccessesTest, ComparesBytesOfOneBuffer) {
  parse(R"(
    %zero = arith.constant 0 : index
    %half = arith.constant 16 : index
    %0 = memref.alloc() : memref<64xi8>
    %1 = memref.view %0[%zero][] {is = "first"} : memref<64xi8> to memref<4xf32>
    %2 = memref.view %0[%half][] {is = "second"} : memref<64xi8> to memref<4xf32>
    %3 = memref.view %0[%zero][] {is = "both"} : memref<64xi8> to memref<8xf32>
    %4 = memref.view %0[%half][%n] {is = "any"} : memref<64xi8> to memref<?xf32>
    %5 = memref.subview %1[1] [2] [1] {is = "part"}
      : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>)");
  EXPECT_FALSE(mayOverlap(value("first"), value("second")));
  EXPECT_FALSE(mayOverlap(value("part"), value("second")));
  EXPECT_TRUE(mayOverlap(value("part"), value("first")));
  EXPECT_TRUE(mayOverlap(value("both"), value("second")));
  EXPECT_TRUE(mayOverlap(value("any"), value("first")));
}

TEST_F(BufferAccessesTest, ReadsStructuredOps) {
  parse(R"(
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>,
                                     affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
      attrs = {is = "sum"} {
      ^bb0(%x: f32, %y: f32):
        %0 = arith.addf %x, %y : f32
        linalg.yield %0 : f32
    }
    memref.copy %a, %b {is = "copy"} : memref<8xf32> to memref<8xf32>)");
  SmallVector<BufferAccess> accesses = getAccesses(get("sum"));
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].buffer, a());
  EXPECT_TRUE(accesses[0].isRead && !accesses[0].isWritten);
  EXPECT_EQ(accesses[0].getMap().getResult(0), getAffineDimExpr(1, &context));
  EXPECT_EQ(accesses[1].buffer, b());
  EXPECT_TRUE(accesses[1].isRead && accesses[1].isWritten);
  EXPECT_EQ(accesses[1].getMap().getResult(0), getAffineDimExpr(0, &context));
  accesses = getAccesses(get("copy"));
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_TRUE(accesses[0].isRead && !accesses[0].isWritten);
  EXPECT_TRUE(!accesses[1].isRead && accesses[1].isWritten);
  EXPECT_FALSE(accesses[1].getMap());
}

TEST_F(BufferAccessesTest, ReadsWhatIsInside) {
  parse(R"(
    scf.for %i = %m to %n step %n {
      %0 = memref.alloc() : memref<8xf32>
      %1 = memref.load %a[%i] : memref<8xf32>
      memref.store %1, %0[%i] : memref<8xf32>
    } {is = "loop"}
    scf.for %i = %m to %n step %n {
      func.call @report(%i) : (index) -> ()
    } {is = "reporting"}
    %2 = func.call @unknown(%b) {is = "unknown"}
      : (memref<8xf32>) -> memref<8xf32>
    %3 = memref.alloc() : memref<8xf32>
    memref.dealloc %3 {is = "free"} : memref<8xf32>)");
  EXPECT_TRUE(getAccesses(get("loop")).empty());
  SmallVector<BufferAccess> accesses = getAccessesWithin(get("loop"));
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_TRUE(isa<memref::LoadOp>(accesses[0].op));
  EXPECT_TRUE(isa<memref::StoreOp>(accesses[1].op));
  EXPECT_TRUE(mayRead(get("loop"), a()));
  EXPECT_FALSE(mayWrite(get("loop"), a()));
  EXPECT_FALSE(mayRead(get("loop"), b()));
  // The effects of a call without buffers are not known, but not on buffers.
  accesses = getAccessesWithin(get("reporting"));
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_FALSE(accesses[0].buffer);
  EXPECT_FALSE(mayWrite(get("reporting"), a()));
  // One that has a buffer may do anything.
  accesses = getAccesses(get("unknown"));
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].buffer, b());
  EXPECT_TRUE(accesses[0].isRead && accesses[0].isWritten);
  EXPECT_FALSE(accesses[1].buffer);
  EXPECT_TRUE(mayWrite(get("unknown"), a()));
  EXPECT_TRUE(mayWrite(get("free"), a()));
}

} // namespace
