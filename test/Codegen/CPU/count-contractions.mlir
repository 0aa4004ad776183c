// RUN: flywheel-opt %s --flywheel-count-contractions | FileCheck %s

// T33: products, of which one is in a loop; sums of squares are not a contraction.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: attributes {codegen.contractions = 2 : i64}
// EXAMPLE: --flywheel-count-contractions
func.func @step(%a: tensor<64x32xf32>, %b: tensor<32x32xf32>, %c: tensor<64x32xf32>, %s: tensor<64xf32>) -> (tensor<64x32xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x32xf32>) outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %0) -> tensor<64x32xf32> {
    %y = linalg.matmul ins(%x, %b : tensor<64x32xf32>, tensor<32x32xf32>) outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
    scf.yield %y : tensor<64x32xf32>
  }
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%1 : tensor<64x32xf32>) outs(%s : tensor<64xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %more = arith.addf %sum, %square : f32
    linalg.yield %more : f32
  } -> tensor<64xf32>
  return %1, %2 : tensor<64x32xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @none(
// CHECK-NOT: codegen.contractions
func.func @none(%a: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.exp %a : tensor<64xf32>
  return %0 : tensor<64xf32>
}
