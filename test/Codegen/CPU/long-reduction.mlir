// RUN: timeout 60 flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-vectorize-kernels | FileCheck %s

// The time to emit a kernel does not depend on the length of its reductions:
// each step of `b` was tried as one by which neighbours share a window.
// CHECK-LABEL: func.func @long
// CHECK: step
// CHECK: vector.fma
func.func @long(%x: memref<4x1000000000x8xf32>, %d: memref<5x1000000000x8xf32>, %w: memref<4x5xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, b, k) -> (i, b, k)>, affine_map<(i, j, b, k) -> (j, b, k)>,
                                   affine_map<(i, j, b, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %d : memref<4x1000000000x8xf32>, memref<5x1000000000x8xf32>) outs(%w : memref<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}
