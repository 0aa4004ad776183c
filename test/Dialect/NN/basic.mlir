// Every op and attribute, both syntaxes, and a fixpoint of print and parse.
// T1:
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s > %t.1 && flywheel-opt %t.1 > %t.2 && diff %t.1 %t.2

// X1, X11:
// CHECK-LABEL: func @contractions
func.func @contractions(%x: tensor<?x64xf32>, %w: tensor<64x10xf32>, %b: tensor<10xf32>, %h: tensor<4x8xbf16>) {
  // CHECK: nn.matmul %arg0, %arg1 : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x10xf32>
  %0 = nn.matmul %x, %w : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x10xf32>
  // CHECK: nn.matmul %arg3, %arg3 {transpose_a} : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<8x8xbf16>
  %1 = nn.matmul %h, %h {transpose_a} : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<8x8xbf16>
  // CHECK: nn.matmul %arg3, %arg3 {transpose_b} : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x4xbf16>
  %2 = nn.matmul %h, %h {transpose_b} : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x4xbf16>
  // CHECK: nn.matmul %arg1, %arg0 {transpose_a, transpose_b} : (tensor<64x10xf32>, tensor<?x64xf32>) -> tensor<10x?xf32>
  %3 = nn.matmul %w, %x {transpose_a, transpose_b} : (tensor<64x10xf32>, tensor<?x64xf32>) -> tensor<10x?xf32>
  // CHECK: nn.dense %arg0, %arg1, %arg2 : (tensor<?x64xf32>, tensor<64x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %4 = nn.dense %x, %w, %b : (tensor<?x64xf32>, tensor<64x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: nn.dense %arg0, %arg1 : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x10xf32>
  %6 = nn.dense %x, %w : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x10xf32>
  // A declared type may be more or less static than the inferred one.
  // CHECK: nn.dense {{.*}} -> tensor<32x?xf32>
  %5 = nn.dense %x, %w, %b : (tensor<?x64xf32>, tensor<64x10xf32>, tensor<10xf32>) -> tensor<32x?xf32>
  return
}

// X1, X11: leading dimensions.
// CHECK-LABEL: func @batched
func.func @batched(%a: tensor<?x2x4x8xf32>, %b: tensor<3x?x5x8xf32>, %w: tensor<8x10xf32>, %v: tensor<10xf32>) {
  // CHECK: nn.matmul %arg0, %arg1 {transpose_b} : (tensor<?x2x4x8xf32>, tensor<3x?x5x8xf32>) -> tensor<?x2x4x5xf32>
  %0 = nn.matmul %a, %b {transpose_b} : (tensor<?x2x4x8xf32>, tensor<3x?x5x8xf32>) -> tensor<?x2x4x5xf32>
  // CHECK: nn.dense %arg0, %arg2, %arg3 : (tensor<?x2x4x8xf32>, tensor<8x10xf32>, tensor<10xf32>) -> tensor<?x2x4x10xf32>
  %1 = nn.dense %a, %w, %v : (tensor<?x2x4x8xf32>, tensor<8x10xf32>, tensor<10xf32>) -> tensor<?x2x4x10xf32>
  return
}

// X4, X5:
// CHECK-LABEL: func @activations
func.func @activations(%x: tensor<?x10xf64>, %s: tensor<f16>) {
  // CHECK: nn.sigmoid %arg0 : tensor<?x10xf64>
  %0 = nn.sigmoid %x : tensor<?x10xf64>
  // CHECK: nn.softplus %arg1 : tensor<f16>
  %1 = nn.softplus %s : tensor<f16>
  // CHECK: nn.gelu %arg0 {approximate} : tensor<?x10xf64>
  %2 = nn.gelu %x {approximate} : tensor<?x10xf64>
  // CHECK: nn.silu %arg0 : tensor<?x10xf64>
  %3 = nn.silu %x : tensor<?x10xf64>
  // CHECK: nn.elu %arg0 : tensor<?x10xf64>
  %4 = nn.elu %x : tensor<?x10xf64>
  // CHECK: nn.elu %arg0 alpha 5.000000e-01 : tensor<?x10xf64>
  %5 = nn.elu %x alpha 0.5 : tensor<?x10xf64>
  // CHECK: nn.selu %arg0 : tensor<?x10xf64>
  %6 = nn.selu %x : tensor<?x10xf64>
  // CHECK: nn.leaky_relu %arg0 alpha 2.000000e-01 : tensor<?x10xf64>
  %7 = nn.leaky_relu %x alpha 0.2 : tensor<?x10xf64>
  // CHECK: nn.relu6 %arg0 : tensor<?x10xf64>
  %8 = nn.relu6 %x : tensor<?x10xf64>
  // CHECK: nn.hard_sigmoid %arg0 : tensor<?x10xf64>
  %9 = nn.hard_sigmoid %x : tensor<?x10xf64>
  // CHECK: nn.softsign %arg0 : tensor<?x10xf64>
  %10 = nn.softsign %x : tensor<?x10xf64>
  // CHECK: nn.log_softmax %arg0 : tensor<?x10xf64>
  %11 = nn.log_softmax %x : tensor<?x10xf64>
  return
}

// X4, X5:
// CHECK-LABEL: func @losses
func.func @losses(%x: tensor<?x10xf64>, %y: tensor<?x10xf64>, %l: tensor<?xi8>, %s: tensor<f16>) {
  // CHECK: nn.relu %arg0 : tensor<?x10xf64>
  %0 = nn.relu %x : tensor<?x10xf64>
  // CHECK: nn.relu %arg3 : tensor<f16>
  %1 = nn.relu %s : tensor<f16>
  // CHECK: nn.softmax %arg0 : tensor<?x10xf64>
  %2 = nn.softmax %x : tensor<?x10xf64>
  // CHECK: nn.softmax_cross_entropy %arg0, %arg1 : (tensor<?x10xf64>, tensor<?x10xf64>) -> tensor<f64>
  %3 = nn.softmax_cross_entropy %x, %y reduction mean : (tensor<?x10xf64>, tensor<?x10xf64>) -> tensor<f64>
  // CHECK: nn.softmax_cross_entropy %arg0, %arg1 reduction sum :
  %4 = nn.softmax_cross_entropy %x, %y reduction sum : (tensor<?x10xf64>, tensor<?x10xf64>) -> tensor<f64>
  // CHECK: nn.sparse_softmax_cross_entropy %arg0, %arg2 reduction none : (tensor<?x10xf64>, tensor<?xi8>) -> tensor<?xf64>
  %5 = nn.sparse_softmax_cross_entropy %x, %l reduction none : (tensor<?x10xf64>, tensor<?xi8>) -> tensor<?xf64>
  // CHECK: nn.sparse_softmax_cross_entropy %arg0, %arg2 : (tensor<?x10xf64>, tensor<?xi8>) -> tensor<f64>
  %6 = nn.sparse_softmax_cross_entropy %x, %l : (tensor<?x10xf64>, tensor<?xi8>) -> tensor<f64>
  return
}

// X7:
// CHECK-LABEL: func @shapes
func.func @shapes(%x: tensor<?x10xf32>, %b: tensor<10xf32>, %c: tensor<1x10xf32>, %i: tensor<2x3xi32>) {
  // CHECK: nn.broadcast %arg1 dims [1] like %arg0 : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %0 = nn.broadcast %b dims [1] like %x : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: nn.broadcast %arg2 dims [1, 2] : (tensor<1x10xf32>) -> tensor<4x5x10xf32>
  %1 = nn.broadcast %c dims [1, 2] : (tensor<1x10xf32>) -> tensor<4x5x10xf32>
  // CHECK: nn.reduce sum %arg0 axes [0] : tensor<?x10xf32> -> tensor<10xf32>
  %2 = nn.reduce sum %x axes [0] : tensor<?x10xf32> -> tensor<10xf32>
  // CHECK: nn.reduce mean %arg0 axes [1] keepdims : tensor<?x10xf32> -> tensor<?x1xf32>
  %3 = nn.reduce mean %x axes [1] keepdims : tensor<?x10xf32> -> tensor<?x1xf32>
  // CHECK: nn.reduce max %arg3 axes [0, 1] : tensor<2x3xi32> -> tensor<i32>
  %4 = nn.reduce max %i axes [0, 1] : tensor<2x3xi32> -> tensor<i32>
  // CHECK: nn.reduce min %arg3 axes [] : tensor<2x3xi32> -> tensor<2x3xi32>
  %5 = nn.reduce min %i axes [] : tensor<2x3xi32> -> tensor<2x3xi32>
  // CHECK: nn.reduce prod %arg3 axes [1] : tensor<2x3xi32> -> tensor<2xi32>
  %6 = nn.reduce prod %i axes [1] : tensor<2x3xi32> -> tensor<2xi32>
  // CHECK: nn.one_hot %arg3 : tensor<2x3xi32> -> tensor<2x3x4xi1>
  %7 = nn.one_hot %i : tensor<2x3xi32> -> tensor<2x3x4xi1>
  // CHECK: nn.argmax %arg0 axis 1 : tensor<?x10xf32> -> tensor<?xi64>
  %8 = nn.argmax %x axis 1 : tensor<?x10xf32> -> tensor<?xi64>
  // X7: CHECK: nn.argsort %arg0 axis 0 : tensor<?x10xf32> -> tensor<?x10xi32>
  %order = nn.argsort %x axis 0 : tensor<?x10xf32> -> tensor<?x10xi32>
  // CHECK: nn.argsort %arg0 axis 1 descending : tensor<?x10xf32> -> tensor<3x?xi32>
  %falling = nn.argsort %x axis 1 descending : tensor<?x10xf32> -> tensor<3x?xi32>
  return
}

// X7:
// CHECK-LABEL: func @triangles
func.func @triangles(%x: tensor<?x3x4xf32>, %i: tensor<3x3xi1>) {
  // CHECK: nn.triangle lower %arg0 : tensor<?x3x4xf32>
  %0 = nn.triangle lower %x diagonal 0 fill 0.0 : tensor<?x3x4xf32>
  // CHECK: nn.triangle upper %arg0 diagonal -1 fill 0xFFF0000000000000 : tensor<?x3x4xf32>
  %1 = nn.triangle upper %x diagonal -1 fill 0xFFF0000000000000 : tensor<?x3x4xf32>
  // CHECK: nn.triangle upper %arg1 diagonal 1 fill 1.000000e+00 : tensor<3x3xi1>
  %2 = nn.triangle upper %i diagonal 1 fill 1.0 : tensor<3x3xi1>
  return
}
