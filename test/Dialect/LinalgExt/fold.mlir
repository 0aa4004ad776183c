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

// A condition that holds is true; one that does not names its numbers.
// CHECK-LABEL: func.func @conditions(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[OK:[^:]*]]: i1
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[UNEQUAL:.*]] = linalg_ext.compare_sizes eq %[[C4]], %[[C3]]
// CHECK-NEXT: %[[LESS:.*]] = linalg_ext.compare_sizes ge %[[C3]], %[[C4]]
// CHECK-NEXT: %[[UNKNOWN:.*]] = linalg_ext.compare_sizes ge %[[N]], %[[C3]]
// CHECK-NEXT: %[[NAMED:.*]] = linalg_ext.name_numbers %[[OK]], %[[N]]
// CHECK-NEXT: %[[FAILED:.*]] = linalg_ext.name_numbers %[[FALSE]], %[[N]]
// CHECK-NEXT: return %[[TRUE]], %[[TRUE]], %[[TRUE]], %[[UNEQUAL]], %[[LESS]], %[[UNKNOWN]], %[[TRUE]], %[[NAMED]], %[[FAILED]] :
func.func @conditions(%n: index, %ok: i1) -> (i1, i1, i1, i1, i1, i1, i1, i1, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %same = linalg_ext.compare_sizes eq %n, %n
  %equal = linalg_ext.compare_sizes eq %c3, %c3
  %more = linalg_ext.compare_sizes ge %c4, %c3
  %unequal = linalg_ext.compare_sizes eq %c4, %c3
  %less = linalg_ext.compare_sizes ge %c3, %c4
  %unknown = linalg_ext.compare_sizes ge %n, %c3
  %holds = linalg_ext.name_numbers %true, %n
  %named = linalg_ext.name_numbers %ok, %n
  %failed = linalg_ext.name_numbers %false, %n
  return %same, %equal, %more, %unequal, %less, %unknown, %holds, %named, %failed : i1, i1, i1, i1, i1, i1, i1, i1, i1
}
