// RUN: flywheel-opt %s --flywheel-form-gpu-groups --canonicalize --cse | FileCheck %s
// RUN: flywheel-opt %s --flywheel-form-gpu-groups --canonicalize --cse --flywheel-map-to-gpu | FileCheck %s --check-prefix=MAPPED
// D9: rows of scores whose numbers the call chooses share launches as known ones do.

#factor = affine_map<(b, t, s, d) -> (b, t, d)>
#other = affine_map<(b, t, s, d) -> (b, s, d)>
#product = affine_map<(b, t, s, d) -> (b, t, s)>
#rows3 = affine_map<(b, t, s) -> (b, t, s)>
#rows2 = affine_map<(b, t, s) -> (b, t)>
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Blocks are along the batch, and along the rows of each. No buffer has the scores.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME: %[[Q:[^:]*]]: memref<?x512x8xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[BATCH:.*]] = memref.dim %[[Q]], %c0
// CHECK: scf.forall (%[[B:.*]], %[[T:.*]]) in (%[[BATCH]], 16) {
// CHECK-DAG: %[[TILE:.*]] = memref.alloc() : memref<1x32x128xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[MAX:.*]] = memref.alloc() : memref<1x32xf32, #gpu.address_space<workgroup>>
// CHECK: %[[FIRST:.*]] = affine.apply #{{.*}}(%[[T]])
// CHECK: memref.subview %[[Q]][%[[B]], %[[FIRST]], 0] [1, 32, 8]
// CHECK: scf.for %{{.*}} = %c0 to %c512 step %c128 {
// CHECK: linalg.generic {{.*}} outs(%[[TILE]] :
// CHECK: linalg.generic {{.*}} ins(%[[TILE]] : {{.*}}) outs(%[[MAX]] :
// CHECK: mapping = [#gpu.block<linear_dim_0>, #gpu.block<linear_dim_1>]
// CHECK-NOT: scf.forall
// CHECK: return
func.func @batch(%q: memref<?x512x8xf32>, %k: memref<?x512x8xf32>, %sum: memref<?x512xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.dim %q, %c0 : memref<?x512x8xf32>
  %t = memref.dim %q, %c1 : memref<?x512x8xf32>
  %scores = memref.alloc(%b) : memref<?x512x512xf32>
  %weights = memref.alloc(%b) : memref<?x512x512xf32>
  %max = memref.alloc(%b) : memref<?x512xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<?x512x512xf32>)
  linalg.generic {indexing_maps = [#factor, #other, #product], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<?x512x8xf32>, memref<?x512x8xf32>) outs(%scores : memref<?x512x512xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%low : f32) outs(%max : memref<?x512xf32>)
  linalg.generic {indexing_maps = [#rows3, #rows2], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : memref<?x512x512xf32>) outs(%max : memref<?x512xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows3, #rows2, #rows3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %max : memref<?x512x512xf32>, memref<?x512xf32>) outs(%weights : memref<?x512x512xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %0 = arith.subf %a, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x512xf32>)
  linalg.generic {indexing_maps = [#rows3, #rows2], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%weights : memref<?x512x512xf32>) outs(%sum : memref<?x512xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// The last block along the rows has fewer of them, and the last tile fewer columns: memory is for as many as there can be.
// CHECK-LABEL: func.func @length(
// CHECK-SAME: %[[Q:[^:]*]]: memref<?x?x8xf32>
// CHECK-NOT: memref.alloc
// CHECK-DAG: %[[BATCH:.*]] = memref.dim %[[Q]], %c0
// CHECK-DAG: %[[LENGTH:.*]] = memref.dim %[[Q]], %c1
// CHECK: %[[BLOCKS:.*]] = affine.apply #{{.*}}()[%[[LENGTH]]]
// CHECK: scf.forall (%[[B:.*]], %[[T:.*]]) in (%[[BATCH]], %[[BLOCKS]]) {
// CHECK-DAG: %[[TILE:.*]] = memref.alloc() : memref<1x32x128xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[MAX:.*]] = memref.alloc() : memref<1x32xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[ROWS:.*]] = affine.min #{{.*}}(%[[T]])[%[[LENGTH]]]
// CHECK: scf.for %[[COLUMN:.*]] = %c0 to %[[LENGTH]] step %c128 {
// CHECK: %[[COLUMNS:.*]] = affine.min #{{.*}}(%[[COLUMN]])[%[[LENGTH]]]
// CHECK: %[[PART:.*]] = memref.subview %[[TILE]][0, 0, 0] [1, %[[ROWS]], %[[COLUMNS]]]
// CHECK: linalg.generic {{.*}} outs(%[[PART]] :
// CHECK: mapping
// CHECK-NOT: scf.forall
// CHECK: return
// Copies of what has strides that are not known are as wide as its rows allow.
// MAPPED-LABEL: func.func @length(
// MAPPED: nvgpu.device_async_copy {{.*}}, 4, {{.*}}bypassL1
func.func @length(%q: memref<?x?x8xf32>, %k: memref<?x?x8xf32>, %sum: memref<?x?xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.dim %q, %c0 : memref<?x?x8xf32>
  %t = memref.dim %q, %c1 : memref<?x?x8xf32>
  %scores = memref.alloc(%b, %t, %t) : memref<?x?x?xf32>
  %weights = memref.alloc(%b, %t, %t) : memref<?x?x?xf32>
  %max = memref.alloc(%b, %t) : memref<?x?xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<?x?x?xf32>)
  linalg.generic {indexing_maps = [#factor, #other, #product], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<?x?x8xf32>, memref<?x?x8xf32>) outs(%scores : memref<?x?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%low : f32) outs(%max : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#rows3, #rows2], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : memref<?x?x?xf32>) outs(%max : memref<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows3, #rows2, #rows3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %max : memref<?x?x?xf32>, memref<?x?xf32>) outs(%weights : memref<?x?x?xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %0 = arith.subf %a, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#rows3, #rows2], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%weights : memref<?x?x?xf32>) outs(%sum : memref<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// A tile of a product is in registers, though the last one along the rows is smaller.
// CHECK-LABEL: func.func @tiles(
// CHECK: scf.forall
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: %[[C:.*]] = memref.subview %{{.*}}[0, 0] [%[[ROWS]], 32] [1, 1] : memref<32x32xf32, #gpu.address_space<workgroup>>
// CHECK: linalg.fill {{.*}} outs(%[[C]] :
// CHECK: linalg.matmul {{.*}} outs(%[[C]] :
// CHECK: linalg.generic {{.*}} ins(%[[C]], {{.*}} {codegen.along
// MAPPED-LABEL: func.func @tiles(
// MAPPED-NOT: memref.alloc
// MAPPED: return
func.func @tiles(%x: memref<?x64xf32>, %w: memref<64x256xf32>, %bias: memref<256xf32>, %y: memref<?x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %c = memref.alloc(%n) : memref<?x256xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<?x256xf32>)
  linalg.matmul ins(%x, %w : memref<?x64xf32>, memref<64x256xf32>) outs(%c : memref<?x256xf32>)
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : memref<?x256xf32>, memref<256xf32>) outs(%y : memref<?x256xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}
