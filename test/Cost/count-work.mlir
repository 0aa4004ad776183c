// RUN: flywheel-opt %s --flywheel-count-work --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// F7: each structured op has a number, which its tiles will keep, and the function
// says what it takes: iterations, operations and bytes over the dimension sizes of the entry.
// A size that no feed has gives no number.

// CHECK-LABEL: func.func @step(
// CHECK: attributes {codegen.work_table = {{\[\[}}
// CHECK-SAME: {bytes = affine_map<()[s0] -> (s0 * 64 + 96)>, contraction = true,
// CHECK-SAME: flops = affine_map<()[s0] -> (s0 * 48)>, iterations = affine_map<()[s0] -> (s0 * 24)>,
// CHECK-SAME: phase = "forward", reads = array<i64: 0, 1, 2>, sources = ["linalg.matmul at {{.*}}count-work.mlir:[[#@LINE+16]]:8"], what = "matmul", writes = array<i64: 3>}
// CHECK-SAME: contraction = false,
// CHECK-SAME: phase = "backward"
// CHECK-SAME: what = "tanh_grad"
// CHECK-SAME: {{\[}}{bytes = affine_map<()[s0] -> (s0 * 16)>, users = array<i64: -1, 0>},
// CHECK-SAME: {bytes = affine_map<()[s0] -> (s0 * 24)>, users = array<i64: -1, 1>}
// CHECK: linalg.matmul {codegen.work = 0 : i64}
// CHECK: linalg.generic {{.*}} attrs = {codegen.work = 1 : i64}
// A loop of the program is marked; loops over tiles will not be.
// CHECK: } loc("flywheel.loop"(
func.func @step(%x: tensor<?x4xf32> {train.name = "x", train.dim_sizes = array<i64: 0, -1>}, %w: tensor<4x6xf32>, %n: index)
    -> (tensor<?x6xf32>, tensor<?x6xf32>) attributes {train.symbols = ["batch"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x4xf32>
  %init = tensor.empty(%batch) : tensor<?x6xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x6xf32>) outs(%init : tensor<?x6xf32>) -> tensor<?x6xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x6xf32>) outs(%init : tensor<?x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = math.tanh %a : f32
    linalg.yield %b : f32
  } -> tensor<?x6xf32> loc("flywheel.backward"(fused<"math.tanh">["m.mlir":3:4]))
  scf.for %i = %c0 to %n step %c1 {
  }
  return %y, %g : tensor<?x6xf32>, tensor<?x6xf32>
}
