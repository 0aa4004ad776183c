// RUN: flywheel-opt %s --flywheel-expand-dynamic-xors | FileCheck %s
// RUN: flywheel-compile %s -o %t.o

// x ^ x of dynamic size would be folded to a constant that cannot be.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?xi8>
// CHECK-NEXT: %[[OR:.*]] = arith.ori %[[X]], %[[X]] : tensor<?xi8>
// CHECK-NEXT: %[[AND:.*]] = arith.andi %[[X]], %[[X]] : tensor<?xi8>
// CHECK-NEXT: %[[XOR:.*]] = arith.subi %[[OR]], %[[AND]] : tensor<?xi8>
// CHECK-NEXT: return %[[XOR]]
// EXAMPLE: --flywheel-expand-dynamic-xors
func.func @dynamic(%x: tensor<?xi8>) -> tensor<?xi8> {
  %y = arith.xori %x, %x : tensor<?xi8>
  return %y : tensor<?xi8>
}

// CHECK-LABEL: func.func @static(
// CHECK-COUNT-2: arith.xori
func.func @static(%x: tensor<2xi8>, %y: tensor<i1>, %z: tensor<i1>) -> (tensor<2xi8>, tensor<i1>) {
  %a = arith.xori %x, %x : tensor<2xi8>
  %b = arith.xori %y, %z : tensor<i1>
  return %a, %b : tensor<2xi8>, tensor<i1>
}
