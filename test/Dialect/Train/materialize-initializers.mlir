// RUN: flywheel-opt %s --train-materialize-initializers --split-input-file | FileCheck %s

// I7, I8: one assignment a variable, if it is selected, in the order of the
// module. A random draw is a function of the seed, the variable's run counter
// and the element alone.
// CHECK: func.func @init(%[[SEED:.*]]: tensor<i64> {train.name = "seed"}, %[[RUNS:.*]]: tensor<8xi64> {train.name = "runs"}, %[[SELECT:.*]]: tensor<8xi1> {train.name = "select"}) attributes {train.initializer} {
// CHECK: tensor.extract %[[SEED]][]
// CHECK: %[[NUMBER:.*]] = arith.constant 0 : index
// CHECK: %[[IS_W:.*]] = tensor.extract %[[SELECT]][%[[NUMBER]]]
// CHECK: scf.if %[[IS_W]] {
// CHECK: tensor.extract %[[RUNS]][%[[NUMBER]]]
// CHECK: %[[W:.*]] = linalg.generic
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: train.assign @w, %[[W]] : tensor<2x3xf32>
// CHECK: scf.if
// CHECK: %[[STEP:.*]] = arith.constant dense<7> : tensor<i64>
// CHECK: train.assign @step, %[[STEP]]
// CHECK: %[[FLAG:.*]] = linalg.generic
// CHECK: train.assign @flag, %[[FLAG]] : tensor<4xi1>
// CHECK: train.assign @empty, %{{.*}} : tensor<0x4xf16>
// Unsigned values are computed as signless ones.
// CHECK: %[[DENSE:.*]] = arith.constant dense<[1, -1]> : tensor<2xi8>
// CHECK: %[[BYTES:.*]] = tensor.bitcast %[[DENSE]] : tensor<2xi8> to tensor<2xui8>
// CHECK: train.assign @bytes, %[[BYTES]] : tensor<2xui8>
// V4:
// CHECK: %[[TEXT:.*]] = train.string_constant ["a", "b"] : tensor<3x!train.string>
// CHECK: train.assign @text, %[[TEXT]]
// CHECK: train.string_constant [""] : tensor<2x!train.string>
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
train.variable @text : tensor<3x!train.string> = #train.strings<["a", "b"]>
train.variable @no_text : tensor<2x!train.string>
train.variable @words : tensor<3xui32> = #train.random_uniform<maxval = 4294967295>

// -----

// Nothing to initialise, no function.
// CHECK-LABEL: func.func @step
// CHECK-NOT: @init
func.func @step() {
  return
}

// -----

// I8: what an initial value is computed from comes first, and is kept on the
// variable when its region moves.
// CHECK: train.variable @sum : tensor<f32> {train.initial_reads = [@a], train.initial_values = [@b]}
// CHECK: train.variable @a : tensor<f32> {train.initial_values = [@b]}
// CHECK: train.variable @b : tensor<f32> = #train.ones
// CHECK-LABEL: func.func @init
// CHECK: scf.if
// CHECK: train.assign @b
// CHECK: scf.if
// CHECK: %[[B:.*]] = train.initialized_value @b
// CHECK: train.assign @a, %[[B]]
// CHECK: scf.if
// CHECK: %[[A:.*]] = train.read @a
// CHECK: %[[SUM:.*]] = arith.addf %[[A]]
// CHECK: train.assign @sum, %[[SUM]]
train.variable @sum : tensor<f32> init {
  %a = train.read @a : tensor<f32>
  %b = train.initialized_value @b : tensor<f32>
  %0 = arith.addf %a, %b : tensor<f32>
  train.yield %0 : tensor<f32>
}
train.variable @a : tensor<f32> init {
  %b = train.initialized_value @b : tensor<f32>
  train.yield %b : tensor<f32>
}
train.variable @b : tensor<f32> = #train.ones

// -----

// Eight that begin alike share a loop, whose tables say which feeds and which
// stream each has. A variable that another one reads, or of another type or
// another beginning, does not.
// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[SEED:.*]]: tensor<i64> {{{[^}]*}}}, %[[RUNS:.*]]: tensor<11xi64> {{{[^}]*}}}, %[[SELECT:.*]]: tensor<11xi1>
// CHECK: %[[POSITIONS:.*]] = arith.constant dense<[0, 1, 2, 3, 5, 6, 7, 8]> : tensor<8xi64>
// CHECK: %[[STREAMS:.*]] = arith.constant dense<[{{.*}}]> : tensor<8xi64>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[POSITIONS]][%[[I]]] {train.in_range}
// CHECK: %[[POSITION:.*]] = arith.index_cast %[[NUMBER]]
// CHECK: %[[IS_SELECTED:.*]] = tensor.extract %[[SELECT]][%[[POSITION]]]
// CHECK: scf.if %[[IS_SELECTED]] {
// CHECK: %[[STREAM:.*]] = tensor.extract %[[STREAMS]][%[[I]]]
// CHECK: %[[COUNT:.*]] = tensor.extract %[[RUNS]][%[[POSITION]]]
// CHECK: train.stream_key %{{.*}}, %[[COUNT]] op_seed %[[STREAM]]
// CHECK: %[[VALUE:.*]] = linalg.generic
// CHECK: train.assign_nth [@w0, @w1, @w2, @w3, @w5, @w6, @w7, @w8][%[[I]]], %[[VALUE]] : tensor<2x3xf32>
// CHECK-NOT: scf.for
// CHECK: train.assign @w4, %{{.*}} : tensor<2x3xf32>
// CHECK: train.assign @reader, %{{.*}} : tensor<2x3xf32>
// CHECK: train.assign @zeros, %{{.*}} : tensor<2x3xf32>
train.variable @w0 : tensor<2x3xf32>
train.variable @w1 : tensor<2x3xf32>
train.variable @w2 : tensor<2x3xf32>
train.variable @w3 : tensor<2x3xf32>
train.variable @w4 : tensor<2x3xf32>
train.variable @w5 : tensor<2x3xf32>
train.variable @w6 : tensor<2x3xf32>
train.variable @w7 : tensor<2x3xf32>
train.variable @w8 : tensor<2x3xf32>
train.variable @reader : tensor<2x3xf32> init {
  %w = train.initialized_value @w4 : tensor<2x3xf32>
  train.yield %w : tensor<2x3xf32>
}
train.variable @zeros : tensor<2x3xf32> = #train.zeros
