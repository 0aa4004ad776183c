// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s

// I8: CHECK: train.variable @w : tensor<f32> init {
// CHECK-NEXT: %v = train.initialized_value @v : tensor<f32>
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %v, %v : tensor<f32>
// CHECK-NEXT: train.yield %[[SUM]] : tensor<f32>
// CHECK-NEXT: } {trainable = false}
train.variable @w : tensor<f32> init {
  %v = train.initialized_value @v : tensor<f32>
  %sum = arith.addf %v, %v : tensor<f32>
  train.yield %sum : tensor<f32>
} {trainable = false}
// CHECK: train.variable @v : tensor<f32> = #train.zeros{{$}}
train.variable @v : tensor<f32> = #train.zeros

// S5: CHECK: %{{.*}} = train.is_initialized @v : tensor<i1>
func.func @ask() -> tensor<i1> {
  %0 = train.is_initialized @v : tensor<i1>
  return %0 : tensor<i1>
}
