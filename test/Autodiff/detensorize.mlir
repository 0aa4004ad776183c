// RUN: flywheel-opt %s --flywheel-detensorize --canonicalize --split-input-file | FileCheck %s

#map = affine_map<() -> ()>

// X10: a loop as another front end lowers it counts with a tensor.
// CHECK-LABEL: func @count
// CHECK: scf.while (%[[I:.*]] = %c0_i32, %{{.*}} = %{{.*}}) : (i32, tensor<f32>) -> (i32, tensor<f32>) {
// CHECK-NEXT: %[[GO:.*]] = arith.cmpi slt, %[[I]], %c6_i32 : i32
// CHECK-NEXT: scf.condition(%[[GO]])
// CHECK: ^bb0(%[[K:.*]]: i32, %{{.*}}: tensor<f32>):
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c1_i32 : i32
// CHECK: scf.yield %[[NEXT]]
func.func @count(%x: tensor<f32>) -> tensor<f32> {
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %zero = arith.constant dense<0> : tensor<i32>
  %r:2 = scf.while (%i = %zero, %a = %x) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>) {
    %e = tensor.empty() : tensor<i1>
    %below = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %s = arith.cmpi slt, %in, %c6 : i32
      linalg.yield %s : i1
    } -> tensor<i1>
    %go = tensor.extract %below[] : tensor<i1>
    scf.condition(%go) %i, %a : tensor<i32>, tensor<f32>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<f32>):
    %s = math.sin %a : tensor<f32>
    %e = tensor.empty() : tensor<i32>
    %j = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %k = arith.addi %in, %c1 : i32
      linalg.yield %k : i32
    } -> tensor<i32>
    scf.yield %j, %s : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}

// -----

// Through elementwise ops and branches; the result is a tensor as before.
// CHECK-LABEL: func @branch
// CHECK-SAME: (%[[T:.*]]: tensor<i64>, %[[C:.*]]: i1, %[[N:.*]]: index)
// CHECK: %[[START:.*]] = tensor.extract %[[T]][] : tensor<i64>
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[START]]) -> (i64) {
// CHECK: scf.if %[[C]] -> (i64) {
// CHECK: arith.addi %[[A]], %[[A]] : i64
// CHECK: %[[RESULT:.*]] = tensor.from_elements %[[R]] : tensor<i64>
// CHECK: return %[[RESULT]]
// EXAMPLE: --flywheel-detensorize --canonicalize
func.func @branch(%t: tensor<i64>, %c: i1, %n: index) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<i64> {
    %b = scf.if %c -> tensor<i64> {
      %twice = arith.addi %a, %a : tensor<i64>
      scf.yield %twice : tensor<i64>
    } else {
      scf.yield %a : tensor<i64>
    }
    scf.yield %b : tensor<i64>
  }
  return %r : tensor<i64>
}

// -----

// A condition on what is not an integer is computed from its element. Tensors
// of floating-point numbers, and those with dimensions, stay.
// CHECK-LABEL: func @compare
// CHECK-SAME: (%[[X:.*]]: tensor<f32>, %[[I:.*]]: tensor<2xi32>)
// CHECK: %[[S:.*]] = tensor.extract %[[X]][] : tensor<f32>
// CHECK: %[[R:.*]] = arith.cmpf olt, %[[S]], %{{.*}} : f32
// CHECK: scf.if %[[R]] -> (tensor<f32>, tensor<2xi32>)
func.func @compare(%x: tensor<f32>, %i: tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>) {
  %limit = arith.constant dense<1.0> : tensor<f32>
  %less = arith.cmpf olt, %x, %limit : tensor<f32>
  %c = tensor.extract %less[] : tensor<i1>
  %r:2 = scf.if %c -> (tensor<f32>, tensor<2xi32>) {
    %e = math.exp %x : tensor<f32>
    scf.yield %e, %i : tensor<f32>, tensor<2xi32>
  } else {
    %j = arith.addi %i, %i : tensor<2xi32>
    scf.yield %x, %j : tensor<f32>, tensor<2xi32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<2xi32>
}
