// RUN: flywheel-opt %s --flywheel-check-sizes --canonicalize --cse --split-input-file | FileCheck %s
// RUN: flywheel-opt %s --flywheel-check-sizes=last --split-input-file -o /dev/null

// X10, X11: a loop that is seen to keep the dimension sizes of what it carries.
// CHECK-LABEL: func.func @keeps(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %[[N:[^:]*]]: index, %[[C:[^:]*]]: i1) -> tensor<?x?xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[FOR:.*]] = scf.for %{{.*}} = %[[C0]] to %[[N]] step %[[C1]] iter_args(%[[ITER_2:.*]] = %[[X]]) -> (tensor<?x?xf32>) {
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[ITER_2]], %[[C0]] : tensor<?x?xf32>
// CHECK-NEXT: %[[DIM_2:.*]] = tensor.dim %[[X]], %[[C1]] : tensor<?x?xf32>
// CHECK-NEXT: %[[IF:.*]] = scf.if %[[C]] -> (tensor<?x?xf32>) {
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[DIM]], %[[DIM_2]]) : tensor<?x?xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY]] : tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: scf.yield %[[FILL]] : tensor<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ITER_2]] : tensor<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[IF]] : tensor<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : tensor<?x?xf32>
func.func @keeps(%x: tensor<?x?xf32>, %n: index, %c: i1) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?x?xf32> {
    %d0 = tensor.dim %h, %c0 : tensor<?x?xf32>
    %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
    %s = scf.if %c -> tensor<?x?xf32> {
      %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      scf.yield %f : tensor<?x?xf32>
    } else {
      scf.yield %h : tensor<?x?xf32>
    }
    scf.yield %s : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// X10, X11: one that does not: that is an error where it has an iteration.
// CHECK-LABEL: func @shrinks
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[N:.*]]: index)
// CHECK: %[[BEFORE:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[AFTER:.*]] = arith.addi %[[BEFORE]], %c-1
// CHECK: %[[EQUAL:.*]] = linalg_ext.compare_sizes eq %[[AFTER]], %[[BEFORE]]
// CHECK: %[[NEVER:.*]] = arith.cmpi sle, %[[N]], %c0
// CHECK: %[[OK:.*]] = arith.ori %[[NEVER]], %[[EQUAL]]
// CHECK: linalg_ext.check sizes %[[OK]], "expected an iteration to keep dimension sizes, found another one of dimension 0: \01 behind it and \02 in front" in "scf.for"
// CHECK: scf.for
func.func @shrinks(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?xf32> {
    %d = tensor.dim %h, %c0 : tensor<?xf32>
    %m = arith.subi %d, %c1 : index
    %y = tensor.extract_slice %h[1] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// X10, X11: two branches with tensors from outside.
// CHECK-LABEL: func @branch
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>,
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[Y]], %c0
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq %[[N]], %[[M]]
// CHECK: linalg_ext.check sizes %[[OK]], "expected equal sizes of dimension 0 of result 0 of one branch and of the other, found \01 and \02" in "scf.if"
// CHECK: {{scf.if|arith.select}}
func.func @branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// X10, X11: in the second region of a while loop.
// CHECK-LABEL: func @while
// CHECK: linalg_ext.check sizes %{{.*}}, "expected an iteration to keep dimension sizes, found another one of dimension 0: \01 behind it and \02 in front" in "scf.while"
// CHECK: scf.while
func.func @while(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.while (%h = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    scf.condition(%c) %h : tensor<?xf32>
  } do {
  ^bb0(%h: tensor<?xf32>):
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// X10, X11: the number of a dimension is computed, as where ops are batched.
// CHECK-LABEL: func @computed_dimension
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @computed_dimension(%x: tensor<4x?xf32>, %n: index) -> tensor<4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<4x?xf32> {
    %d = arith.addi %c0, %c1 : index
    %s = tensor.dim %h, %d : tensor<4x?xf32>
    %e = tensor.empty(%s) : tensor<4x?xf32>
    %y = linalg.exp ins(%h : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
    scf.yield %y : tensor<4x?xf32>
  }
  return %r : tensor<4x?xf32>
}
