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
// CHECK-NEXT: cf.assert %[[EXTRACT]], "division by zero in 'arith.divsi' at {{.*}}"
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
// CHECK-NEXT: cf.assert %[[CMPI_2]], "division by zero in 'math.ipowi' at {{.*}}"
// CHECK-NEXT: %[[IPOWI_3:.*]] = math.ipowi %[[X]], %[[N]] : i32
// CHECK-NEXT: return %[[IPOWI]], %[[IPOWI_2]], %[[IPOWI_3]] : i32, i32, i32
func.func @powers(%x: i32, %n: i32) -> (i32, i32, i32) {
  %c3 = arith.constant 3 : i32
  %0 = math.ipowi %x, %c3 : i32
  %1 = math.ipowi %c3, %n : i32
  %2 = math.ipowi %x, %n : i32
  return %0, %1, %2 : i32, i32, i32
}
