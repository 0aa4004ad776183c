// RUN: flywheel-opt %s --flywheel-check-divisions | FileCheck %s

// One check for all elements; -1 wraps.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @tensors(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x3xi32>, %[[Y:[^:]*]]: tensor<?x3xi32>) -> tensor<?x3xi32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<true> : tensor<i1>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]]], iterator_types = ["reduction", "reduction"]} ins(%[[Y]] : tensor<?x3xi32>) outs(%[[CST]] : tensor<i1>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: i32, %[[ELEMENT_2:.*]]: i1):
// CHECK-NEXT: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ne, %[[ELEMENT]], %[[C0_I32]] : i32
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[ELEMENT_2]], %[[CMPI]] : i1
// CHECK-NEXT: linalg.yield %[[ANDI]] : i1
// CHECK-NEXT: } -> tensor<i1>
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %[[GENERIC]][] : tensor<i1>
// CHECK-NEXT: linalg_ext.check data %[[EXTRACT]], "division by zero" in "arith.divsi"
// CHECK-NEXT: %[[C_1_I32:.*]] = arith.constant -1 : i32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[Y]], %[[C0]] : tensor<?x3xi32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[DIM]]) : tensor<?x3xi32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[C_1_I32]] : i32) outs(%[[EMPTY]] : tensor<?x3xi32>) -> tensor<?x3xi32>
// CHECK-NEXT: %[[CMPI_2:.*]] = arith.cmpi eq, %[[Y]], %[[FILL]] : tensor<?x3xi32>
// CHECK-NEXT: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[C0_2:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM_2:.*]] = tensor.dim %[[Y]], %[[C0_2]] : tensor<?x3xi32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty(%[[DIM_2]]) : tensor<?x3xi32>
// CHECK-NEXT: %[[FILL_2:.*]] = linalg.fill ins(%[[C1_I32]] : i32) outs(%[[EMPTY_2]] : tensor<?x3xi32>) -> tensor<?x3xi32>
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI_2]], %[[FILL_2]], %[[Y]] : tensor<?x3xi1>, tensor<?x3xi32>
// CHECK-NEXT: %[[DIVSI:.*]] = arith.divsi %[[X]], %[[SELECT]] : tensor<?x3xi32>
// CHECK-NEXT: %[[C0_I32_2:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[C0_3:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM_3:.*]] = tensor.dim %[[Y]], %[[C0_3]] : tensor<?x3xi32>
// CHECK-NEXT: %[[EMPTY_3:.*]] = tensor.empty(%[[DIM_3]]) : tensor<?x3xi32>
// CHECK-NEXT: %[[FILL_3:.*]] = linalg.fill ins(%[[C0_I32_2]] : i32) outs(%[[EMPTY_3]] : tensor<?x3xi32>) -> tensor<?x3xi32>
// CHECK-NEXT: %[[SUBI:.*]] = arith.subi %[[FILL_3]], %[[X]] : tensor<?x3xi32>
// CHECK-NEXT: %[[SELECT_2:.*]] = arith.select %[[CMPI_2]], %[[SUBI]], %[[DIVSI]] : tensor<?x3xi1>, tensor<?x3xi32>
// CHECK-NEXT: return %[[SELECT_2]] : tensor<?x3xi32>
func.func @tensors(%x: tensor<?x3xi32>, %y: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %q = arith.divsi %x, %y : tensor<?x3xi32>
  return %q : tensor<?x3xi32>
}

// CHECK-LABEL: func.func @scalars(
// CHECK: linalg_ext.check data %{{.*}}, "division by zero" in "arith.remui"
// CHECK-NEXT: arith.remui
// CHECK-NEXT: return
// EXAMPLE: --flywheel-check-divisions
func.func @scalars(%x: i64, %y: i64) -> i64 {
  %r = arith.remui %x, %y : i64
  return %r : i64
}

// A constant divisor costs nothing, in a branch too.
// CHECK-LABEL: func.func @constants(
// CHECK-NOT: linalg_ext.check
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
// CHECK: linalg_ext.check safe data %[[OK]], "division by zero{{.*}}"
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

// A power is a division where its exponent is negative: not a constant one that
// is not, nor one of a base that is never zero.
// CHECK-LABEL: func.func @powers(
// CHECK-SAME: %[[X:[^:]*]]: i32, %[[N:[^:]*]]: i32) -> (i32, i32, i32)
// CHECK-NEXT: %[[C3_I32:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[IPOWI:.*]] = math.ipowi %[[X]], %[[C3_I32]] : i32
// CHECK-NEXT: %[[IPOWI_2:.*]] = math.ipowi %[[C3_I32]], %[[N]] : i32
// CHECK-NEXT: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi slt, %[[N]], %[[C0_I32]] : i32
// CHECK-NEXT: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[X]], %[[C1_I32]] : i32
// CHECK-NEXT: %[[C0_I32_2:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[CMPI_2:.*]] = arith.cmpi ne, %[[SELECT]], %[[C0_I32_2]] : i32
// CHECK-NEXT: linalg_ext.check data %[[CMPI_2]], "division by zero" in "math.ipowi"
// CHECK-NEXT: %[[IPOWI_3:.*]] = math.ipowi %[[X]], %[[N]] : i32
// CHECK-NEXT: return %[[IPOWI]], %[[IPOWI_2]], %[[IPOWI_3]] : i32, i32, i32
func.func @powers(%x: i32, %n: i32) -> (i32, i32, i32) {
  %c3 = arith.constant 3 : i32
  %0 = math.ipowi %x, %c3 : i32
  %1 = math.ipowi %c3, %n : i32
  %2 = math.ipowi %x, %n : i32
  return %0, %1, %2 : i32, i32, i32
}

// A divisor that is at least 1 needs no check; one that is at least 0 does.
// CHECK-LABEL: func.func @largest(
// CHECK: arith.maxsi
// CHECK-NEXT: arith.divsi
// CHECK: arith.maxsi
// CHECK-NOT: arith.divsi
// CHECK: linalg_ext.check
// CHECK: arith.divsi
func.func @largest(%x: i64, %y: i64) -> (i64, i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %positive = arith.maxsi %y, %c1 : i64
  %0 = arith.divsi %x, %positive : i64
  %natural = arith.maxsi %y, %c0 : i64
  %1 = arith.divsi %x, %natural : i64
  return %0, %1 : i64, i64
}

// -1 wraps where it is one of several constants, and in each signed division; a
// remainder is 0. Numbers without a sign have no -1.
// CHECK-LABEL: func.func @minus_one(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xi32>, %[[A:[^:]*]]: i32, %[[B:[^:]*]]: i32)
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<2xi32>
// CHECK: %[[NEGATIVE:.*]] = arith.subi %[[ZEROS]], %[[X]]
// CHECK: arith.select %{{.*}}, %[[NEGATIVE]], %{{.*}} : tensor<2xi1>, tensor<2xi32>
// CHECK: linalg_ext.check
// CHECK: %[[FLOOR:.*]] = arith.floordivsi %[[A]]
// CHECK: %[[MINUS:.*]] = arith.subi %{{.*}}, %[[A]] : i32
// CHECK-NEXT: arith.select %{{.*}}, %[[MINUS]], %[[FLOOR]] : i32
// CHECK: linalg_ext.check
// CHECK: %[[REST:.*]] = arith.remsi %[[A]]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT: arith.select %{{.*}}, %[[ZERO]], %[[REST]] : i32
// CHECK: linalg_ext.check
// CHECK-NEXT: arith.ceildivui %[[A]], %[[B]]
// CHECK-NEXT: return
func.func @minus_one(%x: tensor<2xi32>, %a: i32, %b: i32) -> (tensor<2xi32>, i32, i32, i32) {
  %y = arith.constant dense<[7, -1]> : tensor<2xi32>
  %0 = arith.divsi %x, %y : tensor<2xi32>
  %1 = arith.floordivsi %a, %b : i32
  %2 = arith.remsi %a, %b : i32
  %3 = arith.ceildivui %a, %b : i32
  return %0, %1, %2, %3 : tensor<2xi32>, i32, i32, i32
}

// After a branch, the check of a power comes later, too. 0 is not negative.
// CHECK-LABEL: func.func @power_branch(
// CHECK: scf.if
// CHECK: linalg_ext.check safe data %{{.*}}, "division by zero" in "math.ipowi"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @power_branch(%x: i32, %n: i32, %c: i1) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = scf.if %c -> i32 {
    %p = math.ipowi %x, %n : i32
    scf.yield %p : i32
  } else {
    %p = math.ipowi %x, %c0 : i32
    scf.yield %p : i32
  }
  return %0 : i32
}
