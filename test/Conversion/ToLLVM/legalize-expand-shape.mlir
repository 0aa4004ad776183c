// RUN: flywheel-opt %s --flywheel-legalize-expand-shape | FileCheck %s
// RUN: flywheel-opt %s --flywheel-legalize-expand-shape --expand-strided-metadata | FileCheck %s --check-prefix=LOWERED

// X11: the sizes are those that the op was given.
// CHECK-LABEL: func @several
// CHECK-SAME: (%[[M:.*]]: memref<?x2xf64>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[M]]
// CHECK: %[[STRIDE:.*]] = arith.muli %{{.*}}, %[[B]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[A]], %[[B]], 2], strides: [%[[STRIDE]], 2, 1]
// LOWERED-LABEL: func @several
// LOWERED-NOT: expand_shape
// LOWERED: return
// EXAMPLE: --flywheel-legalize-expand-shape
func.func @several(%m: memref<?x2xf64>, %a: index, %b: index) -> memref<?x?x2xf64> {
  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, %b, 2] : memref<?x2xf64> into memref<?x?x2xf64>
  return %e : memref<?x?x2xf64>
}

// CHECK-LABEL: func @strided
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %[[S:.*]] = memref.extract_strided_metadata
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%{{.*}}, 3, %{{.*}}], strides: [%{{.*}}, %{{.*}}, %[[S]]]
func.func @strided(%m: memref<?xf32, strided<[?], offset: ?>>, %a: index, %b: index) -> memref<?x3x?xf32, strided<[?, ?, ?], offset: ?>> {
  %e = memref.expand_shape %m [[0, 1, 2]] output_shape [%a, 3, %b]
      : memref<?xf32, strided<[?], offset: ?>> into memref<?x3x?xf32, strided<[?, ?, ?], offset: ?>>
  return %e : memref<?x3x?xf32, strided<[?, ?, ?], offset: ?>>
}

// One dynamic dimension size a group is upstream's.
// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[M:[^:]*]]: memref<?x2xf64>, %[[A:[^:]*]]: index) -> memref<?x4x2xf64>
// CHECK-NEXT: %[[EXPAND_SHAPE:.*]] = memref.expand_shape %[[M]] {{\[\[}}0, 1], [2]] output_shape [%[[A]], 4, 2] : memref<?x2xf64> into memref<?x4x2xf64>
// CHECK-NEXT: return %[[EXPAND_SHAPE]] : memref<?x4x2xf64>
func.func @one(%m: memref<?x2xf64>, %a: index) -> memref<?x4x2xf64> {
  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, 4, 2] : memref<?x2xf64> into memref<?x4x2xf64>
  return %e : memref<?x4x2xf64>
}
