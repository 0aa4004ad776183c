// RUN: flywheel-opt %s --flywheel-verify-in-place | FileCheck %s

// A snapshot, and a plain assignment of a value computed elsewhere, are not copies of
// a variable.
// CHECK-LABEL: func.func @step(
// CHECK-COUNT-3: copy
func.func @step(%x: memref<4xf32>, %r: memref<?xf32> {train.result = 0 : i64},
                %v: memref<4xf32> {train.variable = @v, train.writes},
                %w: memref<4xf32> {train.variable = @w, train.updated, train.writes}) {
  %new = memref.alloc() : memref<4xf32>
  linalg.copy {train.snapshot = @w} ins(%w : memref<4xf32>) outs(%new : memref<4xf32>)
  memref.copy %new, %v : memref<4xf32> to memref<4xf32>
  memref.copy %v, %r : memref<4xf32> to memref<?xf32>
  return
}

// The old value of a variable that the step does not write is never lost.
// CHECK-LABEL: func.func @read(
// CHECK: memref.copy
func.func @read(%v: memref<4xf32> {train.variable = @v, train.reads}) {
  %buffer = memref.alloc() : memref<8xf32>
  %source = memref.subview %v[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %target = memref.subview %buffer[3] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: 3>>
  memref.copy %source, %target : memref<2xf32, strided<[1]>> to memref<2xf32, strided<[1], offset: 3>>
  return
}

// One variable assigned to another is a copy by itself; so is a part, and what is put
// into one. A loop has arguments of its own.
// CHECK-LABEL: func.func @parts(
// CHECK-COUNT-5: copy
func.func @parts(%v: memref<4xf32> {train.variable = @v, train.writes}, %w: memref<4xf32> {train.variable = @w, train.updated, train.writes}, %n: index) {
  memref.copy %v, %w : memref<4xf32> to memref<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = memref.alloc() : memref<2xf32>
  %part = memref.subview %w[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  memref.copy %part, %half : memref<2xf32, strided<[1]>> to memref<2xf32>
  linalg.copy ins(%part : memref<2xf32, strided<[1]>>) outs(%half : memref<2xf32>)
  %both = memref.alloc() : memref<8xf32>
  %place = memref.subview %both[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %w, %place : memref<4xf32> to memref<4xf32, strided<[1]>>
  %other = memref.alloc() : memref<4xf32>
  %from = memref.alloc() : memref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %from) -> (memref<4xf32>) {
    memref.copy %p, %other : memref<4xf32> to memref<4xf32>
    scf.yield %p : memref<4xf32>
  }
  return
}

// An assigned variable is copied if a check keeps the other variable from being
// written.
// CHECK-LABEL: func.func @stored(
// CHECK: memref.copy {{.*}} {linalg_ext.assigned}
func.func @stored(%w: memref<4xf32> {train.variable = @w, train.reads, train.updated, train.writes}) {
  %other = memref.alloc() : memref<4xf32>
  memref.copy %w, %other {linalg_ext.assigned} : memref<4xf32> to memref<4xf32>
  return
}

// A panel is asked for by a schedule, be it as large as the variable.
// CHECK-LABEL: func.func @panel(
// CHECK: linalg.copy {codegen.panel}
func.func @panel(%w: memref<4x8xf32> {train.variable = @w, train.reads, train.updated, train.writes}) {
  %other = memref.alloc() : memref<4x8xf32>
  linalg.copy {codegen.panel} ins(%w : memref<4x8xf32>) outs(%other : memref<4x8xf32>)
  return
}
