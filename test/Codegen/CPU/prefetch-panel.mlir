// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-vectorize-kernels --canonicalize --cse | FileCheck %s

// Eight tiles of 100 steps share a panel of 100 rows of two lines: a line of
// the next panel each fourth step, and of the last one that panel again.
// CHECK-DAG: #[[$LINE:.*]] = affine_map<(d0, d1) -> (d0 floordiv 4 + (d1 floordiv 8) * 25)>
// CHECK-DAG: #[[$TURN:.*]] = affine_map<(d0) -> (d0 mod 4)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> ((d0 floordiv 4 + (d1 floordiv 8) * 25) floordiv 2)>
// CHECK-LABEL: func.func @next_panel
// CHECK: scf.for %[[J:.*]] = %c0 to %c1024 step %c32
// CHECK: scf.for
// CHECK: vector.store
// CHECK: %[[BEHIND:.*]] = arith.addi %[[J]], %c32
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[BEHIND]], %c1024
// CHECK: %[[NEXT:.*]] = arith.select %[[EXISTS]], %[[BEHIND]], %[[J]]
// CHECK: %[[SOURCE:.*]] = memref.subview %arg1[0, %[[NEXT]]] [100, 32] [1, 1]
// CHECK: scf.for %[[I:.*]] = %c0 to %c64 step %c8
// CHECK: scf.for %[[K:.*]] = %c0 to %c100 step %c1 iter_args
// CHECK-DAG: %[[L:.*]] = affine.apply #[[$LINE]](%[[K]], %[[I]])
// CHECK-DAG: %[[T:.*]] = affine.apply #[[$TURN]](%[[K]])
// CHECK: %[[ITS_TURN:.*]] = arith.cmpi slt, %[[T]], %c1
// CHECK: scf.if %[[ITS_TURN]]
// CHECK: %[[IS_LINE:.*]] = arith.cmpi slt, %[[L]], %c200
// CHECK: scf.if %[[IS_LINE]]
// CHECK-NEXT: affine.apply #[[$ROW]](%[[K]], %[[I]])
// CHECK: memref.prefetch %[[SOURCE]][{{.*}}], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: vector.fma
func.func @next_panel(%a: memref<64x100xf32>, %b: memref<100x1024xf32>, %c: memref<64x1024xf32>, %panel: memref<100x32xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  scf.for %j = %c0 to %c1024 step %c32 {
    %source = memref.subview %b[0, %j] [100, 32] [1, 1] : memref<100x1024xf32> to memref<100x32xf32, strided<[1024, 1], offset: ?>>
    linalg.copy ins(%source : memref<100x32xf32, strided<[1024, 1], offset: ?>>) outs(%panel : memref<100x32xf32>)
    scf.for %i = %c0 to %c64 step %c8 {
      %rows = memref.subview %a[%i, 0] [8, 100] [1, 1] : memref<64x100xf32> to memref<8x100xf32, strided<[100, 1], offset: ?>>
      %tile = memref.subview %c[%i, %j] [8, 32] [1, 1] : memref<64x1024xf32> to memref<8x32xf32, strided<[1024, 1], offset: ?>>
      linalg.fill ins(%zero : f32) outs(%tile : memref<8x32xf32, strided<[1024, 1], offset: ?>>)
      linalg.matmul ins(%rows, %panel : memref<8x100xf32, strided<[100, 1], offset: ?>>, memref<100x32xf32>) outs(%tile : memref<8x32xf32, strided<[1024, 1], offset: ?>>)
    }
  }
  return
}

// The source is transposed, and the number of tiles is not known.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[NEXT:.*]] = arith.select
// CHECK: %[[SOURCE:.*]] = memref.subview %arg1[%[[NEXT]], 0] [32, 100] [1, 1]
// CHECK: scf.for
// CHECK: memref.prefetch %[[SOURCE]][{{.*}}], read, locality<2>, data
func.func @transposed(%a: memref<?x100xf32>, %b: memref<1024x100xf32>, %c: memref<?x1024xf32>, %panel: memref<100x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  scf.for %j = %c0 to %c1024 step %c32 {
    %source = memref.subview %b[%j, 0] [32, 100] [1, 1] : memref<1024x100xf32> to memref<32x100xf32, strided<[100, 1], offset: ?>>
    linalg.transpose ins(%source : memref<32x100xf32, strided<[100, 1], offset: ?>>) outs(%panel : memref<100x32xf32>) permutation = [1, 0]
    scf.for %i = %c0 to %n step %c8 {
      %rows = memref.subview %a[%i, 0] [8, 100] [1, 1] : memref<?x100xf32> to memref<8x100xf32, strided<[100, 1], offset: ?>>
      %tile = memref.subview %c[%i, %j] [8, 32] [1, 1] : memref<?x1024xf32> to memref<8x32xf32, strided<[1024, 1], offset: ?>>
      linalg.matmul ins(%rows, %panel : memref<8x100xf32, strided<[100, 1], offset: ?>>, memref<100x32xf32>) outs(%tile : memref<8x32xf32, strided<[1024, 1], offset: ?>>)
    }
  }
  return
}

// One tile reads the panel: there is no time to fetch the next one.
// CHECK-LABEL: func.func @one_tile
// CHECK-NOT: memref.prefetch
func.func @one_tile(%a: memref<8x100xf32>, %b: memref<100x1024xf32>, %c: memref<8x1024xf32>, %panel: memref<100x32xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  scf.for %j = %c0 to %c1024 step %c32 {
    %source = memref.subview %b[0, %j] [100, 32] [1, 1] : memref<100x1024xf32> to memref<100x32xf32, strided<[1024, 1], offset: ?>>
    linalg.copy ins(%source : memref<100x32xf32, strided<[1024, 1], offset: ?>>) outs(%panel : memref<100x32xf32>)
    %tile = memref.subview %c[0, %j] [8, 32] [1, 1] : memref<8x1024xf32> to memref<8x32xf32, strided<[1024, 1], offset: ?>>
    linalg.matmul ins(%a, %panel : memref<8x100xf32>, memref<100x32xf32>) outs(%tile : memref<8x32xf32, strided<[1024, 1], offset: ?>>)
  }
  return
}

// The copied elements are the same in each iteration.
// CHECK-LABEL: func.func @same_panel
// CHECK-NOT: memref.prefetch
func.func @same_panel(%a: memref<64x100xf32>, %b: memref<100x32xf32>, %c: memref<4x64x32xf32>, %panel: memref<100x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %j = %c0 to %c4 step %c1 {
    linalg.copy ins(%b : memref<100x32xf32>) outs(%panel : memref<100x32xf32>)
    scf.for %i = %c0 to %c64 step %c8 {
      %rows = memref.subview %a[%i, 0] [8, 100] [1, 1] : memref<64x100xf32> to memref<8x100xf32, strided<[100, 1], offset: ?>>
      %tile = memref.subview %c[%j, %i, 0] [1, 8, 32] [1, 1, 1] : memref<4x64x32xf32> to memref<8x32xf32, strided<[32, 1], offset: ?>>
      linalg.matmul ins(%rows, %panel : memref<8x100xf32, strided<[100, 1], offset: ?>>, memref<100x32xf32>) outs(%tile : memref<8x32xf32, strided<[32, 1], offset: ?>>)
    }
  }
  return
}
