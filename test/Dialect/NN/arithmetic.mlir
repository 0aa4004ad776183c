// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --nn-decompose | FileCheck %s --check-prefix=PARTS

// CHECK-LABEL: func @ops
func.func @ops(%x: tensor<?x10xf32>, %y: tensor<10xf32>, %s: tensor<f32>, %i: tensor<3x1xi64>, %j: tensor<2xi64>) {
  // CHECK: nn.add %arg0, %arg1 : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %0 = nn.add %x, %y : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: nn.sub %arg2, %arg0 : (tensor<f32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %1 = nn.sub %s, %x : (tensor<f32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: nn.mul %arg3, %arg4 : (tensor<3x1xi64>, tensor<2xi64>) -> tensor<3x2xi64>
  %2 = nn.mul %i, %j : (tensor<3x1xi64>, tensor<2xi64>) -> tensor<3x2xi64>
  // CHECK: nn.div
  %3 = nn.div %x, %y : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: nn.max
  %4 = nn.max %x, %s : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  // CHECK: nn.min
  %5 = nn.min %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: nn.pow {{.*}} -> tensor<4x10xf32>
  %6 = nn.pow %x, %y : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
  return
}

// An operand that has the shape is the one whose shape the other takes.
// PARTS-LABEL: func @bias
// EXAMPLE: --nn-decompose
func.func @bias(%x: tensor<?x10xf32>, %y: tensor<10xf32>) -> tensor<?x10xf32> {
  // PARTS: %[[B:.*]] = nn.broadcast %arg1 dims [1] like %arg0
  // PARTS: arith.subf %arg0, %[[B]] : tensor<?x10xf32>
  %0 = nn.sub %x, %y : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return %0 : tensor<?x10xf32>
}

// PARTS-LABEL: func @equal
func.func @equal(%x: tensor<?x10xf32>, %y: tensor<?x10xf32>) -> tensor<?x10xf32> {
  // PARTS-NEXT: arith.maximumf %arg0, %arg1
  %0 = nn.max %x, %y : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return %0 : tensor<?x10xf32>
}

// If neither has the shape, it is made of both.
// PARTS-LABEL: func @outer
func.func @outer(%x: tensor<?x1xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  // PARTS-DAG: %[[M:.*]] = tensor.dim %arg0, %c0
  // PARTS-DAG: %[[N:.*]] = tensor.dim %arg1, %c0
  // PARTS: %[[LIKE:.*]] = tensor.empty(%[[M]], %[[N]])
  // PARTS: nn.broadcast %arg0 dims [0, 1] like %[[LIKE]]
  // PARTS: nn.broadcast %arg1 dims [1] like %[[LIKE]]
  %0 = nn.mul %x, %y : (tensor<?x1xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// PARTS-LABEL: func @integers
func.func @integers(%x: tensor<3xi32>, %y: tensor<i32>) -> tensor<3xi32> {
  // PARTS: arith.divsi
  %0 = nn.div %x, %y : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
