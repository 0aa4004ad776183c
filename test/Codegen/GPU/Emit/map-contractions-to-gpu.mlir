// RUN: flywheel-opt %s --split-input-file --flywheel-map-to-gpu --canonicalize --cse | FileCheck %s
// D9: contractions by tensor cores, with what follows them in registers.

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// A warp has 32 rows and 16 columns of the tile, 4 fragments. Tiles of 32 terms
// are copied two ahead, 16 bytes a thread, to rows that are 16 bytes longer than
// they need be. The product has no memory: its bias is added to it in registers.
// CHECK-LABEL: func.func @halves(
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[ARENA:.*]] : memref<29184xi8, #gpu.address_space<workgroup>>)
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%c0][] : {{.*}} to memref<3x64x40xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%c15360][] : {{.*}} to memref<3x32x72xbf16, #gpu.address_space<workgroup>>
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[A]][%c0, {{.*}}], 8 {bypassL1}
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[B]][%c0, {{.*}}], 8 {bypassL1}
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[A]][%c1,
// CHECK: nvvm.cp.async.commit.group
// CHECK: %[[SUMS:.*]]:17 = scf.for %{{.*}} = %c0 to %c256 step %c32 iter_args(%[[SLOT:.*]] = %c0,
// CHECK:   nvvm.cp.async.wait.group 1
// CHECK:   gpu.barrier
// CHECK:   nvgpu.device_async_copy
// CHECK:   nvvm.cp.async.commit.group
// CHECK:   nvgpu.ldmatrix %[[A]][%[[SLOT]], {{.*}}] {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x2xbf16>
// CHECK:   nvgpu.ldmatrix %[[B]][%[[SLOT]], {{.*}}] {numTiles = 4 : i32, transpose = true} : {{.*}} -> vector<4x2xbf16>
// CHECK-COUNT-8: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK:   scf.yield
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: gpu.barrier
// CHECK-NOT: memref.load %[[ARENA]]
// CHECK-COUNT-16: arith.addf %[[SUMS]]#
// CHECK: gpu.terminator
func.func @halves(%x: memref<64x256xbf16>, %w: memref<256x64xbf16>, %bias: memref<64xf32>, %y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%block) in (1) {
    %c = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
    linalg.fill ins(%zero : f32) outs(%c : memref<64x64xf32, #gpu.address_space<workgroup>>)
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"],
                    codegen.schedule = #codegen.block<unit = "mma", tile = [64, 64, 0], depth = 32, stages = 3>}
        ins(%x, %w : memref<64x256xbf16>, memref<256x64xbf16>)
        outs(%c : memref<64x64xf32, #gpu.address_space<workgroup>>) {
    ^bb0(%a: bf16, %b: bf16, %sum: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %sum, %2 : f32
      linalg.yield %3 : f32
    }
    linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"],
                    codegen.along = affine_map<(i, j) -> (i, j)>}
        ins(%c, %bias : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64xf32>) outs(%y : memref<64x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}

// -----

// Tiles that are less aligned, or end within a tile, are copied an element at a
// time, with zeros where there is none; narrowed elements go through registers.
// f32 is rounded to tf32 after the copy.
// CHECK-LABEL: func.func @odd(
// CHECK: gpu.launch
// CHECK: nvgpu.device_async_copy %{{.*}}, 1, %{{.*}} : memref<33x17xf32>
// CHECK: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>)
// CHECK: gpu.launch
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// CHECK: vector.store
// CHECK: nvgpu.mma.sync({{.*}} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>)
func.func @odd(%x: memref<33x17xf32>, %w: memref<17x5xf32>, %y: memref<33x5xf32>,
               %u: memref<32x64xf32>, %v: memref<64x32xf32>, %z: memref<32x32xf32>) {
  scf.forall (%block) in (1) {
    linalg.matmul {codegen.schedule = #codegen.block<unit = "mma", tile = [32, 32, 0], depth = 16, stages = 2>}
        ins(%x, %w : memref<33x17xf32>, memref<17x5xf32>) outs(%y : memref<33x5xf32>)
  } {mapping = [#gpu.block<linear_dim_0>]}
  scf.forall (%block) in (1) {
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                     affine_map<(m, n, k) -> (m, n)>],
                    iterator_types = ["parallel", "parallel", "reduction"],
                    codegen.schedule = #codegen.block<unit = "mma", tile = [32, 32, 0], depth = 16, stages = 2>}
        ins(%u, %v : memref<32x64xf32>, memref<64x32xf32>) outs(%z : memref<32x32xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.truncf %a : f32 to f16
      %1 = arith.extf %0 : f16 to f32
      %2 = arith.truncf %b : f32 to f16
      %3 = arith.extf %2 : f16 to f32
      %4 = arith.mulf %1, %3 : f32
      %5 = arith.addf %sum, %4 : f32
      linalg.yield %5 : f32
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}
