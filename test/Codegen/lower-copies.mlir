// RUN: flywheel-opt %s --flywheel-lower-copies | FileCheck %s

// CHECK-LABEL: func.func @copies(
// CHECK: memref.copy %{{.*}} : memref<4x4xf32> to memref<4x4xf32>
// CHECK: linalg.copy ins(%{{.*}} : memref<4x2xf32, strided<[4, 1]>>) outs(%{{.*}} : memref<4x2xf32>)
// CHECK-NOT: memref.copy
func.func @copies(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x2xf32>) {
  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>
  %s = memref.subview %a[0, 0] [4, 2] [1, 1] : memref<4x4xf32> to memref<4x2xf32, strided<[4, 1]>>
  memref.copy %s, %c : memref<4x2xf32, strided<[4, 1]>> to memref<4x2xf32>
  return
}
