// RUN: flywheel-opt %s --train-expand-random | FileCheck %s

// I7: each op has a stream of its own, which counts its runs; a name that is
// taken gets a suffix.
// CHECK: train.variable @w : tensor<f32>
// CHECK-NEXT: train.variable @random : tensor<2xi64>
// CHECK-NEXT: train.variable @random_1 : tensor<2xi64> = #train.stream{{ *}}{trainable = false}
// CHECK-NEXT: train.variable @random_2 : tensor<2xi64> = #train.stream<seed = 3>{{ *}}{trainable = false}
train.variable @w : tensor<f32>
train.variable @random : tensor<2xi64>

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[N:.*]]: index
// CHECK: %[[STREAM:.*]] = train.read @random_1 : tensor<2xi64>
// CHECK: tensor.extract %[[STREAM]]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]]) : tensor<?x3xf32>
// CHECK: %[[NOISE:.*]] = linalg.generic {{.*}} outs(%[[EMPTY]] : tensor<?x3xf32>)
// CHECK: %[[ONE:.*]] = arith.constant dense<[0, 1]> : tensor<2xi64>
// CHECK: train.assign_add @random_1, %[[ONE]] : tensor<2xi64>
// CHECK: train.read @random_2
// CHECK: %[[BYTES:.*]] = tensor.bitcast %{{.*}} : tensor<4xi8> to tensor<4xui8>
// CHECK: train.assign_add @random_2
// CHECK: return %[[NOISE]], %[[BYTES]]
func.func @step(%n: index) -> (tensor<?x3xf32>, tensor<4xui8>) {
  %noise = train.random #train.random_normal(%n) -> tensor<?x3xf32>
  %bytes = train.random #train.random_uniform<maxval = 256.0, seed = 3> -> tensor<4xui8>
  return %noise, %bytes : tensor<?x3xf32>, tensor<4xui8>
}
