// RUN: flywheel-opt %s --train-expand-draws --split-input-file | FileCheck %s

// All keys are computed by one function: SplitMix64's finalizer of the seed,
// then with the seed of the op, then with the number of the run.
// CHECK-LABEL: func.func @keys(
// CHECK-SAME: %[[SEED:.*]]: i64, %[[COUNT:.*]]: i64)
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[MINUS:.*]] = arith.constant -3 : i64
// CHECK-DAG: %[[A:.*]] = call @train.stream_key(%[[SEED]], %[[COUNT]], %[[FIVE]]) : (i64, i64, i64) -> i64
// CHECK-DAG: %[[B:.*]] = call @train.stream_key(%[[SEED]], %[[COUNT]], %[[MINUS]])
// CHECK: return %[[A]], %[[B]]
func.func @keys(%seed: i64, %run: i64) -> (i64, i64) {
  %five = arith.constant 5 : i64
  %minus = arith.constant -3 : i64
  %a = train.stream_key %seed, %run op_seed %five
  %b = train.stream_key %seed, %run op_seed %minus
  return %a, %b : i64, i64
}

// A scalar is drawn by a function, too, also in an op without loops.
// CHECK-LABEL: func.func @bits(
// CHECK-SAME: %[[KEY:.*]]: i64, %[[INDEX:.*]]: i64)
// CHECK-NEXT: %[[CALLED:.*]] = call @train.random_bits(%[[KEY]], %[[INDEX]])
// CHECK-NEXT: return %[[CALLED]]
func.func @bits(%key: i64, %index: i64) -> i64 {
  %bits = train.random_bits %key at %index
  return %bits : i64
}

// CHECK-LABEL: func.func @scalar(
// CHECK: linalg.generic
// CHECK: call @train.normal_quantile
func.func @scalar(%x: tensor<f64>) -> tensor<f64> {
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%x : tensor<f64>) {
  ^bb0(%p: f64):
    %z = train.normal_quantile %p
    linalg.yield %z : f64
  } -> tensor<f64>
  return %y : tensor<f64>
}

// In a body, without a library's function but the root.
// CHECK-LABEL: func.func @normal(
// CHECK: linalg.generic
// CHECK-NOT: train.
// CHECK-NOT: math.log
// CHECK: math.sqrt
// CHECK: linalg.yield
func.func @normal(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf64>) {
  ^bb0(%p: f64):
    %z = train.normal_quantile %p
    linalg.yield %z : f64
  } -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// CHECK-LABEL: func.func private @train.stream_key(
// CHECK-SAME: %[[SEED:.*]]: i64, %[[COUNT:.*]]: i64, %[[OP:.*]]: i64) -> i64
// CHECK: arith.addi %[[SEED]], %{{.*}} : i64
// CHECK: %[[FIRST:.*]] = arith.xori %{{.*}}, %[[OP]] : i64
// CHECK: arith.addi %[[FIRST]],
// CHECK: %[[SECOND:.*]] = arith.xori %{{.*}}, %[[COUNT]] : i64
// CHECK: arith.addi %[[SECOND]],
// CHECK: return

// Ten rounds of two products each; the words are c0 and c1 of the last.
// CHECK-LABEL: func.func private @train.random_bits(
// CHECK-COUNT-20: arith.muli
// CHECK-NOT: arith.muli
// CHECK: %[[HIGH:.*]] = arith.shli %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: %[[LOW:.*]] = arith.andi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: %[[BITS:.*]] = arith.ori %[[HIGH]], %[[LOW]] : i64
// CHECK-NEXT: return %[[BITS]]

// -----

// CHECK-LABEL: func.func @train.stream_key(
// CHECK: call @[[NAME:train.stream_key_0]](
// CHECK: func.func private @[[NAME]](
func.func @train.stream_key(%seed: i64, %run: i64) -> i64 {
  %five = arith.constant 5 : i64
  %a = train.stream_key %seed, %run op_seed %five
  return %a : i64
}
