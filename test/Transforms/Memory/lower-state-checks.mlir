// RUN: flywheel-opt %s --flywheel-lower-state=model-name=net | FileCheck %s

// T45: the message of a check says in which op it is, and if it is of the data:
// no program for the sizes of a call accepts what such a check refuses.
// CHECK: messages = [
// CHECK-SAME: {kind = "check", of_data = 1 : i64, text = "index out of range in 'nn.gather' at {{[^ ]*}}lower-state-checks.mlir:[[#@LINE+9]]:3, found \01"},
// CHECK-SAME: {kind = "check", text = "sizes differ: \01 and \02"},
// CHECK-SAME: {kind = "numerics", of_data = 1 : i64, text = "not finite"}]
func.func @step(%x: memref<?xi32>, %y: memref<?xi32>, %index: memref<index>, %ok: memref<i1>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  %m = memref.dim %y, %c0 : memref<?xi32>
  %at = memref.load %index[] : memref<index>
  %below = arith.cmpi ult, %at, %n : index
  linalg_ext.check data %below, "index out of range" in "nn.gather", ", found \01"(%at)
  %same = linalg_ext.compare_sizes eq %n, %m
  linalg_ext.check sizes %same, "sizes differ: \01 and \02"(%n, %m)
  %finite = memref.load %ok[] : memref<i1>
  linalg_ext.check numerics %finite, "not finite"
  return
}
