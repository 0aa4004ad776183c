// RUN: flywheel-opt %s --flywheel-profile-step --mlir-print-local-scope | FileCheck %s

// F7: the loops over tiles of a fused group are one kernel, with the loop over the last
// tiles; a fill belongs to what it is for; the loop of the program is looked into. A copy
// moves bytes, and is of the phase of what comes before it.
#map = affine_map<(i) -> (i)>
module attributes {train.manifest = {
    model = "m", layout_hash = 1, state_bytes = 640 : i64, variables = [], messages = [], entries = [
      {name = "step", feeds = [{name = "x", type = tensor<?xf32>, symbols = array<i64: 0>}], results = [],
       symbols = ["n"], reads = array<i64>, writes = array<i64>, workspace = [], checks = array<i64>}]}} {
// CHECK: train.manifest = {entries = [{
// CHECK-SAME: kernels = [{bytes = affine_map<()[s0] -> (s0 * 8)>, flops = affine_map<()[s0] -> (s0 * 3)>, iterations = affine_map<()[s0] -> (s0)>, name = "step.exp_grad.0", phase = "backward", sources = ["math.exp at m.mlir:3:4", "arith.addf at m.mlir:4:4"]},
// CHECK-SAME: {bytes = affine_map<()[s0] -> (s0 * 8)>, flops = affine_map<()[s0] -> (0)>, iterations = affine_map<()[s0] -> (s0)>, name = "step.copy.1", phase = "backward", sources = ["memref.copy at
// CHECK-SAME: profile = {events = 1024 : i64, kernels = 2 : i64, offset = 640 : i64, workers = 1 : i64}
// CHECK-SAME: state_bytes = 25280 : i64
// CHECK-LABEL: func.func @step.kernel(
// CHECK-SAME: %[[STATE:[a-z0-9]*]]: memref<?xi8>
// CHECK-NOT: codegen.work
// CHECK: %[[START:.*]] = codegen.profile_begin : i64
// CHECK-NEXT: linalg.fill
// CHECK: scf.for
// CHECK-COUNT-2: linalg.yield
// CHECK: scf.for
// CHECK: linalg.yield
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: codegen.profile_end 0 from %[[START]] in %[[STATE]] : memref<?xi8>
// CHECK: scf.for
// CHECK-NEXT: %[[AGAIN:.*]] = codegen.profile_begin : i64
// CHECK-NEXT: memref.copy
// CHECK-NEXT: codegen.profile_end 1 from %[[AGAIN]] in %[[STATE]] : memref<?xi8>
func.func @step.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>, %x: memref<?xf32>) -> i32
    attributes {codegen.work_table = [[
      {what = "exp_grad", sources = ["math.exp at m.mlir:3:4"], phase = "backward", contraction = false,
       iterations = affine_map<()[s0] -> (s0)>, flops = affine_map<()[s0] -> (s0 * 2)>,
       bytes = affine_map<()[s0] -> (s0 * 8)>, reads = array<i64: 0>, writes = array<i64: 1>},
      {what = "addf", sources = ["arith.addf at m.mlir:4:4"], phase = "backward", contraction = false,
       iterations = affine_map<()[s0] -> (s0)>, flops = affine_map<()[s0] -> (s0)>,
       bytes = affine_map<()[s0] -> (s0 * 8)>, reads = array<i64: 1>, writes = array<i64: 2>}],
      [{bytes = affine_map<()[s0] -> (s0 * 4)>, users = array<i64: 0>},
       {bytes = affine_map<()[s0] -> (s0 * 4)>, users = array<i64: 1>},
       {bytes = affine_map<()[s0] -> (s0 * 4)>, users = array<i64: -1>}]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%x : memref<?xf32>)
  scf.for %i = %c0 to %c8 step %c8 {
    %tile = memref.subview %x[%i] [8] [1] : memref<?xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
        outs(%tile : memref<8xf32, strided<[1], offset: ?>>) attrs = {codegen.work = 0 : i64} {
    ^bb0(%a: f32):
      linalg.yield %a : f32
    }
    linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
        outs(%tile : memref<8xf32, strided<[1], offset: ?>>) attrs = {codegen.work = 1 : i64} {
    ^bb0(%a: f32):
      linalg.yield %a : f32
    }
  }
  %rest = arith.subi %n, %c8 : index
  scf.for %i = %c8 to %n step %c8 {
    %tile = memref.subview %x[%i] [%rest] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
        outs(%tile : memref<?xf32, strided<[1], offset: ?>>) attrs = {codegen.work = 1 : i64} {
    ^bb0(%a: f32):
      linalg.yield %a : f32
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %x, %x : memref<?xf32> to memref<?xf32>
  } loc("flywheel.loop"("m.mlir":7:3))
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}
