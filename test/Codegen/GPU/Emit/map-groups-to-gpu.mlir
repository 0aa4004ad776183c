// RUN: flywheel-opt %s --flywheel-map-to-gpu --canonicalize --cse | FileCheck %s
// D9: ops share launches.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// 64 threads add up each of 4 rows: each in strides of 64, then a tree. All
// threads reach each barrier. The fill is what the sum starts from.
// CHECK-LABEL: func.func @sums(
// CHECK: gpu.launch blocks(%[[BLOCK:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c512, %{{.*}} = %c1, %{{.*}} = %c1) threads({{.*}}) in (%{{.*}} = %c256,
// CHECK-SAME: workgroup(%[[ARENA:.*]] : memref<1024xi8, #gpu.address_space<workgroup>>)
// CHECK: %[[LANE:.*]] = arith.remui %[[THREAD:.*]], %c64
// CHECK: %[[ROW:.*]] = arith.divui %[[THREAD]], %c64
// CHECK: %[[PART:.*]] = scf.for %[[J:.*]] = %[[LANE]] to %{{.*}} step %c64 iter_args(%[[SUM:.*]] = %cst)
// CHECK:   memref.load %{{.*}}[%[[ROW]], %[[J]]]
// CHECK:   arith.addf %[[SUM]]
// CHECK: %[[SHARED:.*]] = memref.view %[[ARENA]][%c0][] : {{.*}} to memref<256xf32, #gpu.address_space<workgroup>>
// CHECK: memref.store %[[PART]], %[[SHARED]][%[[THREAD]]]
// CHECK-COUNT-6: gpu.barrier
// CHECK: arith.cmpi eq, %[[LANE]], %c0
// CHECK: scf.if
// CHECK:   arith.addf
// CHECK:   memref.store %{{.*}}, %{{.*}}[%[[ROW]]]
// CHECK: gpu.terminator
func.func @sums(%x: memref<2048x256xf32>, %y: memref<2048xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%block) in (512) {
    %first = affine.apply affine_map<(d) -> (d * 4)>(%block)
    %rows = memref.subview %x[%first, 0] [4, 256] [1, 1]
        : memref<2048x256xf32> to memref<4x256xf32, strided<[256, 1], offset: ?>>
    %sums = memref.subview %y[%first] [4] [1] : memref<2048xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%sums : memref<4xf32, strided<[1], offset: ?>>)
    linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%rows : memref<4x256xf32, strided<[256, 1], offset: ?>>)
        outs(%sums : memref<4xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.addf %out, %a : f32
      linalg.yield %0 : f32
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}

// A thread has 4 x 4 results in registers. Tiles of 16 terms are copied to
// workgroup memory, one ahead, after the result that the next op reads there: one
// barrier a tile.
// CHECK-LABEL: func.func @product(
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[ARENA:.*]] : memref<{{[0-9]+}}xi8, #gpu.address_space<workgroup>>)
// CHECK: %[[C:.*]] = memref.view %[[ARENA]][%c0][] : {{.*}} to memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%c16384][] : {{.*}} to memref<2x64x20xf32, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = memref.view %[[ARENA]]{{.*}} to memref<2x16x64xf32, #gpu.address_space<workgroup>>
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[A]][%c0, {{.*}}, 4 {bypassL1}
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[B]][%c0, {{.*}}, 4 {bypassL1}
// CHECK: %[[SUMS:.*]]:17 = scf.for %{{.*}} = %c0 to %c256 step %c16 iter_args(
// CHECK:   nvvm.cp.async.wait.group 0
// CHECK:   gpu.barrier
// CHECK:   nvgpu.device_async_copy
// CHECK:   vector.load %[[A]]{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK:   vector.load %[[B]]{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-COUNT-256: math.fma
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK: memref.store %[[SUMS]]#1, %[[C]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[C]]
// CHECK: arith.maximumf
// CHECK: gpu.terminator
func.func @product(%x: memref<64x256xf32>, %w: memref<256x64xf32>, %y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%block) in (1) {
    %c = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
    linalg.fill ins(%zero : f32) outs(%c : memref<64x64xf32, #gpu.address_space<workgroup>>)
    linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [64, 64, 0], depth = 16, stages = 2>}
        ins(%x, %w : memref<64x256xf32>, memref<256x64xf32>)
        outs(%c : memref<64x64xf32, #gpu.address_space<workgroup>>)
    linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%c : memref<64x64xf32, #gpu.address_space<workgroup>>) outs(%y : memref<64x64xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.maximumf %a, %zero : f32
      linalg.yield %0 : f32
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}
