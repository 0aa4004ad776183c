// RUN: flywheel-opt %s --flywheel-plan-workspace='dim-size=2097152 bound-dim-sizes' --split-input-file --verify-diagnostics \
// RUN:   | not grep module
// RUN: flywheel-opt %s --flywheel-plan-workspace='dim-size=2097152' --split-input-file | FileCheck %s

// 2^65 bytes, which are 0 modulo 2^64. Without a bound, a call that is too large fails.
// CHECK-LABEL: func.func @product(
// CHECK: memref.view
func.func @product(%x: memref<?x?x?xf32> {train.dim_sizes = array<i64: 0, 1, 2>}) attributes {train.symbols = ["a", "b", "c"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.dim %x, %c0 : memref<?x?x?xf32>
  %b = memref.dim %x, %c1 : memref<?x?x?xf32>
  %c = memref.dim %x, %c2 : memref<?x?x?xf32>
  // expected-error@below {{this needs a buffer of type 'memref<?x?x?xf32>', more than 2^56 bytes where every dimension size is 2097152}}
  %0 = memref.alloc(%a, %b, %c) : memref<?x?x?xf32>
  linalg.copy ins(%x : memref<?x?x?xf32>) outs(%0 : memref<?x?x?xf32>)
  linalg.copy ins(%0 : memref<?x?x?xf32>) outs(%x : memref<?x?x?xf32>)
  return
}
