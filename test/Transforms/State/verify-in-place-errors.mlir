// RUN: flywheel-opt %s --flywheel-verify-in-place --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s --implicit-check-not=func.func

func.func @copy(%v: memref<4xf32> {train.variable = @v, train.reads, train.updated, train.writes}) {
  %old = memref.alloc() : memref<4xf32>
  // expected-error@below {{this step copies variable @v: expected its old value to be read before it is overwritten, found a copy of 'memref<4xf32>'}}
  memref.copy %v, %old : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A variable that the program assigns may be copied.
// CHECK: func.func{{.*}} @assigned(
func.func @assigned(%v: memref<4xf32> {train.variable = @v, train.reads, train.writes}) {
  %old = memref.alloc() : memref<4xf32>
  memref.copy %v, %old : memref<4xf32> to memref<4xf32>
  linalg.copy ins(%v : memref<4xf32>) outs(%old : memref<4xf32>)
  memref.copy %old, %v : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Part of a variable, into part of a buffer: an insertion.
// CHECK: func.func{{.*}} @slice(
func.func @slice(%v: memref<4xf32> {train.variable = @v, train.reads, train.writes}) {
  %buffer = memref.alloc() : memref<8xf32>
  %source = memref.subview %v[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %target = memref.subview %buffer[3] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: 3>>
  memref.copy %source, %target : memref<2xf32, strided<[1]>> to memref<2xf32, strided<[1], offset: 3>>
  return
}

// -----

// An update that is computed elsewhere and copied in.
func.func @update(%w: memref<4xf32> {train.variable = @w, train.reads, train.updated, train.writes}) {
  %new = memref.alloc() : memref<4xf32>
  linalg.exp ins(%w : memref<4xf32>) outs(%new : memref<4xf32>)
  // expected-error@below {{this step copies a new value into variable @w: expected the update to write in place}}
  memref.copy %new, %w : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @structured(%v: memref<4xf32> {train.variable = @v, train.reads, train.updated, train.writes}) {
  %old = memref.alloc() : memref<4xf32>
  // expected-error@below {{this step copies variable @v: expected its old value to be read before it is overwritten, found a copy of 'memref<4xf32>'}}
  linalg.copy ins(%v : memref<4xf32>) outs(%old : memref<4xf32>)
  return
}

// -----

func.func @structured_update(%w: memref<4xf32> {train.variable = @w, train.reads, train.updated, train.writes}) {
  %new = memref.alloc() : memref<4xf32>
  // expected-error@below {{this step copies a new value into variable @w: expected the update to write in place}}
  linalg.copy ins(%new : memref<4xf32>) outs(%w : memref<4xf32>)
  return
}
