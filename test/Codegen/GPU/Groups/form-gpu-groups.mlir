// RUN: flywheel-opt %s --flywheel-form-gpu-groups --canonicalize --cse | FileCheck %s
// D9: ops share launches.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#id = affine_map<(i) -> (i)>

// A softmax is one group of rows. Buffers that only it uses are in workgroup
// memory, one part of it for each block, and are filled there.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:[^:]*]]: memref<2048x256xf32>, %[[Y:[^:]*]]: memref<2048x256xf32>)
// CHECK-NOT: memref.alloc
// CHECK: scf.forall (%[[BLOCK:.*]]) in (512) {
// CHECK-COUNT-2: memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK: linalg.fill ins({{.*}}) outs(%[[A:.*]] : memref<4xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[FIRST:.*]] = affine.apply #{{.*}}(%[[BLOCK]])
// CHECK: %[[ROWS:.*]] = memref.subview %[[X]][%[[FIRST]], 0] [4, 256] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] : {{.*}}) outs(%[[A]] :
// CHECK: %[[OUT:.*]] = memref.subview %[[Y]][%[[FIRST]], 0] [4, 256] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %[[A]] : {{.*}}) outs(%[[OUT]] :
// CHECK: linalg.generic {{.*}} ins(%[[OUT]] : {{.*}}) outs(%[[B:.*]] :
// CHECK: linalg.generic {{.*}} ins(%[[B]] : {{.*}}) outs(%[[OUT]] :
// CHECK: mapping = [#gpu.block<linear_dim_0>]
// CHECK-NEXT: return
func.func @softmax(%x: memref<2048x256xf32>, %y: memref<2048x256xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %max = memref.alloc() : memref<2048xf32>
  %sum = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%low : f32) outs(%max : memref<2048xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<2048x256xf32>) outs(%max : memref<2048xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : memref<2048x256xf32>, memref<2048xf32>) outs(%y : memref<2048x256xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %0 = arith.subf %a, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<2048xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<2048x256xf32>) outs(%sum : memref<2048xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<2048xf32>) outs(%y : memref<2048x256xf32>) {
  ^bb0(%s: f32, %out: f32):
    %0 = arith.divf %out, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// A product, its bias and a transposition of it by heads are one group of tiles.
// The product is in workgroup memory only.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %[[X:[^:]*]]: memref<2048x256xf32>, %[[W:[^:]*]]: memref<256x256xf32>, %[[BIAS:[^:]*]]: memref<256xf32>, %[[Y:[^:]*]]: memref<16x8x128x32xf32>)
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (64, 4) {
// CHECK: %[[ROWS:.*]] = memref.subview %[[X]][%[[I:.*]], 0] [32, 256] [1, 1]
// CHECK: %[[COLUMNS:.*]] = memref.subview %[[W]][0, %[[J:.*]]] [256, 64] [1, 1]
// CHECK: linalg.matmul ins(%[[ROWS]], %[[COLUMNS]] : {{.*}}) outs(%[[C:.*]] : memref<32x64xf32, #gpu.address_space<workgroup>>)
// CHECK: linalg.generic {{.*}} outs(%[[C]] :
// CHECK: %[[SPLIT:.*]] = memref.expand_shape %[[C]] {{.*}} into memref<1x32x2x32xf32, #gpu.address_space<workgroup>>
// CHECK: linalg.transpose ins(%[[SPLIT]] : {{.*}}) outs({{.*}} : memref<1x2x32x32xf32, strided<{{.*}}>>)
// CHECK: mapping = [#gpu.block<linear_dim_0>, #gpu.block<linear_dim_1>]
// CHECK-NEXT: return
func.func @heads(%x: memref<2048x256xf32>, %w: memref<256x256xf32>, %bias: memref<256xf32>,
                 %y: memref<16x8x128x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<2048x256xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<2048x256xf32>)
  linalg.matmul ins(%x, %w : memref<2048x256xf32>, memref<256x256xf32>) outs(%c : memref<2048x256xf32>)
  linalg.generic {indexing_maps = [#column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<256xf32>) outs(%c : memref<2048x256xf32>) {
  ^bb0(%b: f32, %out: f32):
    %0 = arith.addf %out, %b : f32
    linalg.yield %0 : f32
  }
  %split = memref.expand_shape %c [[0, 1], [2, 3]] output_shape [16, 128, 8, 32]
      : memref<2048x256xf32> into memref<16x128x8x32xf32>
  linalg.transpose ins(%split : memref<16x128x8x32xf32>) outs(%y : memref<16x8x128x32xf32>) permutation = [0, 2, 1, 3]
  return
}

// Sums of columns are those of parts of the rows first, which are in the group
// that computes the rows; what joins them is in another launch, as another block
// may not have written its part yet.
// CHECK-LABEL: func.func @column_sums(
// CHECK-SAME: %[[X:[^:]*]]: memref<2048x256xf32>, %[[Y:[^:]*]]: memref<2048x256xf32>, %[[Z:[^:]*]]: memref<256xf32>)
// CHECK: %[[ROWS:.*]] = memref.expand_shape %[[Y]] {{.*}} into memref<128x16x256xf32>
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<128x256xf32>
// CHECK: scf.forall (%{{.*}}) in (128) {
// CHECK:   math.exp
// CHECK:   %[[PART:.*]] = memref.subview %[[PARTS]][%{{.*}}, 0] [1, 256] [1, 1]
// CHECK:   linalg.fill {{.*}} outs(%[[PART]]
// CHECK:   memref.subview %[[ROWS]][%{{.*}}, 0, 0] [1, 16, 256] [1, 1, 1]
// CHECK:   linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]{{.*}} outs(%[[PART]]
// CHECK: mapping
// CHECK: scf.forall (%{{.*}}) in (8)
// CHECK:   memref.subview %[[PARTS]][0, %{{.*}}] [128, 32] [1, 1]
// CHECK:   linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
// CHECK: mapping
// CHECK-NEXT: return
func.func @column_sums(%x: memref<2048x256xf32>, %y: memref<2048x256xf32>, %z: memref<256xf32>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<2048x256xf32>) outs(%y : memref<2048x256xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<2048x256xf32>) outs(%z : memref<256xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Ops that do not need each other's results are one launch, block after block.
// CHECK-LABEL: func.func @side_by_side(
// CHECK: scf.forall (%[[BLOCK:.*]]) in (72) {
// CHECK:   %[[FIRST:.*]] = arith.cmpi ult, %[[BLOCK]], %c8
// CHECK:   scf.if %[[FIRST]] {
// CHECK:     memref.subview %{{.*}}[%[[BLOCK]], 0] [1, 9000] [1, 1]
// CHECK:     linalg.generic
// CHECK:   } else {
// CHECK:     %[[OTHER:.*]] = arith.subi %[[BLOCK]], %c8
// CHECK:     memref.subview %{{.*}}[%[[OTHER]], 0] [1, 999] [1, 1]
// CHECK:     linalg.generic
// CHECK:   }
// CHECK: mapping
// CHECK-NEXT: return
func.func @side_by_side(%x: memref<8x9000xf32>, %y: memref<8xf32>, %u: memref<64x999xf32>, %v: memref<64xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x9000xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%u : memref<64x999xf32>) outs(%v : memref<64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// A later iteration of a loop reads the values of the one before: not private.
// CHECK-LABEL: func.func @kept(
// CHECK: %[[KEPT:.*]] = memref.alloc() : memref<4096xf32>
// CHECK: scf.for
// CHECK:   scf.forall
// CHECK-NOT: memref.alloc
// CHECK:     memref.subview %[[KEPT]]
// CHECK:   mapping
func.func @kept(%x: memref<4096xf32>, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = memref.alloc() : memref<4096xf32>
  scf.for %i = %c0 to %count step %c1 {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%kept : memref<4096xf32>) outs(%x : memref<4096xf32>) {
    ^bb0(%a: f32, %out: f32):
      linalg.yield %a : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : memref<4096xf32>) outs(%kept : memref<4096xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.addf %a, %out : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// Terms whose number the call chooses are added up in 16 parts of one length, the
// last ones of which may have none; then the parts are.
// CHECK-LABEL: func.func @dynamic_terms(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x1024xf32>, %[[Y:[^:]*]]: memref<1024xf32>)
// CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[LENGTH:.*]] = affine.apply #{{.*}}()[%[[ROWS]]]
// CHECK: scf.forall (%[[PIECE:.*]], %[[TILE:.*]]) in (9, 16) {
// CHECK: %[[BEGIN:.*]] = arith.muli %[[PIECE]], %[[LENGTH]]
// CHECK: %[[FIRST:.*]] = arith.minui %[[BEGIN]], %[[ROWS]]
// CHECK: %[[SIZE:.*]] = affine.min #{{.*}}
// CHECK: memref.subview %[[X]][%[[FIRST]], %{{.*}}] [%[[SIZE]], 64] [1, 1]
// CHECK: mapping = [#gpu.block<linear_dim_0>, #gpu.block<linear_dim_1>]
// CHECK: scf.forall
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]}
func.func @dynamic_terms(%x: memref<?x1024xf32>, %y: memref<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1024xf32>)
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// The consumers of a product are computed along its tile: a split into heads as well.
// CHECK-LABEL: func.func @along(
// CHECK: linalg.matmul
// CHECK: linalg.transpose {{.*}} {codegen.along = #
func.func @along(%x: memref<2048x256xf32>, %w: memref<256x256xf32>, %y: memref<256x2048xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<2048x256xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<2048x256xf32>)
  linalg.matmul ins(%x, %w : memref<2048x256xf32>, memref<256x256xf32>) outs(%c : memref<2048x256xf32>)
  linalg.transpose ins(%c : memref<2048x256xf32>) outs(%y : memref<256x2048xf32>) permutation = [1, 0]
  return
}

// D9: Rows of a product that are too long for workgroup memory are computed tile by tile of
// their columns, for each reduction again.
// CHECK-LABEL: func.func @long_rows(
// CHECK-SAME: %[[Q:[^:]*]]: memref<64x512x8xf32>, %[[K:[^:]*]]: memref<64x512x8xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.forall
// CHECK-DAG: %[[TILE:.*]] = memref.alloc() : memref<1x64x[[COLUMNS:[0-9]+]]xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[MAX:.*]] = memref.alloc() : memref<1x64xf32, #gpu.address_space<workgroup>>
// CHECK: linalg.fill ins({{.*}}) outs(%[[MAX]] :
// CHECK: scf.for %[[COLUMN:.*]] = %c0 to %c512 step %c[[COLUMNS]] {
// CHECK: linalg.fill ins({{.*}}) outs(%[[TILE]] :
// CHECK: %[[KEYS:.*]] = memref.subview %{{.*}}[0, %[[COLUMN]], 0] [1, [[COLUMNS]], 8]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[KEYS]] : {{.*}}) outs(%[[TILE]] :
// CHECK: linalg.generic {{.*}} ins(%[[TILE]] : {{.*}}) outs(%[[MAX]] :
// CHECK: }
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} outs(%[[TILE]] :
// CHECK: linalg.generic {{.*}} ins(%[[TILE]], %[[MAX]] : {{.*}}) outs(%[[TILE]] :
// CHECK: linalg.generic {{.*}} ins(%[[TILE]] : {{.*}}) outs(%{{.*}} : memref<1x64xf32, strided
// CHECK: mapping = [#gpu.block<linear_dim_0>]
// CHECK-NEXT: return
#factor = affine_map<(b, t, s, d) -> (b, t, d)>
#other = affine_map<(b, t, s, d) -> (b, s, d)>
#product = affine_map<(b, t, s, d) -> (b, t, s)>
#rows3 = affine_map<(b, t, s) -> (b, t, s)>
#rows2 = affine_map<(b, t, s) -> (b, t)>
func.func @long_rows(%q: memref<64x512x8xf32>, %k: memref<64x512x8xf32>, %sum: memref<64x512xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %scores = memref.alloc() : memref<64x512x512xf32>
  %weights = memref.alloc() : memref<64x512x512xf32>
  %max = memref.alloc() : memref<64x512xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<64x512x512xf32>)
  linalg.generic {indexing_maps = [#factor, #other, #product], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<64x512x8xf32>, memref<64x512x8xf32>) outs(%scores : memref<64x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%low : f32) outs(%max : memref<64x512xf32>)
  linalg.generic {indexing_maps = [#rows3, #rows2], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : memref<64x512x512xf32>) outs(%max : memref<64x512xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows3, #rows2, #rows3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %max : memref<64x512x512xf32>, memref<64x512xf32>) outs(%weights : memref<64x512x512xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %0 = arith.subf %a, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<64x512xf32>)
  linalg.generic {indexing_maps = [#rows3, #rows2], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%weights : memref<64x512x512xf32>) outs(%sum : memref<64x512xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// An op that writes along a loop that reduces has no rows there, nor parts, and a fill of a
// result whose places are not loops is a group of its own.
// CHECK-LABEL: func.func @no_rows(
// CHECK: linalg.generic
// CHECK: scf.forall
// CHECK: linalg.fill
// CHECK: mapping
// CHECK-NEXT: linalg.generic
// CHECK-NOT: scf.forall
// CHECK: return
func.func @no_rows(%x: memref<4096x300xf32>, %y: memref<4096x300xf32>, %z: memref<300xf32>,
                   %u: memref<512x512x2xf32>, %v: memref<1023x2xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#all, #all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4096x300xf32>) outs(%y, %z : memref<4096x300xf32>, memref<300xf32>) {
  ^bb0(%a: f32, %out: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0, %0 : f32, f32
  }
  linalg.fill ins(%zero : f32) outs(%v : memref<1023x2xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i + j, k)>],
                  iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%u : memref<512x512x2xf32>) outs(%v : memref<1023x2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// A sum to one number is the sum of parts, which one block joins.
// CHECK-LABEL: func.func @total(
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<128xf32>
// CHECK: scf.forall
// CHECK: scf.forall ({{.*}}) in (1) {
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[PARTS]] : memref<128xf32>) outs(%{{.*}} : memref<f32>)
func.func @total(%x: memref<1048576xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<1048576xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}
