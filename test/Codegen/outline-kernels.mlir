// RUN: flywheel-opt %s --flywheel-outline-kernels --duplicate-function-elimination | FileCheck %s

// The nest, its index arithmetic and its stack slot become one function, which
// two equal entries share; the entries themselves stay two.

// CHECK-LABEL: func.func private @a.kernel.0(
// CHECK: memref.alloca() : memref<8xf32>
// CHECK: affine.apply
// CHECK: scf.for
// CHECK: linalg.fill
// CHECK-LABEL: func.func @a.kernel(
// CHECK-NOT: scf.for
// CHECK: call @a.kernel.0
func.func @a.kernel(%n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %slot = memref.alloca() : memref<8xf32>
  %end = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%n]
  scf.for %i = %c0 to %end step %c1 {
    linalg.fill ins(%zero : f32) outs(%slot : memref<8xf32>)
    %v = memref.load %slot[%c0] : memref<8xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}

// CHECK-NOT: @b.kernel.0
// CHECK-LABEL: func.func @b.kernel(
// CHECK: call @a.kernel.0
func.func @b.kernel(%n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %slot = memref.alloca() : memref<8xf32>
  %end = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%n]
  scf.for %i = %c0 to %end step %c1 {
    linalg.fill ins(%zero : f32) outs(%slot : memref<8xf32>)
    %v = memref.load %slot[%c0] : memref<8xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}

// Kernels inside branches and loops that are none themselves.
// CHECK-LABEL: func.func private @branch.kernel.0(
// CHECK: math.exp
// CHECK-LABEL: func.func @branch.kernel(
// CHECK: scf.if
// CHECK-NEXT: call @branch.kernel.0
// CHECK-NEXT: }
func.func @branch.kernel(%c: i1, %x: memref<64xf32>) {
  scf.if %c {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%x : memref<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// A loop that carries a number has a result, and stays.
// CHECK-LABEL: func.func @carried.kernel(
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: linalg.fill
// CHECK: memref.store %[[SUM]]
func.func @carried.kernel(%n: index, %x: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    linalg.fill ins(%s : f32) outs(%x : memref<?xf32>)
    %v = memref.load %x[%i] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  memref.store %sum, %out[%c0] : memref<?xf32>
  return
}
