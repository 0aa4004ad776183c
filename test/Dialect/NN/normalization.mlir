// Every op and attribute, both syntaxes, and a fixpoint of print and parse.
// T1:
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s > %t.1 && flywheel-opt %t.1 > %t.2 && diff %t.1 %t.2

// CHECK-LABEL: func @samples
func.func @samples(%x: tensor<?x4x8xf16>, %g: tensor<8xf16>, %b: tensor<8xf32>, %h: tensor<4x8xf32>) {
  // CHECK: nn.layer_norm %arg0 axes [2] epsilon 1.000000e-03 : (tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
  %0 = nn.layer_norm %x axes [2] epsilon 1.0e-3 : (tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
  // CHECK: nn.layer_norm %arg0 gamma %arg1 beta %arg2 axes [2] epsilon 1.000000e-03 :
  %1 = nn.layer_norm %x gamma %g beta %b axes [2] epsilon 1.0e-3 : (tensor<?x4x8xf16>, tensor<8xf16>, tensor<8xf32>) -> tensor<?x4x8xf16>
  // CHECK: nn.layer_norm %arg0 beta %arg3 axes [1, 2] epsilon 0.000000e+00 :
  %2 = nn.layer_norm %x beta %h axes [1, 2] epsilon 0.0 : (tensor<?x4x8xf16>, tensor<4x8xf32>) -> tensor<?x4x8xf16>
  // CHECK: nn.rms_norm %arg0 gamma %arg3 axes [1, 2] epsilon 9.99{{.*}}E-7 :
  %3 = nn.rms_norm %x gamma %h axes [1, 2] epsilon 1.0e-6 : (tensor<?x4x8xf16>, tensor<4x8xf32>) -> tensor<?x4x8xf16>
  // CHECK: nn.rms_norm %arg0 axes [0] epsilon 9.99{{.*}}E-7 : (tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
  %4 = nn.rms_norm %x axes [0] epsilon 1.0e-6 : (tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
  return
}

// CHECK-LABEL: func @batches
func.func @batches(%x: tensor<?x4x8xf16>, %g: tensor<8xf16>, %b: tensor<8xf32>) {
  // CHECK: nn.batch_norm_training %arg0 gamma %arg1 beta %arg2 epsilon 1.000000e-03 : (tensor<?x4x8xf16>, tensor<8xf16>, tensor<8xf32>) -> (tensor<?x4x8xf16>, tensor<8xf32>, tensor<8xf16>)
  %0:3 = nn.batch_norm_training %x gamma %g beta %b epsilon 1.0e-3 : (tensor<?x4x8xf16>, tensor<8xf16>, tensor<8xf32>) -> (tensor<?x4x8xf16>, tensor<8xf32>, tensor<8xf16>)
  // CHECK: nn.batch_norm_inference %arg0 mean %arg2 variance %arg2 beta %arg1 epsilon 1.000000e-03 :
  %1 = nn.batch_norm_inference %x mean %b variance %b beta %g epsilon 1.0e-3 : (tensor<?x4x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>) -> tensor<?x4x8xf16>
  return
}
