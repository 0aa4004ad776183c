// RUN: flywheel-opt %s --flywheel-expand-affine-divisions | FileCheck %s

// A divisor that is not constant is checked, and at least 1 where the check
// comes too late.
// CHECK-LABEL: func.func @divisions(
// CHECK-SAME: %[[I:[^:]*]]: index, %[[S:[^:]*]]: index) -> index {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[OK:.*]] = linalg_ext.compare_sizes ge %[[S]], %[[ONE]]
// CHECK-NEXT: linalg_ext.check data %[[OK]], "expected a divisor of 1 or more, found \01" in "affine.min"
// CHECK-NEXT: %[[D:.*]] = arith.maxsi %[[S]], %[[ONE]] : index
// CHECK-NEXT: %[[FLOOR:.*]] = arith.floordivsi %[[I]], %[[D]] : index
// CHECK-NEXT: %[[CEIL:.*]] = arith.ceildivsi %[[I]], %[[D]] : index
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[UP:.*]] = arith.addi %[[CEIL]], %[[TWO]] : index
// CHECK-NEXT: %[[MIN:.*]] = arith.minsi %[[FLOOR]], %[[UP]] : index
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.floordivsi %[[I]], %[[D]] : index
// CHECK-NEXT: %[[WHOLE:.*]] = arith.muli %[[QUOTIENT]], %[[D]] : index
// CHECK-NEXT: %[[REST:.*]] = arith.subi %[[I]], %[[WHOLE]] : index
// CHECK-NEXT: %[[LEAST:.*]] = arith.minsi %[[MIN]], %[[REST]] : index
// CHECK-NEXT: return %[[LEAST]] : index
// EXAMPLE: --flywheel-expand-affine-divisions
func.func @divisions(%i: index, %s: index) -> index {
  %0 = affine.min affine_map<(i)[s] -> (i floordiv s, i ceildiv s + 2, i mod s)>(%i)[%s]
  return %0 : index
}

// A user of an expanded op, in a region, is expanded, too; a constant divisor
// needs neither.
// CHECK-LABEL: func.func @nested(
// CHECK: scf.if
// CHECK: linalg_ext.compare_sizes ge
// CHECK-NEXT: linalg_ext.check safe data %{{.*}}, "expected a divisor of 1 or more, found \01" in "affine.apply"
// CHECK: %[[Q:.*]] = arith.floordivsi
// CHECK: %[[M:.*]] = arith.addi %[[Q]], %{{.*}} : index
// CHECK: scf.yield %[[M]] : index
// CHECK: %[[A:.*]] = affine.apply #{{.*}}(%{{.*}})[%c4{{.*}}]
// CHECK: scf.yield %[[A]] : index
func.func @nested(%c: i1, %i: index, %s: index) -> index {
  %c4 = arith.constant 4 : index
  %0 = scf.if %c -> index {
    %a = affine.apply affine_map<(i)[s] -> (i floordiv (s * 2))>(%i)[%s]
    %b = affine.apply affine_map<(i) -> (i + 3)>(%a)
    scf.yield %b : index
  } else {
    %a = affine.apply affine_map<(i)[s] -> (i mod (s + 1) + i ceildiv 3)>(%i)[%c4]
    scf.yield %a : index
  }
  return %0 : index
}
