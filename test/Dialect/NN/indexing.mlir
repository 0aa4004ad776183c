// T1: both syntaxes.
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s

// X7, X9, X12:
// CHECK-LABEL: func @slices
func.func @slices(%x: tensor<?x5xf32>, %i: tensor<3x?xi64>, %u: tensor<?x3x?xf32>, %b: tensor<2xi1>, %k: tensor<?x2xi8>) {
  // CHECK: nn.gather %arg0, %arg1 axis 0 : (tensor<?x5xf32>, tensor<3x?xi64>) -> tensor<3x?x5xf32>
  %0 = nn.gather %x, %i axis 0 : (tensor<?x5xf32>, tensor<3x?xi64>) -> tensor<3x?x5xf32>
  // A declared type may be more or less static than the inferred one.
  // CHECK: nn.gather %arg0, %arg3 axis 1 : (tensor<?x5xf32>, tensor<2xi1>) -> tensor<4x?xf32>
  %1 = nn.gather %x, %b axis 1 : (tensor<?x5xf32>, tensor<2xi1>) -> tensor<4x?xf32>
  // CHECK: nn.scatter_add %arg0, %arg1, %arg2 axis 1 : (tensor<?x5xf32>, tensor<3x?xi64>, tensor<?x3x?xf32>) -> tensor<?x5xf32>
  %2 = nn.scatter_add %x, %i, %u axis 1 : (tensor<?x5xf32>, tensor<3x?xi64>, tensor<?x3x?xf32>) -> tensor<?x5xf32>
  // CHECK: nn.scatter %arg0, %arg1, %arg2 axis 1 : (tensor<?x5xf32>, tensor<3x?xi64>, tensor<?x3x?xf32>) -> tensor<?x5xf32>
  %9 = nn.scatter %x, %i, %u axis 1 : (tensor<?x5xf32>, tensor<3x?xi64>, tensor<?x3x?xf32>) -> tensor<?x5xf32>
  // CHECK: nn.take_along_axis %arg0, %arg4 axis 1 : (tensor<?x5xf32>, tensor<?x2xi8>) -> tensor<?x2xf32>
  %12 = nn.take_along_axis %x, %k axis 1 : (tensor<?x5xf32>, tensor<?x2xi8>) -> tensor<?x2xf32>
  // CHECK: nn.scatter_add_along_axis %arg0, %arg4, %{{.*}} axis 1 : (tensor<?x5xf32>, tensor<?x2xi8>, tensor<?x2xf32>) -> tensor<4x5xf32>
  %13 = nn.scatter_add_along_axis %x, %k, %12 axis 1 : (tensor<?x5xf32>, tensor<?x2xi8>, tensor<?x2xf32>) -> tensor<4x5xf32>
  // CHECK: nn.cumsum %arg0 axis 1 : tensor<?x5xf32> -> tensor<?x5xf32>
  %3 = nn.cumsum %x axis 1 : tensor<?x5xf32> -> tensor<?x5xf32>
  // CHECK: nn.cumsum %arg1 axis 0 exclusive reverse : tensor<3x?xi64> -> tensor<3x?xi64>
  %4 = nn.cumsum %i axis 0 exclusive reverse : tensor<3x?xi64> -> tensor<3x?xi64>
  // CHECK: nn.cumprod %arg0 axis 1 : tensor<?x5xf32> -> tensor<?x5xf32>
  %10 = nn.cumprod %x axis 1 : tensor<?x5xf32> -> tensor<?x5xf32>
  // CHECK: nn.cumprod %arg1 axis 0 exclusive reverse : tensor<3x?xi64> -> tensor<3x?xi64>
  %11 = nn.cumprod %i axis 0 exclusive reverse : tensor<3x?xi64> -> tensor<3x?xi64>
  // CHECK: nn.logcumsumexp %arg0 axis 1 : tensor<?x5xf32> -> tensor<3x?xf32>
  %15 = nn.logcumsumexp %x axis 1 : tensor<?x5xf32> -> tensor<3x?xf32>
  // CHECK: nn.logcumsumexp %arg0 axis 0 reverse : tensor<?x5xf32> -> tensor<?x5xf32>
  %16 = "nn.logcumsumexp"(%x) <{axis = 0, reverse}> : (tensor<?x5xf32>) -> tensor<?x5xf32>
  // CHECK: nn.iota axis 1 like %arg0 : (tensor<?x5xf32>) -> tensor<?x5xi32>
  %5 = nn.iota axis 1 like %x : (tensor<?x5xf32>) -> tensor<?x5xi32>
  // CHECK: nn.check_indices %arg1 of %arg0 axis 1 : tensor<3x?xi64>, tensor<?x5xf32>
  %17 = nn.check_indices %i of %x axis 1 : tensor<3x?xi64>, tensor<?x5xf32>
  // CHECK: nn.iota axis 0 : () -> tensor<4xf64>
  %6 = nn.iota axis 0 : () -> tensor<4xf64>
  // CHECK: nn.tile %arg0 multiples [2, 3] : tensor<?x5xf32> -> tensor<?x15xf32>
  %7 = nn.tile %x multiples [2, 3] : tensor<?x5xf32> -> tensor<?x15xf32>
  // CHECK: nn.argmin %arg0 axis 1 : tensor<?x5xf32> -> tensor<?xi64>
  %8 = nn.argmin %x axis 1 : tensor<?x5xf32> -> tensor<?xi64>
  return
}
