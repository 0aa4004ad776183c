//===- TestModel.cpp - A small model for the tests ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using flywheel::runtime::DType;
using flywheel::runtime::Result;
using flywheel::runtime::Status;

namespace flywheel::test {

static constexpr StringLiteral kAdder = R"mlir(
module attributes {train.manifest = {
  model = "adder", layout_hash = 4711 : i64, state_bytes = 768 : i64,
  variables = [
    {name = "w", type = tensor<4xf32>, offset = 640 : i64, bytes = 16 : i64,
     trainable = true},
    {name = "steps", type = tensor<i64>, offset = 704 : i64, bytes = 8 : i64,
     trainable = false}],
  entries = [
    {name = "init",
     feeds = [{name = "seed", type = tensor<i64>, symbols = array<i64>},
              {name = "runs", type = tensor<2xi64>, symbols = array<i64: -1>},
              {name = "select", type = tensor<2xi1>, symbols = array<i64: -1>}],
     results = [], symbols = [], reads = array<i64>, writes = array<i64: 0, 1>,
     workspace = [], checks = array<i64>},
    {name = "step",
     feeds = [{name = "x", type = tensor<?x4xf32>, symbols = array<i64: 0, -1>},
              {name = "y", type = tensor<?x4xf32>, symbols = array<i64: 0, -1>}],
     results = [{name = "total", type = tensor<f32>, symbols = array<i64>},
                {name = "doubled", type = tensor<?x4xf32>,
                 symbols = array<i64: 0, -1>}],
     symbols = ["batch"], reads = array<i64: 0, 1>, writes = array<i64: 0, 1>,
     workspace = [[affine_map<()[s0] -> (s0 * 16)>, affine_map<() -> (8)>]],
     checks = array<i64: 0>},
    {name = "set",
     feeds = [{name = "v", type = tensor<4xf32>, symbols = array<i64: -1>}],
     results = [], symbols = [], reads = array<i64>, writes = array<i64: 0>,
     workspace = [], checks = array<i64>}],
  messages = [{kind = "check", text = "x[0, 0] must not be negative"}]
}} {
  func.func @init.kernel(%state: memref<?xi8>, %ws: memref<?xi8>,
                         %seed: memref<i64>, %runs: memref<2xi64>,
                         %select: memref<2xi1>) -> i32 {
    %o_w = arith.constant 640 : index
    %o_s = arith.constant 704 : index
    %w = memref.view %state[%o_w][] : memref<?xi8> to memref<4xf32>
    %steps = memref.view %state[%o_s][] : memref<?xi8> to memref<i64>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %4 = arith.constant 4 : index
    %100 = arith.constant 100 : i64
    %zero = arith.constant 0 : i64
    %a = memref.load %seed[] : memref<i64>
    %b = memref.load %runs[%0] : memref<2xi64>
    %c = arith.muli %a, %100 : i64
    %d = arith.addi %c, %b : i64
    %e = arith.sitofp %d : i64 to f32
    %is_w = memref.load %select[%0] : memref<2xi1>
    scf.if %is_w {
      scf.for %i = %0 to %4 step %1 {
        memref.store %e, %w[%i] : memref<4xf32>
      }
    }
    %is_steps = memref.load %select[%1] : memref<2xi1>
    scf.if %is_steps {
      memref.store %zero, %steps[] : memref<i64>
    }
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
  func.func @step.kernel(%state: memref<?xi8>, %ws: memref<?xi8>,
                         %x: memref<?x4xf32>, %y: memref<?x4xf32>,
                         %total: memref<f32>, %doubled: memref<?x4xf32>) -> i32 {
    %o_w = arith.constant 640 : index
    %o_s = arith.constant 704 : index
    %w = memref.view %state[%o_w][] : memref<?xi8> to memref<4xf32>
    %steps = memref.view %state[%o_s][] : memref<?xi8> to memref<i64>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %4 = arith.constant 4 : index
    %f0 = arith.constant 0.0 : f32
    %batch = memref.dim %x, %0 : memref<?x4xf32>
    %scratch = memref.view %ws[%0][%batch] : memref<?xi8> to memref<?x4xf32>
    %some = arith.cmpi sgt, %batch, %0 : index
    %negative = scf.if %some -> i1 {
      %first = memref.load %x[%0, %0] : memref<?x4xf32>
      %n = arith.cmpf olt, %first, %f0 : f32
      scf.yield %n : i1
    } else {
      %n = arith.constant false
      scf.yield %n : i1
    }
    %status = scf.if %negative -> i32 {
      %bad = arith.constant 1 : i32
      scf.yield %bad : i32
    } else {
      scf.for %i = %0 to %batch step %1 {
        scf.for %j = %0 to %4 step %1 {
          %a = memref.load %x[%i, %j] : memref<?x4xf32>
          %a2 = arith.addf %a, %a : f32
          memref.store %a2, %scratch[%i, %j] : memref<?x4xf32>
          %b = memref.load %y[%i, %j] : memref<?x4xf32>
          %c = memref.load %w[%j] : memref<4xf32>
          %d = arith.mulf %a, %b : f32
          %e = arith.addf %c, %d : f32
          memref.store %e, %w[%j] : memref<4xf32>
        }
      }
      scf.for %i = %0 to %batch step %1 {
        scf.for %j = %0 to %4 step %1 {
          %a = memref.load %scratch[%i, %j] : memref<?x4xf32>
          memref.store %a, %doubled[%i, %j] : memref<?x4xf32>
        }
      }
      %sum = scf.for %j = %0 to %4 step %1 iter_args(%acc = %f0) -> f32 {
        %c = memref.load %w[%j] : memref<4xf32>
        %next = arith.addf %acc, %c : f32
        scf.yield %next : f32
      }
      memref.store %sum, %total[] : memref<f32>
      %n = memref.load %steps[] : memref<i64>
      %one = arith.constant 1 : i64
      %m = arith.addi %n, %one : i64
      memref.store %m, %steps[] : memref<i64>
      %ok = arith.constant 0 : i32
      scf.yield %ok : i32
    }
    return %status : i32
  }
  func.func @set.kernel(%state: memref<?xi8>, %ws: memref<?xi8>,
                        %v: memref<4xf32>) -> i32 {
    %o_w = arith.constant 640 : index
    %w = memref.view %state[%o_w][] : memref<?xi8> to memref<4xf32>
    memref.copy %v, %w : memref<4xf32> to memref<4xf32>
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}
)mlir";

StringRef getAdderText() { return kAdder; }

OwningOpRef<ModuleOp> lowerToEntryPoints(MLIRContext &context, StringRef text) {
  static bool registered = [] {
    registerAllPasses();
    registerEntryPointsPasses();
    return true;
  }();
  (void)registered;
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  context.appendDialectRegistry(registry);
  context.allowUnregisteredDialects();

  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return {};
  PassManager passes(&context);
  std::string pipeline =
      "flywheel-emit-entry-points{max-dim-size=" + std::to_string(kMaxDimSize) +
      "}, expand-strided-metadata, convert-scf-to-cf, convert-vector-to-llvm, "
      "convert-arith-to-llvm, finalize-memref-to-llvm, convert-func-to-llvm, "
      "convert-openmp-to-llvm, convert-cf-to-llvm, "
      "reconcile-unrealized-casts, canonicalize, "
      "flywheel-export-entry-points{max-dim-size=" +
      std::to_string(kMaxDimSize) + "}";
  if (failed(parsePassPipeline(pipeline, passes)) ||
      failed(passes.run(*module)))
    return {};
  return module;
}

void AdderTest::SetUp() {
  module = lowerToEntryPoints(context, kAdder);
  ASSERT_TRUE(module);
  Result<std::shared_ptr<const Program>> made = Program::create(*module);
  ASSERT_TRUE(made.isOk()) << made.status().message();
  program = *made;
}

std::unique_ptr<Session> AdderTest::makeSession() {
  Result<std::unique_ptr<Session>> session = Session::create(program);
  EXPECT_TRUE(session.isOk()) << session.status().message();
  return std::move(*session);
}

Status AdderTest::step(Session &session, int64_t rows, float y) {
  std::vector<float> ones(rows * 4, 1.0f), ys(rows * 4, y);
  doubled.assign(rows * 4, -1.0f);
  int64_t shape[] = {rows, 4};
  return session.call(
      "step",
      {{DType::F32, shape, ones.data()}, {DType::F32, shape, ys.data()}},
      {{DType::F32, {}, &total}, {DType::F32, shape, doubled.data()}});
}

} // namespace flywheel::test
