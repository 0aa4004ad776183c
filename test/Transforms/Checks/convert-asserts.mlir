// RUN: flywheel-opt %s --flywheel-convert-asserts | FileCheck %s

// X7: a check of data of no op; bytes 1 to 4 in the text are no numbers.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[OK:[^:]*]]: i1
// CHECK: linalg_ext.check data %[[OK]], "expected ? of 3"{{$}}
// CHECK-NEXT: scf.for
// CHECK-NEXT: linalg_ext.check data %[[OK]], "no"{{$}}
// CHECK-NOT: cf.assert
// EXAMPLE: --flywheel-convert-asserts
func.func @f(%ok: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.assert %ok, "expected \01 of 3"
  scf.for %i = %c0 to %n step %c1 {
    cf.assert %ok, "no"
  }
  return
}
