// RUN: flywheel-opt %s --flywheel-collapse-copies | FileCheck %s

// Rows of pixels are next to each other in the image, and in the middle of the
// padded one; rows of images and images are not.
// CHECK-LABEL: func.func @pad(
// CHECK-SAME: %[[X:[^:]*]]: memref<2x28x28x3xf32>,
// CHECK: %[[IN:.*]] = memref.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]] : memref<2x28x28x3xf32> into memref<2x28x84xf32>
// CHECK: %[[OUT:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] : memref<2x28x28x3xf32, strided<[2700, 90, 3, 1], offset: 93>> into memref<2x28x84xf32, strided<[2700, 90, 1], offset: 93>>
// CHECK: linalg.copy ins(%[[IN]] : {{.*}}) outs(%[[OUT]] : {{.*}})
func.func @pad(%x: memref<2x28x28x3xf32>, %y: memref<2x30x30x3xf32>) {
  %s = memref.subview %y[0, 1, 1, 0] [2, 28, 28, 3] [1, 1, 1, 1] : memref<2x30x30x3xf32> to memref<2x28x28x3xf32, strided<[2700, 90, 3, 1], offset: 93>>
  linalg.copy ins(%x : memref<2x28x28x3xf32>) outs(%s : memref<2x28x28x3xf32, strided<[2700, 90, 3, 1], offset: 93>>)
  return
}

// Sizes that a call chooses, where no stride depends on them.
// CHECK-LABEL: func.func @dynamic(
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : memref<?x?x4xf32, strided<[100, 4, 1]>> into memref<?x?xf32, strided<[100, 1]>>
// EXAMPLE: --flywheel-collapse-copies
func.func @dynamic(%x: memref<?x?x4xf32, strided<[100, 4, 1]>>, %y: memref<?x?x4xf32>) {
  linalg.copy ins(%x : memref<?x?x4xf32, strided<[100, 4, 1]>>) outs(%y : memref<?x?x4xf32>)
  return
}

// CHECK-LABEL: func.func @apart(
// CHECK-NOT: memref.collapse_shape
// CHECK: return
func.func @apart(%x: memref<4x8xf32>, %y: memref<4x8xf32, strided<[16, 1]>>) {
  linalg.copy ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32, strided<[16, 1]>>)
  return
}
