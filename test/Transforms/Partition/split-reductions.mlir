// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(flywheel-split-reductions{min-work=4096}))' | FileCheck %s
// RUN: flywheel-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(flywheel-split-reductions{min-work=4096},flywheel-distribute-step{workers=3 min-work=1 min-loop-work=1000}))' | FileCheck %s --check-prefix=SHARED
// RUN: flywheel-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(flywheel-split-reductions{min-work=1000000}))' | FileCheck %s --check-prefix=WHOLE
// T12: a step has the same bits for any number of threads.

// WHOLE-NOT: scf.for %{{.*}} step %c4

// Each block of a reduction to one number has a result of its own, and these
// are combined in order: by the first worker, after all have computed theirs.
// CHECK-LABEL: func.func @sum
// CHECK: %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c64{{.*}} step %c4
// CHECK: %[[BLOCK:.*]] = affine.apply {{.*}}(%[[I]])
// CHECK-NEXT: %[[OWN:.*]] = memref.subview %[[ALL]][%[[BLOCK]]] [1] [1]
// CHECK: linalg.fill ins(%cst{{.*}}) outs(%[[OWN]]
// CHECK: linalg.generic {{.*}} outs(%[[OWN]]
// CHECK: linalg.generic {{.*}} ins(%[[ALL]] : memref<16xf32>) outs(%arg1 : memref<f32>)
// SHARED-LABEL: func.func @sum
// SHARED: scf.for
// SHARED: linalg.generic
// SHARED: codegen.barrier
// SHARED-NEXT: scf.if %{{.*}} {
// SHARED-NEXT: linalg.generic {{.*}} ins(%{{.*}} : memref<16xf32>)
func.func @sum(%x: memref<64x64xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : memref<64x64xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %e = arith.addf %o, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// Columns are blocks enough: each sum stays whole.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: scf.for
// CHECK: return
func.func @columns(%x: memref<64x256xf32>, %s: memref<256xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<64x256xf32>) outs(%s : memref<256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = arith.addf %o, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// The iterations of the first loop are independent, so it is shared as a whole.
// Those of the second one are not.
// CHECK-LABEL: func.func @loops
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<64x64xf32, strided<[64, 1], offset: ?>>)
// CHECK: scf.for
// CHECK: scf.for
// CHECK: linalg.generic
func.func @loops(%x: memref<4x64x64xf32>, %s: memref<4xf32>, %t: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %own = memref.subview %x[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<4x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    %out = memref.subview %s[%i] [1] [1] : memref<4xf32> to memref<f32, strided<[], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%own : memref<64x64xf32, strided<[64, 1], offset: ?>>) outs(%out : memref<f32, strided<[], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %e = arith.addf %o, %a : f32
      linalg.yield %e : f32
    }
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %own = memref.subview %x[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<4x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%own : memref<64x64xf32, strided<[64, 1], offset: ?>>) outs(%t : memref<f32>) {
    ^bb0(%a: f32, %o: f32):
      %e = arith.addf %o, %a : f32
      linalg.yield %e : f32
    }
  }
  return
}
