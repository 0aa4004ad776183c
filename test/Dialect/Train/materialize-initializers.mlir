// RUN: flywheel-opt %s --train-materialize-initializers --split-input-file | FileCheck %s

// One assignment a variable, in the order of the module. A random draw is a
// function of the feeds and the element alone.
// CHECK: func.func @init(%[[SEED:.*]]: tensor<i64> {train.name = "seed"}, %[[COUNT:.*]]: tensor<i64> {train.name = "run"}) {
// CHECK-DAG: tensor.extract %[[SEED]][]
// CHECK-DAG: tensor.extract %[[COUNT]][]
// CHECK: %[[W:.*]] = linalg.generic
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: train.assign @w, %[[W]] : tensor<2x3xf32>
// CHECK: %[[STEP:.*]] = arith.constant dense<7> : tensor<i64>
// CHECK: train.assign @step, %[[STEP]]
// CHECK: %[[FLAG:.*]] = linalg.generic
// CHECK: train.assign @flag, %[[FLAG]] : tensor<4xi1>
// CHECK: train.assign @empty, %{{.*}} : tensor<0x4xf16>
// Unsigned values are computed as signless ones.
// CHECK: %[[DENSE:.*]] = arith.constant dense<[1, -1]> : tensor<2xi8>
// CHECK: %[[BYTES:.*]] = tensor.bitcast %[[DENSE]] : tensor<2xi8> to tensor<2xui8>
// CHECK: train.assign @bytes, %[[BYTES]] : tensor<2xui8>
// CHECK: %[[DRAWN:.*]] = linalg.generic
// CHECK: arith.constant 4294967295 : i64
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: tensor.bitcast %[[DRAWN]] : tensor<3xi32> to tensor<3xui32>
// CHECK: return
train.variable @w : tensor<2x3xf32>
train.variable @step : tensor<i64> = dense<7> : tensor<i64> {trainable = false}
train.variable @flag : tensor<4xi1>
train.variable @empty : tensor<0x4xf16>
train.variable @bytes : tensor<2xui8> = dense<[1, 255]> : tensor<2xui8>
train.variable @words : tensor<3xui32> = #train.random_uniform<maxval = 4294967295>

// -----

// Nothing to initialise, no function.
// CHECK-LABEL: func.func @step
// CHECK-NOT: @init
func.func @step() {
  return
}
