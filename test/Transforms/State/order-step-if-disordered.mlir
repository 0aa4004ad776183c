// RUN: flywheel-opt %s --flywheel-order-step=if-disordered --split-input-file --verify-diagnostics | FileCheck %s

// A read after the update moves before it, also if the update is a
// loop over tiles.
// CHECK-LABEL: func.func @late(
// CHECK-SAME: %[[R:[^:]*]]: tensor<4x8xf32>{{[^%]*}}%[[V:[^:]*]]: tensor<4x8xf32>
// CHECK: %[[READ:.*]] = linalg.exp ins(%[[V]]
// CHECK: %[[NEW:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[V]])
// CHECK-NOT: linalg.copy
// CHECK: return %[[READ]], %[[NEW]]
func.func @late(%r: tensor<4x8xf32> {train.result = 0 : i64},
                %v: tensor<4x8xf32> {train.variable = @v, train.reads, train.writes})
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %new = scf.for %i = %c0 to %c4 step %c2 iter_args(%t = %v) -> tensor<4x8xf32> {
    %slice = tensor.extract_slice %t[%i, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
    %tile = linalg.square ins(%slice : tensor<2x8xf32>) outs(%slice : tensor<2x8xf32>) -> tensor<2x8xf32>
    %next = tensor.insert_slice %tile into %t[%i, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
    scf.yield %next : tensor<4x8xf32>
  }
  %read = linalg.exp ins(%v : tensor<4x8xf32>) outs(%r : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %read, %new : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// If the order holds, nothing moves: not even ops that could run earlier.
// CHECK-LABEL: func.func @ordered(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32> {train.result = 0 : i64}, %[[S:[^:]*]]: tensor<4xf32> {train.result = 1 : i64}, %[[V:[^:]*]]: tensor<4xf32> {train.reads, train.variable = @v, train.writes}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[V]] : tensor<4xf32>) outs(%[[R]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[LOG:.*]] = linalg.log ins(%[[X]] : tensor<4xf32>) outs(%[[S]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[SQUARE:.*]] = linalg.square ins(%[[V]] : tensor<4xf32>) outs(%[[V]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[EXP]], %[[LOG]], %[[SQUARE]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @ordered(%x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                   %s: tensor<4xf32> {train.result = 1 : i64},
                   %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %read = linalg.exp ins(%v : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %other = linalg.log ins(%x : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  %new = linalg.square ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %read, %other, %new : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A read inside of the loop that overwrites takes a copy, which says so; so does
// what an op reads of its own destination at other positions of its loops.
// CHECK-LABEL: func.func @inside(
// CHECK-SAME: %[[V:[^:]*]]: tensor<4x8xf32>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @v} ins(%[[V]]
// CHECK: scf.for
// CHECK: ins(%{{.*}}, %[[OLD]]
func.func @inside(%v: tensor<4x8xf32> {train.variable = @v, train.reads, train.writes}) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %new = scf.for %i = %c0 to %c4 step %c2 iter_args(%t = %v) -> tensor<4x8xf32> {
    %slice = tensor.extract_slice %t[%i, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
    // expected-remark @below {{the old value of variable @v is needed by the op that overwrites it: one copy of 'tensor<4x8xf32>'}}
    // expected-remark @below {{the old value of variable @v is needed by the op that overwrites it: one copy of 'tensor<2x8xf32>'}}
    %tile = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                                             affine_map<(d0, d1, d2) -> (d0, d1)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%slice, %v : tensor<2x8xf32>, tensor<4x8xf32>) outs(%slice : tensor<2x8xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %out, %product : f32
      linalg.yield %sum : f32
    } -> tensor<2x8xf32>
    %next = tensor.insert_slice %tile into %t[%i, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
    scf.yield %next : tensor<4x8xf32>
  }
  return %new : tensor<4x8xf32>
}

// -----

// A read after an update in a branch moves before it as well.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %{{[^:]*}}: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: scf.if
// CHECK-NEXT: %[[READ:.*]] = linalg.exp ins(%[[V]] {{.*}} outs(%[[R]]
// CHECK-NEXT: %[[NEW:.*]] = linalg.log ins(%[[X]] {{.*}} outs(%[[V]]
// CHECK-NEXT: scf.yield %[[READ]], %[[NEW]]
func.func @branch(%c: i1, %x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                  %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %new = linalg.log ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
    %read = linalg.exp ins(%v : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %read, %new : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %r, %v : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
