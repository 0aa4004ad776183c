// RUN: flywheel-opt %s --flywheel-lower-copies | FileCheck %s

// Contiguous buffers are copied as they are; where either is strided, or a byte
// has to become a boolean, a structured op does it.
// CHECK-LABEL: func.func @copies(
// CHECK-SAME: %[[A:[^:]*]]: memref<4x4xf32>, %[[B:[^:]*]]: memref<4x4xf32>, %[[C:[^:]*]]: memref<4x2xf32>, %[[P:[^:]*]]: memref<4xi1>, %[[Q:[^:]*]]: memref<4xi1>)
// CHECK-NEXT: memref.copy %[[A]], %[[B]] : memref<4x4xf32> to memref<4x4xf32>
// CHECK-NEXT: %[[SUBVIEW:.*]] = memref.subview %[[A]][0, 0] [4, 2] [1, 1] : memref<4x4xf32> to memref<4x2xf32, strided<[4, 1]>>
// CHECK-NEXT: linalg.copy ins(%[[SUBVIEW]] : memref<4x2xf32, strided<[4, 1]>>) outs(%[[C]] : memref<4x2xf32>)
// CHECK-NEXT: linalg.copy ins(%[[C]] : memref<4x2xf32>) outs(%[[SUBVIEW]] : memref<4x2xf32, strided<[4, 1]>>)
// CHECK-NEXT: linalg.copy ins(%[[P]] : memref<4xi1>) outs(%[[Q]] : memref<4xi1>)
// CHECK-NEXT: return
// EXAMPLE: --flywheel-lower-copies
func.func @copies(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x2xf32>, %p: memref<4xi1>, %q: memref<4xi1>) {
  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>
  %s = memref.subview %a[0, 0] [4, 2] [1, 1] : memref<4x4xf32> to memref<4x2xf32, strided<[4, 1]>>
  memref.copy %s, %c : memref<4x2xf32, strided<[4, 1]>> to memref<4x2xf32>
  memref.copy %c, %s : memref<4x2xf32> to memref<4x2xf32, strided<[4, 1]>>
  memref.copy %p, %q : memref<4xi1> to memref<4xi1>
  return
}
