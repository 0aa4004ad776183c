// V10, V13, V15, C1, C2, D1: what a variable can say besides its type and value.
// T1:
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s > %t.1 && flywheel-opt %t.1 > %t.2 && diff %t.1 %t.2
// With locations too.
// RUN: flywheel-opt %s -mlir-print-debuginfo -mlir-print-local-scope > %t.3
// RUN: flywheel-opt %t.3 -mlir-print-debuginfo -mlir-print-local-scope > %t.4 && diff %t.3 %t.4
// RUN: FileCheck %s --check-prefix=LOC < %t.4

// C2: CHECK: train.variable @local : tensor<2xf32> {collections = ["LOCAL"]}
train.variable @local : tensor<2xf32> {collections = ["LOCAL"]}
// CHECK: train.variable @local_trainable : tensor<2xf32> {collections = ["LOCAL"], trainable = true}
train.variable @local_trainable : tensor<2xf32> {collections = ["LOCAL"], trainable = true}
// C4: CHECK: train.variable @mine : tensor<2xf32> {collections = ["GLOBAL", "TRAINABLE", "my own"]}
train.variable @mine : tensor<2xf32> {collections = ["GLOBAL", "TRAINABLE", "my own"]}
// CHECK: train.variable @nowhere : tensor<2xf32> {collections = []}
train.variable @nowhere : tensor<2xf32> {collections = []}
// The generic form. CHECK: train.variable @generic : tensor<2xf32> {collections = ["mine"], device = "/gpu:0", trainable = true}
"train.variable"() <{sym_name = "generic", type = tensor<2xf32>, collections = ["mine"], device = "/gpu:0", trainable = true}> ({}) : () -> ()

// D1: CHECK: train.variable @on_gpu : tensor<2xf32> {device = "/gpu:1"}
train.variable @on_gpu : tensor<2xf32> {device = "/gpu:1"}
// CHECK: {device = "/device:GPU:1"}
train.variable @on_device : tensor<2xf32> {device = "/device:GPU:1"}
// CHECK: {device = "/job:ps/task:0"}
train.variable @on_task : tensor<2xf32> {device = "/job:ps/task:0"}
// CHECK: {device = "/job:ps/replica:0/task:2/device:CPU:0"}
train.variable @on_all : tensor<2xf32> {device = "/job:ps/replica:0/task:2/device:CPU:0"}

// V13, O12: CHECK: train.variable @non_neg : tensor<f16> {constraint = #train.non_neg}
train.variable @non_neg : tensor<f16> {constraint = #train.non_neg}
// Parameters with their default are left out. CHECK: train.variable @max_norm : tensor<2x2xf32> {constraint = #train.max_norm}
train.variable @max_norm : tensor<2x2xf32> {constraint = #train.max_norm<max = 2.0, axis = 0>}
// CHECK: {constraint = #train.max_norm<max = 3.000000e+00, axis = 1>}
train.variable @max_norm_1 : tensor<2x2xf32> {constraint = #train.max_norm<max = 3, axis = 1>}
// CHECK: {constraint = #train.unit_norm<axis = 1>}
train.variable @unit_norm : tensor<2x2xbf16> {constraint = #train.unit_norm<axis = 1>}
// CHECK: {constraint = #train.min_max_norm<min = 1.000000e+00, max = 2.000000e+00, rate = 5.000000e-01, axis = 1>}
train.variable @min_max_norm : tensor<2x2xf64> {constraint = #train.min_max_norm<rate = 0.5, min = 1.0, max = 2.0, axis = 1>}

// LOC: train.variable @last : tensor<f32> {collections = ["LOCAL"], constraint = #train.non_neg, device = "/cpu:0"} loc("file":1:2)
train.variable @last : tensor<f32> {collections = ["LOCAL"], constraint = #train.non_neg, device = "/cpu:0"} loc("file":1:2)

// CHECK-LABEL: func @project
func.func @project(%p: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // CHECK: train.project %arg0 : tensor<2x2xf32> by #train.unit_norm
  %0 = train.project %p : tensor<2x2xf32> by #train.unit_norm
  return %0 : tensor<2x2xf32>
}
