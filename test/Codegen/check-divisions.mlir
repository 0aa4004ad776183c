// RUN: flywheel-opt %s --flywheel-check-divisions | FileCheck %s

// One check for all elements; -1 wraps.
// CHECK-LABEL: func.func @tensors(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x3xi32>, %[[Y:[^:]*]]: tensor<?x3xi32>
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<?x3xi32>) outs(%{{.*}} : tensor<i1>)
// CHECK: arith.cmpi ne
// CHECK: %[[OK:.*]] = tensor.extract %[[ALL]][]
// CHECK: cf.assert %[[OK]], "division by zero in 'arith.divsi' at {{.*}}check-divisions.mlir:
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[Y]]
// CHECK: %[[SAFE:.*]] = arith.select %[[IS]], %{{.*}}, %[[Y]]
// CHECK: %[[Q:.*]] = arith.divsi %[[X]], %[[SAFE]]
// CHECK: %[[NEGATIVE:.*]] = arith.subi %{{.*}}, %[[X]]
// CHECK: %[[R:.*]] = arith.select %[[IS]], %[[NEGATIVE]], %[[Q]]
// CHECK: return %[[R]]
func.func @tensors(%x: tensor<?x3xi32>, %y: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %q = arith.divsi %x, %y : tensor<?x3xi32>
  return %q : tensor<?x3xi32>
}

// CHECK-LABEL: func.func @scalars(
// CHECK: cf.assert %{{.*}}, "division by zero in 'arith.remui'
// CHECK-NEXT: arith.remui
// CHECK-NEXT: return
func.func @scalars(%x: i64, %y: i64) -> i64 {
  %r = arith.remui %x, %y : i64
  return %r : i64
}

// A constant divisor costs nothing, in a branch too.
// CHECK-LABEL: func.func @constants(
// CHECK-NOT: cf.assert
// CHECK-NOT: arith.select
// CHECK: return
func.func @constants(%x: tensor<2xi32>, %n: index, %c: i1) -> tensor<2xi32> {
  %seven = arith.constant dense<[7, -3]> : tensor<2xi32>
  %three = arith.constant 3 : index
  scf.if %c {
    %m = arith.remui %n, %three : index
    %t = tensor.empty(%m) : tensor<?xf32>
  }
  %q = arith.divsi %x, %seven : tensor<2xi32>
  return %q : tensor<2xi32>
}

// V3: where the check comes later, nothing is divided by zero.
// CHECK-LABEL: func @branch
// CHECK: scf.if
// CHECK: %[[OK:.*]] = arith.cmpi ne, %[[Y:.*]], %{{.*}} : i32
// CHECK: cf.assert %[[OK]], "division by zero{{.*}}" {linalg_ext.safe}
// CHECK: %[[ISZERO:.*]] = arith.cmpi eq, %[[Y]]
// CHECK: %[[D:.*]] = arith.select %[[ISZERO]], %{{.*}}, %[[Y]] : i32
// CHECK: arith.divui %{{.*}}, %[[D]] : i32
func.func @branch(%x: i32, %y: i32, %c: i1) -> i32 {
  %q = scf.if %c -> i32 {
    %r = arith.divui %x, %y : i32
    scf.yield %r : i32
  } else {
    scf.yield %x : i32
  }
  return %q : i32
}
