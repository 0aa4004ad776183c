// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64-v4 features=+avx512bf16" --flywheel-choose-schedules --flywheel-vectorize-kernels --canonicalize --cse | FileCheck %s --implicit-check-not=linalg.
// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64-v4" --flywheel-choose-schedules --flywheel-vectorize-kernels --canonicalize --cse | FileCheck %s --check-prefix=WIDE

// Two rows of B are interleaved; of A, a pair is next to each other, and 32 bits
// of memory. The last of 33 terms is a product of f32.
// CHECK-LABEL: func.func @product
// CHECK: %[[ACC:.*]]:16 = scf.for %[[K:.*]] = %c0 to %c32 step %c2
// CHECK: %[[B0:.*]] = vector.load %arg1[%[[K]], %{{.*}}] : {{.*}}, vector<16xbf16>
// CHECK: %[[B1:.*]] = vector.load %arg1[%{{.*}}, %{{.*}}] : {{.*}}, vector<16xbf16>
// CHECK: %[[B:.*]] = vector.interleave %[[B0]], %[[B1]] : vector<16xbf16> -> vector<32xbf16>
// CHECK: vector.load %arg0[%{{.*}}, %[[K]]] : {{.*}}, vector<2xbf16>
// CHECK: vector.broadcast %{{.*}} : i32 to vector<16xi32>
// CHECK-COUNT-16: x86vector.avx512.dot {{.*}} : vector<32xbf16> -> vector<16xf32>
// CHECK: scf.yield
// CHECK-NOT: x86vector
// CHECK-COUNT-16: vector.fma
// WIDE-LABEL: func.func @product
// WIDE-NOT: x86vector
// WIDE: arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
// WIDE: vector.fma
func.func @product(%a: memref<8x33xbf16>, %b: memref<33x32xbf16>, %c: memref<8x32xf32>) {
  linalg.matmul ins(%a, %b : memref<8x33xbf16>, memref<33x32xbf16>) outs(%c : memref<8x32xf32>)
  return
}

// If A is transposed, two rows are interleaved as well, and each of their pairs
// is spread over a vector.
// CHECK-LABEL: func.func @transposed_a
// CHECK: vector.load %arg0[%{{.*}}, %{{.*}}] : {{.*}}, vector<8xbf16>
// CHECK: vector.load %arg0[%{{.*}}, %{{.*}}] : {{.*}}, vector<8xbf16>
// CHECK: vector.interleave {{.*}} : vector<8xbf16> -> vector<16xbf16>
// CHECK: vector.shuffle {{.*}} [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7] : vector<8xi32>
// CHECK: x86vector.avx512.dot
func.func @transposed_a(%a: memref<32x8xbf16>, %b: memref<32x32xbf16>, %c: memref<8x32xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<32x8xbf16>, memref<32x32xbf16>) outs(%c : memref<8x32xf32>)
  return
}

// If B is transposed, lanes are along the reduction.
// CHECK-LABEL: func.func @transposed_b
// CHECK: scf.for %{{.*}} = %c0 to %c1024 step %c32
// CHECK: vector.load %arg0{{.*}} vector<32xbf16>
// CHECK: vector.load %arg1{{.*}} vector<32xbf16>
// CHECK-COUNT-16: x86vector.avx512.dot
// CHECK: vector.maskedload %arg0{{.*}} vector<32xbf16>
func.func @transposed_b(%a: memref<4x1030xbf16>, %b: memref<64x1030xbf16>, %c: memref<4x64xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<4x1030xbf16>, memref<64x1030xbf16>) outs(%c : memref<4x64xf32>)
  return
}

// Pairs of bf16 read two rows of B in a step. The columns of a tile are one
// cache line, or parts of two.
// CHECK-LABEL: func.func @far_pairs
// CHECK: arith.minsi %{{.*}}, %c1999
// CHECK-COUNT-2: memref.prefetch %arg1[%[[NEXT:.*]], %{{.*}}], read, locality<2>, data
// CHECK: arith.minsi %{{.*}}, %c1999
// CHECK-COUNT-2: memref.prefetch %arg1[%{{.*}}, %{{.*}}], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: x86vector.avx512.dot
func.func @far_pairs(%a: memref<12x2000xbf16>, %b: memref<2000x4400xbf16>, %c: memref<12x4400xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<12x2000xbf16>, memref<2000x4400xbf16>) outs(%c : memref<12x4400xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %o, %r : f32
    linalg.yield %s : f32
  }
  return
}
