// T1: both syntaxes.
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s

// L14:
// CHECK-LABEL: func @systems
func.func @systems(%a: tensor<?x3x3xf64>, %b: tensor<?x3x?xf64>, %p: tensor<?x2xf32>, %v: tensor<?x1xf32>, %l2: tensor<f32>) {
  // CHECK: nn.cholesky %arg0 : tensor<?x3x3xf64>
  %0 = nn.cholesky %a : tensor<?x3x3xf64>
  // CHECK: %{{.*}}, %{{.*}} = nn.try_cholesky %arg0 : tensor<?x3x3xf64>
  %l, %success = nn.try_cholesky %a : tensor<?x3x3xf64>
  // CHECK: nn.triangular_solve lower %arg0, %arg1 : (tensor<?x3x3xf64>, tensor<?x3x?xf64>) -> tensor<?x3x?xf64>
  %1 = nn.triangular_solve lower %a, %b : (tensor<?x3x3xf64>, tensor<?x3x?xf64>) -> tensor<?x3x?xf64>
  // CHECK: nn.triangular_solve upper %arg0, %arg1 transpose unit_diagonal :
  %2 = nn.triangular_solve upper %a, %b transpose unit_diagonal : (tensor<?x3x3xf64>, tensor<?x3x?xf64>) -> tensor<?x3x?xf64>
  // CHECK: nn.lstsq %arg2, %arg3 : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>
  %3 = nn.lstsq %p, %v l2 0.0 : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>
  // CHECK: nn.lstsq %arg2, %arg3 l2 5.000000e-01 :
  %4 = nn.lstsq %p, %v l2 0.5 : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>
  // CHECK: nn.lstsq %arg2, %arg3 l2 %arg4 : (tensor<?x2xf32>, tensor<?x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = nn.lstsq %p, %v l2 %l2 : (tensor<?x2xf32>, tensor<?x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  return
}
