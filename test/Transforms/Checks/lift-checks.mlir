// RUN: flywheel-opt %s --flywheel-lift-checks --split-input-file | FileCheck %s

// As other front ends write the labels of a loss: the condition over all
// elements is one number before the op.
// CHECK-LABEL: func @labels
// CHECK-SAME: (%[[Y:.*]]: tensor<?xi64>, %[[INIT:.*]]: tensor<?xf32>)
// CHECK: %[[YES:.*]] = arith.constant dense<true> : tensor<i1>
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[Y]] : tensor<?xi64>) outs(%[[YES]] : tensor<i1>)
// CHECK: ^bb0(%[[E:.*]]: i64, %[[SOFAR:.*]]: i1):
// CHECK: %[[OK:.*]] = arith.cmpi slt, %[[E]]
// CHECK: %[[AND:.*]] = arith.andi %[[SOFAR]], %[[OK]] : i1
// CHECK: linalg.yield %[[AND]]
// CHECK: %[[ONE:.*]] = tensor.extract %[[ALL]][]
// CHECK: linalg_ext.check data %[[ONE]], "index must be smaller than dim size"
// CHECK: linalg.generic
// CHECK-NOT: linalg_ext.check
// CHECK: return
#id = affine_map<(i) -> (i)>
// EXAMPLE: --flywheel-lift-checks
func.func @labels(%y: tensor<?xi64>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %c10 = arith.constant 10 : i64
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<?xi64>) outs(%init : tensor<?xf32>) {
  ^bb0(%e: i64, %o: f32):
    %ok = arith.cmpi slt, %e, %c10 : i64
    linalg_ext.check data %ok, "index must be smaller than dim size"
    %f = arith.sitofp %e : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// In a loop, and in a branch of the body. The operand that bounds the loops of
// the op may be its destination.
// CHECK-LABEL: func @nested
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<i1>)
// CHECK: linalg.index 0
// CHECK: scf.if
// CHECK: linalg_ext.check safe data %{{.*}}, "small"
#id = affine_map<(i) -> (i)>
func.func @nested(%n: index, %init: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %init) -> tensor<4xf32> {
    %s = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
    ^bb0(%o: f32):
      %j = linalg.index 0 : index
      %c = arith.cmpi eq, %j, %i : index
      scf.if %c {
        %ok = arith.cmpi slt, %j, %c1 : index
        linalg_ext.check data %ok, "small"
      }
      linalg.yield %o : f32
    } -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// If inputs do not determine the bounds of each loop, the destinations do as well.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[INIT:[^:]*]]: tensor<4x5xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[X]], %[[INIT]] :
#row = affine_map<(i, j) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
func.func @rows(%x: tensor<4xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#row, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4xf32>) outs(%init : tensor<4x5xf32>) {
  ^bb0(%e: f32, %o: f32):
    %ok = arith.cmpf ogt, %e, %zero : f32
    linalg_ext.check data %ok, "positive"
    linalg.yield %e : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// Each check of a generated tensor is one before it. One in a branch may be
// made after it; the attributes of an existing check stay.
// CHECK-LABEL: func.func @generated(
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]}
// CHECK: linalg_ext.check safe data %{{.*}}, "first"
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]}
// CHECK: linalg_ext.check data %{{.*}}, "second"{{$}}
// CHECK: scf.if
// CHECK-NEXT: linalg_ext.check safe data %{{.*}}, "third"
func.func @generated(%x: tensor<4xf32>, %n: index, %ok: i1) -> tensor<4xf32> {
  %c2 = arith.constant 2 : index
  %r = tensor.generate {
  ^bb0(%i: index):
    %first = arith.cmpi ult, %i, %n : index
    linalg_ext.check safe data %first, "first"
    %second = arith.cmpi ne, %i, %c2 : index
    linalg_ext.check data %second, "second"
    %e = tensor.extract %x[%i] : tensor<4xf32>
    tensor.yield %e : f32
  } : tensor<4xf32>
  scf.if %ok {
    linalg_ext.check data %ok, "third"
  }
  return %r : tensor<4xf32>
}
