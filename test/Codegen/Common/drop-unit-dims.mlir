// RUN: flywheel-opt %s --flywheel-drop-unit-dims --canonicalize | FileCheck %s
// RUN: flywheel-opt %s --flywheel-drop-unit-dims --flywheel-choose-schedules | FileCheck %s --check-prefix=CHOSEN

#id2 = affine_map<(i, j) -> (i, j)>
#id4 = affine_map<(n, h, w, c) -> (n, h, w, c)>
#row = affine_map<(k, i, j) -> (i, j)>
#term = affine_map<(k, i, j) -> (k)>
#windows = affine_map<(n, h, w, c, p, q) -> (n, h * 2 + p, w * 2 + q, c)>
#place = affine_map<(n, h, w, c, p, q) -> (p, q)>
#outputs = affine_map<(n, h, w, c, p, q) -> (n, h, w, c)>

module attributes {codegen.target = #codegen.cpu<vector_bits = 256, vector_registers = 16, l1_bytes = 49152, l2_bytes = 1048576, cores = 1, features = ["fma"]>} {

// A column without gaps is a vector.
// CHECK-LABEL: func.func @column(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x1xf64>, %[[H:[^:]*]]: memref<3xf64>, %[[Y:[^:]*]]: memref<?x1xf64>)
// CHECK: %[[XS:.*]] = memref.collapse_shape %[[X]] {{\[\[}}0, 1]] : memref<?x1xf64> into memref<?xf64>
// CHECK: %[[YS:.*]] = memref.collapse_shape %[[Y]] {{\[\[}}0, 1]] : memref<?x1xf64> into memref<?xf64>
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel"]
// CHECK-SAME: ins(%[[XS]], %[[H]] : memref<?xf64>, memref<3xf64>) outs(%[[YS]] : memref<?xf64>)
// CHOSEN-LABEL: func.func @column(
// CHOSEN: linalg.generic
// CHOSEN-SAME: codegen.schedule = #codegen.vector<along
func.func @column(%x: memref<?x1xf64>, %h: memref<3xf64>, %y: memref<?x1xf64>) {
  linalg.generic {indexing_maps = [#row, #term, #row], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x, %h : memref<?x1xf64>, memref<3xf64>) outs(%y : memref<?x1xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %e = math.exp %a : f64
    %0 = arith.mulf %e, %b : f64
    %1 = arith.addf %out, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// An image of one channel, and its position; a column of a matrix keeps its gaps.
// CHECK-LABEL: func.func @image(
// CHECK-SAME: %[[X:[^:]*]]: memref<2x6x6x1xf32>, %[[Y:[^:]*]]: memref<2x6x6x1xf32, strided<[360, 60, 10, 1], offset: 3>>)
// CHECK: %[[XS:.*]] = memref.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]] : memref<2x6x6x1xf32> into memref<2x6x6xf32>
// CHECK: %[[YS:.*]] = memref.subview %[[Y]][0, 0, 0, 0] [2, 6, 6, 1] [1, 1, 1, 1] : {{.*}} to memref<2x6x6xf32, strided<[360, 60, 10], offset: 3>>
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel"]
// CHECK-SAME: ins(%[[XS]] : memref<2x6x6xf32>) outs(%[[YS]] :
// CHECK: linalg.index 2 : index
func.func @image(%x: memref<2x6x6x1xf32>, %y: memref<2x6x6x1xf32, strided<[360, 60, 10, 1], offset: 3>>) {
  linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : memref<2x6x6x1xf32>) outs(%y : memref<2x6x6x1xf32, strided<[360, 60, 10, 1], offset: 3>>) {
  ^bb0(%a: f32, %out: f32):
    %w = linalg.index 2 : index
    %c = linalg.index 3 : index
    %0 = arith.addi %w, %c : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// A window at one place of an image that is larger than it; and one that is as large as the image.
// CHECK-LABEL: func.func @window(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-SAME: memref<4x5xf32>, memref<3x3xi8>) outs(%{{.*}} : memref<1x1xf32>)
func.func @window(%x: memref<1x4x5x1xf32>, %window: memref<3x3xi8>, %y: memref<1x1x1x1xf32>) {
  linalg.generic {indexing_maps = [#windows, #place, #outputs],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : memref<1x4x5x1xf32>, memref<3x3xi8>) outs(%y : memref<1x1x1x1xf32>) {
  ^bb0(%a: f32, %_: i8, %out: f32):
    %0 = arith.maximumf %a, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @whole_window(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "reduction"]
// CHECK-SAME: memref<3x3xf32>, memref<3x3xi8>) outs(%{{.*}} : memref<f32>)
func.func @whole_window(%x: memref<1x3x3x1xf32>, %window: memref<3x3xi8>, %y: memref<1x1x1x1xf32>) {
  linalg.generic {indexing_maps = [#windows, #place, #outputs],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : memref<1x3x3x1xf32>, memref<3x3xi8>) outs(%y : memref<1x1x1x1xf32>) {
  ^bb0(%a: f32, %_: i8, %out: f32):
    %0 = arith.maximumf %a, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// A schedule is for the existing loops.
// CHECK-LABEL: func.func @scheduled(
// CHECK-NOT: collapse_shape
// CHECK: return
func.func @scheduled(%x: memref<8x1xf32>, %y: memref<8x1xf32>) {
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"], codegen.schedule = #codegen.loops}
      ins(%x : memref<8x1xf32>) outs(%y : memref<8x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}

}
