// RUN: flywheel-opt %s --flywheel-layout-state=model-name=net | FileCheck %s

// T45: a check that compares no sizes alone is of the data: no program for the
// sizes of a call accepts what this one refuses.
// CHECK: messages = [
// CHECK-SAME: {kind = "check", of_data = 1 : i64, text = "index out of range"},
// CHECK-SAME: {kind = "check", text = "sizes differ"},
// CHECK-SAME: {kind = "check", text = "sizes differ in a branch"},
// CHECK-SAME: {kind = "check", of_data = 1 : i64, text = "data in a branch"},
// CHECK-SAME: {kind = "check", of_data = 1 : i64, text = "one of many"},
// CHECK-SAME: {kind = "check", text = "known"},
// CHECK-SAME: {kind = "numerics", of_data = 1 : i64, text = "not finite"}]
func.func @step(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  %n = memref.dim %x, %c0 : memref<?xi32>
  %m = memref.dim %y, %c0 : memref<?xi32>
  // The limit is a size, and the index an element.
  %element = memref.load %x[%c0] : memref<?xi32>
  %index = arith.index_cast %element : i32 to index
  %below = arith.cmpi ult, %index, %n : index
  cf.assert %below, "index out of range"
  %same = linalg_ext.compare_sizes eq %n, %m
  cf.assert %same, "sizes differ"
  // An element says whether the sizes are compared.
  %reached = scf.if %below -> (i1) {
    scf.yield %same : i1
  } else {
    scf.yield %true : i1
  }
  cf.assert %reached, "sizes differ in a branch"
  // A size says whether the element is.
  %either = arith.ori %below, %false : i1
  %other = scf.if %same -> (i1) {
    scf.yield %either : i1
  } else {
    scf.yield %true : i1
  }
  cf.assert %other, "data in a branch"
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> (i1) {
    %e = memref.load %x[%i] : memref<?xi32>
    %j = arith.index_cast %e : i32 to index
    %good = arith.cmpi ult, %j, %m : index
    %next = arith.andi %ok, %good : i1
    scf.yield %next : i1
  }
  %named = linalg_ext.name_numbers %all, %n
  cf.assert %named, "one of many"
  cf.assert %false, "known"
  cf.assert %all, "not finite" {linalg_ext.numerics}
  return
}
