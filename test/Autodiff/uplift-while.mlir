// RUN: flywheel-opt %s --train-autodiff --canonicalize --split-input-file | FileCheck %s

// G16, X10: an iteration after the condition was false passes on what it gets,
// and its reverse the cotangent.
// CHECK-LABEL: func @early
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK: %[[FIRST:.*]] = arith.cmpf olt,
// CHECK: %[[F:.*]]:5 = scf.for %[[I:.*]] = %c0 to %c8 step %c1 iter_args({{.*}}, %[[A:.*]] = %[[X]], %[[GO:.*]] = %[[FIRST]], {{.*}})
// CHECK: %[[B:.*]]:3 = scf.if %[[GO]] -> (i64, tensor<3xf32>, i1) {
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK: %[[AND:.*]] = arith.andi
// CHECK: scf.yield %{{.*}}, %[[SQUARE]], %[[AND]]
// CHECK: } else {
// CHECK: scf.yield %{{.*}}, %[[A]], %false
// CHECK: scf.for {{.*}} iter_args(%[[DA:.*]] = %{{.*}}) -> (tensor<3xf32>) {
// CHECK: scf.if
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[DA]]
// CHECK-NOT: scf.while
// CHECK: return %[[F]]#0, %[[F]]#1
func.func @early(%x: tensor<3xf32>) -> (i64, tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 8 : i64
  %limit = arith.constant 100.0 : f32
  %r:2 = scf.while (%i = %zero, %a = %x) : (i64, tensor<3xf32>) -> (i64, tensor<3xf32>) {
    %below = arith.cmpi slt, %i, %most : i64
    %e = tensor.extract %a[%c0] : tensor<3xf32>
    %small = arith.cmpf olt, %e, %limit : f32
    %go = arith.andi %below, %small : i1
    scf.condition(%go) %i, %a : i64, tensor<3xf32>
  } do {
  ^bb0(%i: i64, %a: tensor<3xf32>):
    %e = arith.mulf %a, %a : tensor<3xf32>
    %j = arith.addi %i, %one : i64
    scf.yield %j, %e : i64, tensor<3xf32>
  }
  %d = train.gradient %r#1 wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r#0, %r#1, %d : i64, tensor<3xf32>, tensor<3xf32>
}

// -----

// A loop that no derivative reaches stays as it is.
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %[[X:[^:]*]]: tensor<3xf32>, %[[T:[^:]*]]: tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
// CHECK-NEXT: %{{.*}} = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[WHILE:.*]]:2 = scf.while (%[[ITER:.*]] = %{{.*}}, %[[ITER_3:.*]] = %[[T]]) : (index, tensor<f32>) -> (index, tensor<f32>) {
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi slt, %[[ITER]], %[[C4]] : index
// CHECK-NEXT: scf.condition(%[[CMPI]]) %[[ITER]], %[[ITER_3]] : index, tensor<f32>
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: index, %[[ELEMENT_2:.*]]: tensor<f32>):
// CHECK-NEXT: %[[SIN:.*]] = math.sin %[[ELEMENT_2]] : tensor<f32>
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[ELEMENT]], %[[C1]] : index
// CHECK-NEXT: scf.yield %[[ADDI]], %[[SIN]] : index, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[X]], %[[X]] : tensor<3xf32>
// CHECK-NEXT: return %[[ADDF]], %[[WHILE]]#1 : tensor<3xf32>, tensor<f32>
func.func @constant(%x: tensor<3xf32>, %t: tensor<f32>) -> (tensor<3xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.while (%i = %c0, %a = %t) : (index, tensor<f32>) -> (index, tensor<f32>) {
    %go = arith.cmpi slt, %i, %c4 : index
    scf.condition(%go) %i, %a : index, tensor<f32>
  } do {
  ^bb0(%i: index, %a: tensor<f32>):
    %e = math.sin %a : tensor<f32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %e : index, tensor<f32>
  }
  %y = arith.mulf %x, %x : tensor<3xf32>
  %d = train.gradient %y wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d, %r#1 : tensor<3xf32>, tensor<f32>
}

// -----

// From 3 to 10 by 2, the limit included: 3, 5, 7, 9. An iter_arg that is
// carried unchanged is read from outside, and not kept.
// CHECK-LABEL: func @closed
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[W:.*]]: tensor<3xf32>)
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[END:.*]] = arith.constant 11 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[STACK:.*]] = tensor.empty() : tensor<4x3xf32>
// CHECK-NOT: tensor.empty
// CHECK: scf.for %{{.*}} = %[[THREE]] to %[[END]] step %[[TWO]] iter_args(%[[A:.*]] = %[[X]], %{{.*}} = %[[STACK]])
// CHECK: arith.mulf %[[A]], %[[W]]
// CHECK-NOT: scf.if
func.func @closed(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %c3 = arith.constant 3 : i32
  %c2 = arith.constant 2 : i32
  %c10 = arith.constant 10 : i32
  %r:3 = scf.while (%i = %c3, %a = %x, %v = %w) : (i32, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, i32) {
    %go = arith.cmpi sge, %c10, %i : i32
    scf.condition(%go) %a, %v, %i : tensor<3xf32>, tensor<3xf32>, i32
  } do {
  ^bb0(%a: tensor<3xf32>, %v: tensor<3xf32>, %i: i32):
    %e = arith.mulf %a, %v : tensor<3xf32>
    %j = arith.addi %c2, %i : i32
    scf.yield %j, %e, %v : i32, tensor<3xf32>, tensor<3xf32>
  }
  %d:2 = train.gradient %r#0 wrt %x, %w : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %d#0, %d#1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// A limit that is carried, and known only when it runs; the first region
// counts, and passes on what it computes.
// CHECK-LABEL: func @until
// CHECK-SAME: (%[[X:.*]]: tensor<f32>, %[[N:.*]]: i32)
// CHECK: %[[M:.*]] = arith.minsi %[[N]], %c6
// CHECK: %[[END:.*]] = arith.index_cast %[[M]] : i32 to index
// CHECK: %[[FIRST:.*]] = math.sin %[[X]]
// CHECK: tensor.empty() : tensor<5xf32>
// CHECK: scf.for %{{.*}} = %c1 to %[[END]] step %c1 iter_args(%{{.*}} = %[[FIRST]]
func.func @until(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %m = arith.minsi %n, %c6 : i32
  %r:3 = scf.while (%i = %c0, %k = %m, %a = %x) : (i32, i32, tensor<f32>) -> (i32, i32, tensor<f32>) {
    %j = arith.addi %i, %c1 : i32
    %s = math.sin %a : tensor<f32>
    %go = arith.cmpi slt, %j, %k : i32
    scf.condition(%go) %j, %k, %s : i32, i32, tensor<f32>
  } do {
  ^bb0(%j: i32, %k: i32, %s: tensor<f32>):
    %e = math.exp %s : tensor<f32>
    scf.yield %j, %k, %e : i32, i32, tensor<f32>
  }
  %d = train.gradient %r#2 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// -----

// Down from a number that is known to be limited, and for numbers without sign.
// CHECK-LABEL: func @down
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1
// CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1
// CHECK-NOT: scf.while
func.func @down(%x: tensor<?xf32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r:2 = scf.while (%i = %n, %a = %t) : (index, tensor<f32>) -> (index, tensor<f32>) {
    %go = arith.cmpi ne, %i, %c0 : index
    scf.condition(%go) %i, %a : index, tensor<f32>
  } do {
  ^bb0(%i: index, %a: tensor<f32>):
    %j = arith.subi %i, %c1 : index
    %s = tensor.extract %x[%j] : tensor<?xf32>
    %v = tensor.from_elements %s : tensor<f32>
    %e = arith.mulf %a, %v : tensor<f32>
    scf.yield %j, %e : index, tensor<f32>
  }
  %d = train.gradient %r#1 wrt %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %r#1, %d : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func @unsigned
// CHECK: %[[M:.*]] = arith.minui
// CHECK: %[[END:.*]] = arith.index_castui %[[M]] : i32 to index
// CHECK: tensor.empty() : tensor<7xf32>
// CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c1
func.func @unsigned(%t: tensor<f32>, %n: i32) -> tensor<f32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %m = arith.minui %n, %c7 : i32
  %r:2 = scf.while (%i = %c0, %a = %t) : (i32, tensor<f32>) -> (i32, tensor<f32>) {
    %go = arith.cmpi ult, %i, %m : i32
    scf.condition(%go) %i, %a : i32, tensor<f32>
  } do {
  ^bb0(%i: i32, %a: tensor<f32>):
    %e = math.exp %a : tensor<f32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %j, %e : i32, tensor<f32>
  }
  %d = train.gradient %r#1 wrt %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// An iteration at the limit, too: four of them.
// CHECK-LABEL: func @unsigned_closed(
// CHECK: tensor.empty() : tensor<4xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c7 step %c2
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK-NOT: scf.while
// CHECK: return
func.func @unsigned_closed(%t: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c6 = arith.constant 6 : i32
  %r:2 = scf.while (%i = %c0, %a = %t) : (i32, tensor<f32>) -> (i32, tensor<f32>) {
    %go = arith.cmpi ule, %i, %c6 : i32
    scf.condition(%go) %i, %a : i32, tensor<f32>
  } do {
  ^bb0(%i: i32, %a: tensor<f32>):
    %j = arith.addi %i, %c2 : i32
    %b = arith.mulf %a, %a : tensor<f32>
    scf.yield %j, %b : i32, tensor<f32>
  }
  %g = train.gradient %r#1 wrt %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// An inner loop becomes one first.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %{{[^:]*}}: tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<3xf32>
// CHECK-NEXT: %[[FOR:.*]]:2 = scf.for %[[ITER:.*]] = %[[C0]] to %[[C3]] step %[[C1]] iter_args(%[[ITER_2:.*]] = %{{.*}}, %[[ITER_4:.*]] = %[[EMPTY]]) -> (tensor<f32>, tensor<3xf32>) {
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[ITER_2]] into %[[ITER_4]][%[[ITER]]] [1] [1] {train.in_range} : tensor<f32> into tensor<3xf32>
// CHECK-NEXT: %[[FOR_2:.*]] = scf.for %{{.*}} = %[[C0]] to %[[C3]] step %[[C1]] iter_args(%[[ITER_6:.*]] = %[[ITER_2]]) -> (tensor<f32>) {
// CHECK-NEXT: %[[SIN:.*]] = math.sin %[[ITER_6]] : tensor<f32>
// CHECK-NEXT: scf.yield %[[SIN]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[FOR_2]], %[[INSERT_SLICE]] : tensor<f32>, tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[FOR_3:.*]] = scf.for %[[ITER_7:.*]] = %[[C0]] to %[[C3]] step %[[C1]] iter_args(%[[ITER_8:.*]] = %[[CST]]) -> (tensor<f32>) {
// CHECK-NEXT: %[[SUBI:.*]] = arith.subi %[[C2]], %[[ITER_7]] : index
// CHECK-NEXT: %{{.*}} = tensor.extract_slice %[[FOR]]#1[%[[SUBI]]] [1] [1] {train.in_range} : tensor<3xf32> to tensor<f32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<3xf32>
// CHECK-NEXT: %[[FOR_4:.*]]:2 = scf.for %[[ITER_9:.*]] = %[[C0]] to %[[C3]] step %[[C1]] iter_args(%[[ITER_10:.*]] = %{{.*}}, %[[ITER_12:.*]] = %[[EMPTY_2]]) -> (tensor<f32>, tensor<3xf32>) {
// CHECK-NEXT: %[[INSERT_SLICE_2:.*]] = tensor.insert_slice %[[ITER_10]] into %[[ITER_12]][%[[ITER_9]]] [1] [1] {train.in_range} : tensor<f32> into tensor<3xf32>
// CHECK-NEXT: %[[SIN_2:.*]] = math.sin %[[ITER_10]] : tensor<f32>
// CHECK-NEXT: scf.yield %[[SIN_2]], %[[INSERT_SLICE_2]] : tensor<f32>, tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[FOR_5:.*]] = scf.for %[[ITER_13:.*]] = %[[C0]] to %[[C3]] step %[[C1]] iter_args(%[[ITER_14:.*]] = %[[ITER_8]]) -> (tensor<f32>) {
// CHECK-NEXT: %[[SUBI_2:.*]] = arith.subi %[[C2]], %[[ITER_13]] : index
// CHECK-NEXT: %[[EXTRACT_SLICE_2:.*]] = tensor.extract_slice %[[FOR_4]]#1[%[[SUBI_2]]] [1] [1] {train.in_range} : tensor<3xf32> to tensor<f32>
// CHECK-NEXT: %[[COS:.*]] = math.cos %[[EXTRACT_SLICE_2]] : tensor<f32>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ITER_14]], %[[COS]] : tensor<f32>
// CHECK-NEXT: scf.yield %[[MULF]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[FOR_5]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR_3]] : tensor<f32>
func.func @nested(%x: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<f32>) -> (index, tensor<f32>) {
    %go = arith.cmpi slt, %i, %c3 : index
    scf.condition(%go) %i, %a : index, tensor<f32>
  } do {
  ^bb0(%i: index, %a: tensor<f32>):
    %s:2 = scf.while (%k = %c0, %e = %a) : (index, tensor<f32>) -> (index, tensor<f32>) {
      %go = arith.cmpi slt, %k, %c3 : index
      scf.condition(%go) %k, %e : index, tensor<f32>
    } do {
    ^bb0(%k: index, %e: tensor<f32>):
      %f = math.sin %e : tensor<f32>
      %l = arith.addi %k, %c1 : index
      scf.yield %l, %f : index, tensor<f32>
    }
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %s#1 : index, tensor<f32>
  }
  %d = train.gradient %r#1 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}
