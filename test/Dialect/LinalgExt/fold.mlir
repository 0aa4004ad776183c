// RUN: flywheel-opt %s --canonicalize | FileCheck %s

// A value that is in its storage already is not stored.
// CHECK-LABEL: func.func @store(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: %[[STORED:.*]] = linalg_ext.store %[[X]] in %[[Y]]
// CHECK-NEXT: return %[[X]], %[[STORED]]
func.func @store(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg_ext.store %x in %x : tensor<4xf32> in tensor<4xf32>
  %1 = linalg_ext.store %x in %y : tensor<4xf32> in tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A condition that holds is true, and its check is none; one that does not hold stays.
// CHECK-LABEL: func.func @conditions(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[OK:[^:]*]]: i1
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[UNEQUAL:.*]] = linalg_ext.compare_sizes eq %[[C4]], %[[C3]]
// CHECK-NEXT: %[[LESS:.*]] = linalg_ext.compare_sizes ge %[[C3]], %[[C4]]
// CHECK-NEXT: %[[UNKNOWN:.*]] = linalg_ext.compare_sizes ge %[[N]], %[[C3]]
// CHECK-NEXT: linalg_ext.check sizes %[[LESS]], "less"
// CHECK-NEXT: return %[[TRUE]], %[[TRUE]], %[[TRUE]], %[[UNEQUAL]], %[[LESS]], %[[UNKNOWN]] :
func.func @conditions(%n: index, %ok: i1) -> (i1, i1, i1, i1, i1, i1) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %same = linalg_ext.compare_sizes eq %n, %n
  %equal = linalg_ext.compare_sizes eq %c3, %c3
  %more = linalg_ext.compare_sizes ge %c4, %c3
  %unequal = linalg_ext.compare_sizes eq %c4, %c3
  %less = linalg_ext.compare_sizes ge %c3, %c4
  %unknown = linalg_ext.compare_sizes ge %n, %c3
  linalg_ext.check sizes %more, "more"
  linalg_ext.check sizes %less, "less"
  return %same, %equal, %more, %unequal, %less, %unknown : i1, i1, i1, i1, i1, i1
}
