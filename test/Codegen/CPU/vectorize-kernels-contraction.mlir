// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-vectorize-kernels --canonicalize --cse | FileCheck %s --implicit-check-not=linalg.
// RUN: flywheel-opt %s --flywheel-attach-target=cpu=haswell --flywheel-choose-schedules --flywheel-vectorize-kernels --canonicalize --cse | FileCheck %s --implicit-check-not=linalg. --check-prefix=AVX2

// The fill is absorbed, 14 divides 28, and the accumulators are carried.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: linalg
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c32
// CHECK: scf.for %[[I:.*]] = %c0 to %c28 step %c14
// CHECK: %[[ACC:.*]]:28 = scf.for %[[K:.*]] = %c0 to %c50 step %c1 iter_args(%[[A0:[a-z0-9]+]] = %[[ZERO]], %[[A1:[a-z0-9]+]] = %[[ZERO]],
// CHECK: %[[B0:.*]] = vector.load %arg1[%[[K]], %[[J]]]
// CHECK: %[[B1:.*]] = vector.load %arg1[%[[K]], %{{.*}}]
// CHECK: %[[A:.*]] = memref.load %arg0[%[[I]], %[[K]]]
// CHECK: %[[S:.*]] = vector.broadcast %[[A]] : f32 to vector<16xf32>
// CHECK: vector.fma %[[S]], %[[B0]], %[[A0]]
// CHECK: vector.fma %[[S]], %[[B1]], %[[A1]]
// CHECK-COUNT-26: vector.fma
// CHECK: scf.yield
// CHECK: vector.store %[[ACC]]#0, %arg2[%[[I]], %[[J]]]
// AVX2-LABEL: func.func @matmul
// AVX2: step %c16
// AVX2: step %c4
// AVX2: %{{.*}}:8 = scf.for
// AVX2-COUNT-8: vector.fma {{.*}} : vector<8xf32>
func.func @matmul(%a: memref<28x50xf32>, %b: memref<50x64xf32>, %c: memref<28x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<28x64xf32>)
  linalg.matmul ins(%a, %b : memref<28x50xf32>, memref<50x64xf32>) outs(%c : memref<28x64xf32>)
  return
}

// A fill of other memory stays where it is, and the output is read.
// CHECK-LABEL: func.func @accumulate
// CHECK: vector.store
// CHECK: vector.load %arg2
// CHECK: scf.for
// CHECK: vector.fma
func.func @accumulate(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32>, %d: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<16xf32>)
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32>)
  return
}

// Steps of the reduction that are 4 KiB apart in A are fetched ahead, but for
// the last ones: as in the gradient of a weight.
// CHECK-LABEL: func.func @far_steps
// CHECK: scf.for %[[I:.*]] = %c0 to %c1020 step %c12
// CHECK: scf.for %[[K:.*]] = %c0 to %c2048 step %c1
// CHECK: %[[LATER:.*]] = affine.apply #{{.*}}(%[[K]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.minsi %[[LATER]], %c2047
// CHECK-NEXT: memref.prefetch %arg0[%[[NEXT]], %[[I]]], read, locality<2>, data
// CHECK-COUNT-24: vector.fma
func.func @far_steps(%a: memref<2048x1024xf32>, %b: memref<2048x32xf32>, %c: memref<1024x32xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<2048x1024xf32>, memref<2048x32xf32>) outs(%c : memref<1024x32xf32>)
  return
}

// Not those that hardware follows, nor a few.
// CHECK-LABEL: func.func @near_steps
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @near_steps(%a: memref<2048x128xf32>, %few: memref<48x1024xf32>, %rows: memref<1024x2048xf32>, %b: memref<2048x32xf32>,
                      %bf: memref<48x32xf32>, %c: memref<128x32xf32>, %d: memref<1024x32xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<2048x128xf32>, memref<2048x32xf32>) outs(%c : memref<128x32xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%few, %bf : memref<48x1024xf32>, memref<48x32xf32>) outs(%d : memref<1024x32xf32>)
  linalg.matmul ins(%rows, %b : memref<1024x2048xf32>, memref<2048x32xf32>) outs(%d : memref<1024x32xf32>)
  return
}

// Columns of a large B that is read in place are fetched ahead, too: its rows
// may begin within a cache line. Those of a smaller B are close.
// CHECK-LABEL: func.func @far_columns
// CHECK: %[[NEXT:.*]] = arith.minsi %{{.*}}, %c1999
// CHECK-NEXT: memref.prefetch %arg1[%[[NEXT]], %{{.*}}], read, locality<2>, data
// CHECK-COUNT-2: memref.prefetch %arg1[%[[NEXT]], %{{.*}}], read, locality<2>, data
// CHECK-COUNT-24: vector.fma
// CHECK: return
func.func @far_columns(%a: memref<12x2000xf32>, %b: memref<2000x1100xf32>, %c: memref<12x1100xf32>) {
  linalg.matmul ins(%a, %b : memref<12x2000xf32>, memref<2000x1100xf32>) outs(%c : memref<12x1100xf32>)
  return
}

// CHECK-LABEL: func.func @close_columns
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @close_columns(%a: memref<12x500xf32>, %b: memref<500x1100xf32>, %c: memref<12x1100xf32>) {
  linalg.matmul ins(%a, %b : memref<12x500xf32>, memref<500x1100xf32>) outs(%c : memref<12x1100xf32>)
  return
}

// Ten columns are one vector with a constant mask.
// CHECK-LABEL: func.func @few_columns
// CHECK: %[[MASK:.*]] = vector.constant_mask [10] : vector<16xi1>
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c16
// CHECK: %{{.*}}:16 = scf.for
// CHECK: vector.maskedload %arg1[%{{.*}}, %c0], %[[MASK]]
// CHECK: vector.maskedstore %arg2[%{{.*}}, %c0], %[[MASK]]
func.func @few_columns(%a: memref<64x128xf32>, %b: memref<128x10xf32>, %c: memref<64x10xf32>) {
  linalg.matmul ins(%a, %b : memref<64x128xf32>, memref<128x10xf32>) outs(%c : memref<64x10xf32>)
  return
}

// The last rows are clamped for loads and guarded for stores.
// CHECK-LABEL: func.func @dynamic_rows
// CHECK: scf.for %{{.*}} step %c8
// CHECK: %{{.*}}:16 = scf.for
// CHECK: %[[ANY:.*]] = arith.cmpi sgt
// CHECK: scf.if %[[ANY]]
// CHECK: arith.minsi
// CHECK: %{{.*}}:16 = scf.for
// CHECK: arith.cmpi sgt
// CHECK-NEXT: scf.if
// CHECK-NEXT: vector.store
func.func @dynamic_rows(%a: memref<?x16xf32>, %b: memref<16x32xf32>, %c: memref<?x32xf32>) {
  linalg.matmul ins(%a, %b : memref<?x16xf32>, memref<16x32xf32>) outs(%c : memref<?x32xf32>)
  return
}

// The schedule of the tile of a tiled loop is that of the whole: one full tile
// of 14 rows, or one partial one.
// CHECK-LABEL: func.func @tile_of_loop
// CHECK: affine.min
// CHECK: step %c14
// CHECK: %{{.*}}:28 = scf.for
func.func @tile_of_loop(%a: memref<?x16xf32>, %b: memref<16x32xf32>, %c: memref<?x32xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?x16xf32>
  %rows = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 14)>(%i)[%m]
  %as = memref.subview %a[%i, 0] [%rows, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
  %cs = memref.subview %c[%i, 0] [%rows, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [14, 32]>}
    ins(%as, %b : memref<?x16xf32, strided<[16, 1], offset: ?>>, memref<16x32xf32>) outs(%cs : memref<?x32xf32, strided<[32, 1], offset: ?>>)
  return
}

// Consecutive rows of a transposed A are neighbours in memory.
// CHECK-LABEL: func.func @transposed_lhs
// CHECK: scf.for %[[I:.*]] = %c0 to %c28 step %c14
// CHECK: scf.for %[[K:.*]] = %c0 to %c50
// CHECK: memref.load %arg0[%[[K]], %[[I]]]
func.func @transposed_lhs(%a: memref<50x28xf32>, %b: memref<50x32xf32>, %c: memref<28x32xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<50x28xf32>, memref<50x32xf32>) outs(%c : memref<28x32xf32>)
  return
}

// If a transposed B is not packed, lanes are along the reduction: an
// accumulator for each element of C, sixteen of which are one vector of sums
// after four steps. The rest of 1030 terms is masked.
// CHECK-LABEL: func.func @transposed_rhs
// CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c4
// CHECK: scf.for %[[I:.*]] = %c0 to %c28 step %c4
// CHECK: %[[ACC:.*]]:16 = scf.for %[[K:.*]] = %c0 to %c1024 step %c16
// CHECK-COUNT-4: vector.load %arg0[%{{.*}}, %[[K]]] : {{.*}}, vector<16xf32>
// CHECK: vector.load %arg1[%[[J]], %[[K]]] : {{.*}}, vector<16xf32>
// CHECK-COUNT-4: vector.fma
// CHECK: vector.load %arg1
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-8: vector.maskedload
// CHECK-NOT: memref.load
// CHECK: vector.shuffle {{.*}} [0, 17, 2, 19,
// CHECK: vector.shuffle {{.*}} [1, 16, 3, 18,
// CHECK-COUNT-28: vector.shuffle
// CHECK: %[[ROW:.*]] = vector.extract_strided_slice %[[SUMS:.*]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: vector.store %[[ROW]], %arg2[%[[I]], %[[J]]]
// CHECK: vector.extract_strided_slice %[[SUMS]] {offsets = [12]
// CHECK: vector.store
func.func @transposed_rhs(%a: memref<28x1030xf32>, %b: memref<64x1030xf32>, %c: memref<28x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<28x64xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<28x1030xf32>, memref<64x1030xf32>) outs(%c : memref<28x64xf32>)
  return
}

// The batch is an outer loop; halves are extended after loading.
// CHECK-LABEL: func.func @batch
// CHECK: scf.for %[[G:.*]] = %c0 to %c3 step %c1
// CHECK: vector.load %arg1[%[[G]], {{.*}} vector<16xf16>
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: memref.load %arg0[%[[G]],
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: vector.fma
func.func @batch(%a: memref<3x8x5xf16>, %b: memref<3x5x16xf16>, %c: memref<3x8x16xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<3x8x5xf16>, memref<3x5x16xf16>) outs(%c : memref<3x8x16xf32>)
  return
}

// Rows are output columns, vectors are filters, and three loops are reduced.
// CHECK-LABEL: func.func @convolution
// CHECK: %{{.*}}:28 = scf.for %[[KH:.*]] = %c0 to %c3
// CHECK: scf.for %[[KW:.*]] = %c0 to %c3
// CHECK: scf.for %[[C:.*]] = %c0 to %c8
// CHECK: vector.load %arg1[%[[KH]], %[[KW]], %[[C]],
// CHECK: memref.load %arg0[{{.*}}, %[[C]]]
// CHECK-COUNT-28: vector.fma
func.func @convolution(%x: memref<2x16x16x8xf32>, %f: memref<3x3x8x32xf32>, %y: memref<2x14x14x32xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%x, %f : memref<2x16x16x8xf32>, memref<3x3x8x32xf32>) outs(%y : memref<2x14x14x32xf32>)
  return
}

// The tile that the update reads after the contraction is fetched during it, a
// line of its 16 in every fourth of 64 steps; the result of the contraction is not.
// CHECK-LABEL: func.func @prefetch_epilogue
// CHECK-NOT: memref.prefetch
// CHECK: %[[W:.*]] = memref.subview %arg3
// CHECK: scf.for %[[K:.*]] = %c0 to %c64 step %c1
// CHECK: %[[LINE:.*]] = affine.apply #[[$FOURTH:.*]](%[[K]])
// CHECK: %[[PART:.*]] = affine.apply #{{.*}}(%[[K]])
// CHECK: arith.cmpi {{.*}} %[[PART]]
// CHECK: scf.if
// CHECK: scf.if
// CHECK: memref.prefetch %[[W]][{{.*}}], write, locality<3>, data
// CHECK-NOT: memref.prefetch
func.func @prefetch_epilogue(%a: memref<64x8xf32>, %b: memref<64x32xf32>, %c: memref<8x32xf32>, %w: memref<784x256xf32>, %i: index) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<64x8xf32>, memref<64x32xf32>) outs(%c : memref<8x32xf32>)
  %ws = memref.subview %w[%i, 0] [8, 32] [1, 1] : memref<784x256xf32> to memref<8x32xf32, strided<[256, 1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%c : memref<8x32xf32>) outs(%ws : memref<8x32xf32, strided<[256, 1], offset: ?>>) {
  ^bb0(%g: f32, %x: f32):
    %d = arith.subf %x, %g : f32
    linalg.yield %d : f32
  }
  return
}

// Before it, where there are fewer steps than lines.
// CHECK-LABEL: func.func @prefetch_epilogue_first
// CHECK-NOT: scf.for
// CHECK: %[[W:.*]] = memref.subview %arg3
// CHECK-COUNT-16: memref.prefetch %[[W]][{{.*}}], write, locality<3>, data
// CHECK-NOT: memref.prefetch
// CHECK: scf.for
func.func @prefetch_epilogue_first(%a: memref<12x8xf32>, %b: memref<12x32xf32>, %c: memref<8x32xf32>, %w: memref<784x256xf32>, %i: index) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<12x8xf32>, memref<12x32xf32>) outs(%c : memref<8x32xf32>)
  %ws = memref.subview %w[%i, 0] [8, 32] [1, 1] : memref<784x256xf32> to memref<8x32xf32, strided<[256, 1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%c : memref<8x32xf32>) outs(%ws : memref<8x32xf32, strided<[256, 1], offset: ?>>) {
  ^bb0(%g: f32, %x: f32):
    %d = arith.subf %x, %g : f32
    linalg.yield %d : f32
  }
  return
}

// The gradient of a filter: the images are read one after the other, each by all
// tiles of the filter, which add to what the fill left.
// CHECK-LABEL: func.func @filter_gradient
// CHECK: vector.store
// CHECK: scf.for %[[N:.*]] = %c0 to %c32
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: vector.load %arg2
// CHECK: scf.for %{{.*}} = %c0 to %c28
// CHECK: scf.for %{{.*}} = %c0 to %c28
// CHECK: memref.load %arg0[%[[N]],
func.func @filter_gradient(%x: memref<32x30x30x64xf32>, %dy: memref<32x28x28x64xf32>, %dw: memref<3x3x64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%dw : memref<3x3x64x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>, affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>, affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>], iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %dy : memref<32x30x30x64xf32>, memref<32x28x28x64xf32>) outs(%dw : memref<3x3x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  }
  return
}

// With one channel, the 25 elements of the window are the rows: two tiles.
// CHECK-LABEL: func.func @window_as_rows
// CHECK: %{{.*}}:13 = scf.for
// CHECK: %{{.*}}:12 = scf.for
func.func @window_as_rows(%x: memref<4x12x12x1xf32>, %dy: memref<4x8x8x6xf32>, %dw: memref<5x5x1x6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>, affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>, affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>], iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %dy : memref<4x12x12x1xf32>, memref<4x8x8x6xf32>) outs(%dw : memref<5x5x1x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  }
  return
}

// A person's schedule is obeyed: three rows, and 20 columns, which are two
// vectors. The rest of one row and two columns is computed in smaller tiles.
// CHECK-LABEL: func.func @given
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32
// CHECK: scf.for %{{.*}} = %c0 to %c27 step %c3
// CHECK: %{{.*}}:6 = scf.for
// CHECK-COUNT-6: vector.fma
// CHECK-NOT: vector.fma
// CHECK: %{{.*}}:2 = scf.for
// CHECK-COUNT-2: vector.fma
// CHECK-NOT: vector.fma
// CHECK: %[[MASK:.*]] = vector.constant_mask [2] : vector<16xi1>
// CHECK: %{{.*}}:3 = scf.for
// CHECK-COUNT-3: vector.fma
// CHECK-NOT: vector.fma
// CHECK: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @given(%a: memref<28x50xf32>, %b: memref<50x66xf32>, %c: memref<28x66xf32>) {
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [3, 20]>}
    ins(%a, %b : memref<28x50xf32>, memref<50x66xf32>) outs(%c : memref<28x66xf32>)
  return
}

// Passes of a person's schedule go around all others; the fill stays.
// CHECK-LABEL: func.func @given_passes
// CHECK: vector.store
// CHECK: scf.for %[[K:.*]] = %c0 to %c50 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c28 step %c4
// CHECK: vector.load %arg2
// CHECK-NOT: scf.for
// CHECK: vector.load %arg1[%[[K]],
// CHECK: vector.store
func.func @given_passes(%a: memref<28x50xf32>, %b: memref<50x16xf32>, %c: memref<28x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<28x16xf32>)
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 16], passes = [2]>}
    ins(%a, %b : memref<28x50xf32>, memref<50x16xf32>) outs(%c : memref<28x16xf32>)
  return
}

// Blocks of the reduction are around the columns: C is read and written for each,
// and its fill stays.
// CHECK-LABEL: func.func @blocks
// CHECK: vector.store
// CHECK: scf.for %[[K:.*]] = %c0 to %c512 step %c8
// CHECK: scf.for %[[J:.*]] = %c0 to %c576 step %c96
// CHECK-NOT: scf.for
// CHECK: vector.load %arg2
// CHECK-COUNT-96: vector.fma
// CHECK: vector.store {{.*}}, %arg2
func.func @blocks(%a: memref<2x512xf32>, %b: memref<512x576xf32>, %c: memref<2x576xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<2x576xf32>)
  linalg.matmul ins(%a, %b : memref<2x512xf32>, memref<512x576xf32>) outs(%c : memref<2x576xf32>)
  return
}

// One column is not a dimension of its own: vectors are along the other one.
// CHECK-LABEL: func.func @one_column
// CHECK: %{{.*}}:16 = scf.for
// CHECK: memref.subview %arg1[0, 0] [512, 1] [1, 1] : memref<512x1xf32> to memref<512xf32{{.*}}>
// CHECK: vector.load {{.*}} : memref<512xf32{{.*}}>, vector<16xf32>
func.func @one_column(%a: memref<32x512xf32>, %b: memref<512x1xf32>, %c: memref<32x1xf32>) {
  linalg.matmul ins(%a, %b : memref<32x512xf32>, memref<512x1xf32>) outs(%c : memref<32x1xf32>)
  return
}

// Six columns are rows of the kernel, and C is transposed as it is stored.
// CHECK-LABEL: func.func @turned
// CHECK: %[[ACC:.*]]:12 = scf.for
// CHECK: vector.load %arg0
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK: %[[MASK:.*]] = vector.constant_mask [6] : vector<16xi1>
// CHECK: vector.shuffle %[[ACC]]#0, %[[ACC]]#2
// CHECK-COUNT-16: vector.maskedstore %arg2[%{{.*}}, %c0], %[[MASK]]
func.func @turned(%a: memref<64x128xf32>, %b: memref<64x6xf32>, %c: memref<128x6xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<128x6xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<64x128xf32>, memref<64x6xf32>) outs(%c : memref<128x6xf32>)
  return
}

// Eight outputs of a depthwise convolution read ten vectors of a row, each once, which the filter's three are multiplied by
// from registers.
// CHECK-LABEL: func.func @slide
// CHECK: %{{.*}}:8 = scf.for %[[P:.*]] = %c0 to %c3
// CHECK-COUNT-3: vector.load %arg1[%[[P]], %{{.*}}, %c0]
// CHECK: vector.load %arg0
// CHECK: vector.fma
// CHECK-COUNT-9: vector.load %arg0
// CHECK-NOT: vector.load
// CHECK: scf.yield
func.func @slide(%x: memref<1x4x10x16xf32>, %f: memref<3x3x16xf32>, %y: memref<1x2x8x16xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %f : memref<1x4x10x16xf32>, memref<3x3x16xf32>) outs(%y : memref<1x2x8x16xf32>)
  return
}

// With stride 2, every other vector is read by two outputs. Few outputs have two vectors of channels.
// CHECK-LABEL: func.func @slide_by_two
// CHECK: %{{.*}}:8 = scf.for %{{.*}} = %c0 to %c3
// CHECK-COUNT-6: vector.load %arg1
// CHECK-COUNT-18: vector.load %arg0
// CHECK-NOT: vector.load
// CHECK: scf.yield
func.func @slide_by_two(%x: memref<1x5x9x32xf32>, %f: memref<3x3x32xf32>, %y: memref<1x2x4x32xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : vector<2xi64>}
    ins(%x, %f : memref<1x5x9x32xf32>, memref<3x3x32xf32>) outs(%y : memref<1x2x4x32xf32>)
  return
}

// All channels of few outputs are computed next to each other, in the order of memory. Meanwhile what the next row of outputs
// reads, and this one does not, is fetched: of its last two rows.
// CHECK-LABEL: func.func @rows_ahead
// CHECK: scf.for %[[I:.*]] = %c0 to %c8
// CHECK: scf.for %[[J:.*]] = %c0 to %c24 step %c12
// CHECK: scf.for %[[C:.*]] = %c0 to %c64 step %c16
// CHECK: scf.for %[[P:.*]] = %c0 to %c3
// CHECK: %[[NEW:.*]] = arith.cmpi sgt, %[[P]], %c0
// CHECK: scf.if %[[NEW]]
// CHECK-COUNT-25: memref.prefetch %arg0[{{.*}}], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @rows_ahead(%x: memref<40x17x49x64xf32>, %f: memref<3x3x64xf32>, %y: memref<40x8x24x64xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : vector<2xi64>}
    ins(%x, %f : memref<40x17x49x64xf32>, memref<3x3x64xf32>) outs(%y : memref<40x8x24x64xf32>)
  return
}

// So is a row of the gradient that the sum by a filter reads next: at each step the pixels that the last step has not fetched, of
// the last two rows and columns of the window. A tensor of less than 8 MiB is not fetched.
// CHECK-LABEL: func.func @filter_ahead
// CHECK: scf.for %{{.*}} = %c0 to %c40
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32
// CHECK: scf.for %{{.*}} = %c0 to %c28
// CHECK: scf.for %{{.*}} = %c0 to %c28
// CHECK-COUNT-8: memref.prefetch %arg0[{{.*}}], read, locality<2>, data
// CHECK-COUNT-2: memref.prefetch %arg1[{{.*}}], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @filter_ahead(%x: memref<40x57x57x64xf32>, %dy: memref<40x28x28x64xf32>, %dw: memref<3x3x64xf32>,
                        %near: memref<2x57x57x64xf32>, %few: memref<2x28x28x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, i, j, p, q, c) -> (n, 2 * i + p, 2 * j + q, c)>,
                                   affine_map<(n, i, j, p, q, c) -> (n, i, j, c)>,
                                   affine_map<(n, i, j, p, q, c) -> (p, q, c)>],
                  iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel"]}
    ins(%x, %dy : memref<40x57x57x64xf32>, memref<40x28x28x64xf32>) outs(%dw : memref<3x3x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, i, j, p, q, c) -> (n, 2 * i + p, 2 * j + q, c)>,
                                   affine_map<(n, i, j, p, q, c) -> (n, i, j, c)>,
                                   affine_map<(n, i, j, p, q, c) -> (p, q, c)>],
                  iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel"]}
    ins(%near, %few : memref<2x57x57x64xf32>, memref<2x28x28x64xf32>) outs(%dw : memref<3x3x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// If 24 MiB are read and written, most of the output is in no cache when it is read: whole lines are stored around the caches,
// if the output begins at one, and a fence follows them. Parts of lines are stored as always.
// CHECK-LABEL: func.func @stream
// CHECK: %[[BASE:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %c63
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[WHOLE]]
// CHECK-COUNT-8: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: } else {
// CHECK-COUNT-8: vector.store {{.*}} : memref<
// CHECK: llvm.fence seq_cst
// CHECK-NOT: nontemporal
// CHECK: return
func.func @stream(%x: memref<64x42x50x32xf32>, %f: memref<3x3x32xf32>, %y: memref<64x40x48x32xf32>,
                  %a: memref<64x42x50x40xf32>, %g: memref<3x3x40xf32>, %b: memref<64x40x48x40xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x40x48x32xf32>)
  linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %f : memref<64x42x50x32xf32>, memref<3x3x32xf32>) outs(%y : memref<64x40x48x32xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<64x40x48x40xf32>)
  linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %g : memref<64x42x50x40xf32>, memref<3x3x40xf32>) outs(%b : memref<64x40x48x40xf32>)
  return
}

// In a gradient by an image of one channel, lanes are along 32 filters: 8 outputs read 12 pixels of a row.
// CHECK-LABEL: func.func @one_channel
// CHECK: %{{.*}}:8 = scf.for %[[P:.*]] = %c0 to %c5
// CHECK-COUNT-5: vector.load %arg1[%[[P]],
// CHECK-COUNT-12: vector.load %arg0
// CHECK-COUNT-5: vector.load %arg1[%[[P]],
// CHECK-COUNT-12: vector.load %arg0
// CHECK-NOT: vector.load
// CHECK: scf.yield
func.func @one_channel(%dy: memref<1x12x12x32xf32>, %w: memref<5x5x1x32xf32>, %dx: memref<1x8x8x1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, i, j, c, p, q, f) -> (n, i + p, j + q, f)>,
                                   affine_map<(n, i, j, c, p, q, f) -> (p, q, c, f)>,
                                   affine_map<(n, i, j, c, p, q, f) -> (n, i, j, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%dy, %w : memref<1x12x12x32xf32>, memref<5x5x1x32xf32>) outs(%dx : memref<1x8x8x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// With three channels there are 24 sums and no room for a window of the filter: one loop over it carries them, and vectors
// of the filter are in registers beside one of the output's gradient.
// CHECK-LABEL: func.func @three_channels
// CHECK: %{{.*}}:24 = scf.for %[[PQ:.*]] = %c0 to %c9 step %c1
// CHECK-DAG: arith.remui %[[PQ]], %c3
// CHECK-DAG: arith.divui %[[PQ]], %c3
// CHECK-NOT: scf.for
// CHECK-COUNT-3: vector.load %arg1
// CHECK: vector.load %arg0
// CHECK-COUNT-3: vector.fma
// CHECK: vector.load %arg0
// CHECK: scf.yield
func.func @three_channels(%dy: memref<1x10x10x16xf32>, %w: memref<3x3x3x16xf32>, %dx: memref<1x8x8x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, i, j, c, p, q, f) -> (n, i + p, j + q, f)>,
                                   affine_map<(n, i, j, c, p, q, f) -> (p, q, c, f)>,
                                   affine_map<(n, i, j, c, p, q, f) -> (n, i, j, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%dy, %w : memref<1x10x10x16xf32>, memref<3x3x3x16xf32>) outs(%dx : memref<1x8x8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
