// RUN: flywheel-opt %s --train-expand-random | FileCheck %s

// I7: each op has a stream of its own, which counts its runs; a name that is
// taken gets a suffix.
// CHECK: train.variable @w : tensor<f32>
// CHECK-NEXT: train.variable @random : tensor<2xi64>
// CHECK-NEXT: train.variable @random_1 : tensor<2xi64> = #train.stream{{ *}}{trainable = false}
// CHECK-NEXT: train.variable @random_2 : tensor<2xi64> = #train.stream<seed = 3>{{ *}}{trainable = false}
// CHECK-NEXT: train.variable @random_3 : tensor<2xi64>
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

// X13: draws happen in the branch of training; the choice is outside of it, so
// that the derivative has the same mask and no branch.
// CHECK-LABEL: func.func @dropout(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>, %[[FLAG:.*]]: tensor<i1>
// CHECK: %[[KEPT:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<?x3xf32>
// CHECK: %[[ON:.*]] = tensor.extract %[[FLAG]][]
// CHECK: %[[MASK:.*]] = scf.if %[[ON]] -> (tensor<?x3xi1>) {
// CHECK: train.read @random_3
// CHECK: train.assign_add @random_3
// CHECK: arith.cmpf oge, %{{.*}} : tensor<?x3xf32>
// CHECK: } else {
// CHECK-NOT: train.
// CHECK: tensor.splat
// CHECK: }
// CHECK: %[[SCALED:.*]] = arith.select %[[ON]], %[[KEPT]], %[[X]]
// CHECK: %[[Y:.*]] = arith.select %[[MASK]], %[[SCALED]], %{{.*}}
// CHECK: return %[[Y]], %[[X]]
func.func @dropout(%x: tensor<?x3xf32>, %flag: tensor<i1>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %0 = train.dropout %x rate 0.5 training %flag : tensor<?x3xf32>, tensor<i1>
  // Nothing is dropped, and nothing drawn.
  %1 = train.dropout %x rate 0.0 : tensor<?x3xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?x3xf32>
}

// I7: functions of one object draw from its streams, in the order of their ops;
// a stream that begins otherwise is another one.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: train.streams
// CHECK: train.read @"learn/random"
// CHECK: train.read @"learn/random_1"
func.func @small() -> (tensor<2xf32>, tensor<2xf32>) attributes {train.streams = "learn"} {
  %0 = train.random #train.random_normal -> tensor<2xf32>
  %1 = train.random #train.random_uniform<seed = 3> -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @large(
// CHECK: train.read @"learn/random"
// CHECK: train.read @"learn/random_2"
func.func @large() -> (tensor<4xf32>, tensor<4xf32>) attributes {train.streams = "learn"} {
  %0 = train.random #train.random_normal -> tensor<4xf32>
  %1 = train.random #train.random_uniform<seed = 4> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @other(
// CHECK: train.read @"tune/random"
func.func @other() -> tensor<4xf32> attributes {train.streams = "tune"} {
  %0 = train.random #train.random_normal -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
