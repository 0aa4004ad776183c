// RUN: flywheel-opt %s --flywheel-choose-schedules | FileCheck %s

// With 16 registers six rows of 16 columns are sums, and four would not keep the multipliers busy.
#few = #codegen.cpu<vector_bits = 256, vector_registers = 16, l1_bytes = 32768, l2_bytes = 524288, cores = 1, features = []>
module attributes {codegen.target = #few} {

// A tail is better than tiles of four rows, where there are many tiles. Rows of 512 bytes are far apart: B is packed.
// CHECK-LABEL: func.func @many_tiles(
// CHECK: registers = [6, 16], pack = true>
func.func @many_tiles(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @five_tiles(
// CHECK: registers = [6, 16]
func.func @five_tiles(%a: tensor<28x32xf32>, %b: tensor<32x128xf32>, %c: tensor<28x128xf32>) -> tensor<28x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<28x32xf32>, tensor<32x128xf32>) outs(%c : tensor<28x128xf32>) -> tensor<28x128xf32>
  return %0 : tensor<28x128xf32>
}

// Five rows divide these.
// CHECK-LABEL: func.func @five_rows(
// CHECK: registers = [5, 16]
func.func @five_rows(%a: tensor<40x32xf32>, %b: tensor<32x128xf32>, %c: tensor<40x128xf32>) -> tensor<40x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<40x32xf32>, tensor<32x128xf32>) outs(%c : tensor<40x128xf32>) -> tensor<40x128xf32>
  return %0 : tensor<40x128xf32>
}

// With few tiles, a tail would be a large part.
// CHECK-LABEL: func.func @few_tiles(
// CHECK: registers = [4, 16]
func.func @few_tiles(%a: tensor<16x32xf32>, %b: tensor<32x128xf32>, %c: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<16x32xf32>, tensor<32x128xf32>) outs(%c : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}

// Rows of less are read where they are.
// CHECK-LABEL: func.func @near(
// CHECK: registers = [6, 16]>
func.func @near(%a: tensor<64x32xf32>, %b: tensor<32x112xf32>, %c: tensor<64x112xf32>) -> tensor<64x112xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x112xf32>) outs(%c : tensor<64x112xf32>) -> tensor<64x112xf32>
  return %0 : tensor<64x112xf32>
}
}
