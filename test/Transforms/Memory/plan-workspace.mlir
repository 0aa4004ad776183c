// RUN: flywheel-opt %s --flywheel-plan-workspace --split-input-file | FileCheck %s

// T10: nothing is allocated. Buffers that are never live together share a slot; slots are 64 bytes apart.
// CHECK-DAG: #[[$A:.*]] = affine_map<() -> (40)>
// CHECK-DAG: #[[$B:.*]] = affine_map<() -> (16)>
// CHECK-LABEL: func.func @slots(
// CHECK-SAME: %[[W:[^:]*]]: memref<?xi8> {train.workspace}) attributes {train.workspace_slots = {{\[\[}}#[[$A]]], [#[[$B]]]]}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: memref.view %[[W]][%[[C0]]][] : memref<?xi8> to memref<10xf32>
// CHECK-DAG: memref.view %[[W]][%[[C64]]][] : memref<?xi8> to memref<4xf32>
// CHECK-NOT: memref.alloc
// EXAMPLE: --flywheel-plan-workspace
func.func @slots(%x: memref<10xf32>, %y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<10xf32>
  %b = memref.alloc() : memref<4xf32>
  %c = memref.alloc() : memref<10xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<10xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<4xf32>)
  memref.copy %a, %x : memref<10xf32> to memref<10xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<10xf32>)
  memref.copy %c, %x : memref<10xf32> to memref<10xf32>
  memref.copy %b, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Sizes are functions of the symbolic dimension sizes of the feeds; register tiles in
// loops are stack slots.
// CHECK: #[[$BYTES:.*]] = affine_map<()[s0] -> (s0 * 32)>
// CHECK-LABEL: func.func @symbolic(
// CHECK-SAME: train.workspace_slots = {{\[\[}}#[[$BYTES]]]]
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: memref.view %{{.*}} : memref<?xi8> to memref<?x8xf32>
// CHECK-NOT: memref.alloc(
func.func @symbolic(%x: memref<?x8xf32> {train.dim_sizes = array<i64: 0, -1>}) attributes {train.symbols = ["batch"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %a = memref.alloc(%n) : memref<?x8xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?x8xf32>)
  scf.for %i = %c0 to %c3 step %c1 {
    %t = memref.alloc() : memref<4x8xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<4x8xf32>)
  }
  memref.copy %a, %x : memref<?x8xf32> to memref<?x8xf32>
  return
}

// -----

// X11: products of dimension sizes bound a size; what is left after whole tiles is less
// than a tile.
// CHECK: #[[$ROWS:.*]] = affine_map<()[s0, s1] -> ((s0 * s1) * 16)>
// CHECK-LABEL: func.func @products(
// CHECK-SAME: train.workspace_slots = {{\[\[}}#[[$ROWS]]], [#[[$ROWS]]]]
// CHECK: memref.alloca() {{.*}} : memref<112xi8>
func.func @products(%x: memref<?x?x4xf32> {train.dim_sizes = array<i64: 0, 1, -1>}) attributes {train.symbols = ["batch", "time"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c0 : memref<?x?x4xf32>
  %t = memref.dim %x, %c1 : memref<?x?x4xf32>
  %rows = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x4xf32> into memref<?x4xf32>
  %m = memref.dim %rows, %c0 : memref<?x4xf32>
  %a = memref.alloc(%m) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?x4xf32>)
  %p = arith.muli %n, %t : index
  %b = memref.alloc(%p) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<?x4xf32>)
  %whole = affine.apply affine_map<()[s0, s1] -> (((s0 * s1) floordiv 8) * 8)>()[%n, %t]
  %end = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%n, %t]
  scf.for %i = %whole to %end step %c8 {
    %rest = affine.apply affine_map<(d0)[s0, s1] -> (-d0 + s0 * s1)>(%i)[%n, %t]
    %tile = memref.alloc(%rest) : memref<?x4xf32>
    linalg.fill ins(%zero : f32) outs(%tile : memref<?x4xf32>)
  }
  memref.copy %a, %rows : memref<?x4xf32> to memref<?x4xf32>
  memref.copy %b, %rows : memref<?x4xf32> to memref<?x4xf32>
  return
}

// -----

// A size that is the value of a tensor has the bound that a check before
// the buffer gives it.
// CHECK: #[[$BYTES:.*]] = affine_map<()[s0] -> (s0 * 4)>
// CHECK-LABEL: func.func @checked(
// CHECK-SAME: train.workspace_slots = {{\[\[}}#[[$BYTES]]], [#[[$BYTES]]]]
func.func @checked(%x: memref<?xf32> {train.dim_sizes = array<i64: 0>}, %n: memref<2xindex>) attributes {train.symbols = ["batch"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %k = memref.load %n[%c0] : memref<2xindex>
  %same = linalg_ext.compare_sizes eq %k, %d
  linalg_ext.check sizes %same, "expected equal sizes"
  %m = memref.load %n[%c1] : memref<2xindex>
  %within = arith.cmpi ule, %m, %d : index
  %starts = arith.cmpi uge, %d, %c1 : index
  %ok = arith.andi %starts, %within : i1
  linalg_ext.check sizes %ok, "slice out of range"
  %a = memref.alloc(%k) : memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<?xf32>)
  %s = memref.subview %x[0] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  linalg.copy ins(%b : memref<?xf32>) outs(%s : memref<?xf32, strided<[1]>>)
  linalg.copy ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// -----

// A difference of sizes, and the larger of two.
// CHECK: #[[$BYTES:.*]] = affine_map<()[s0] -> ((s0 + 2) * 4)>
// CHECK-LABEL: func.func @larger(
// CHECK-SAME: train.workspace_slots = {{\[\[}}#[[$BYTES]]]]
func.func @larger(%x: memref<?xf32> {train.dim_sizes = array<i64: 0>}) attributes {train.symbols = ["batch"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %m = affine.max affine_map<()[s0] -> (0, s0 + 2)>()[%d]
  %r = affine.apply affine_map<()[s0] -> (s0 - 2)>()[%m]
  %a = memref.alloc(%r) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  return
}

// -----

// Sums of products, without what is subtracted, where the sum is not linear.
// CHECK: #[[$BYTES:.*]] = affine_map<()[s0, s1] -> ((s0 * s1 + s0) * 4)>
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: train.workspace_slots = {{\[\[}}#[[$BYTES]]]]
func.func @sums(%x: memref<?x?xf32> {train.dim_sizes = array<i64: 0, 1>}) attributes {train.symbols = ["batch", "time"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %t = memref.dim %x, %c1 : memref<?x?xf32>
  %p = arith.muli %n, %t : index
  %s = arith.addi %p, %n : index
  %d = arith.subi %s, %c2 : index
  %m = arith.maxsi %d, %c0 : index
  %a = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  return
}

// -----

// A slot whose size may be a negative number takes no room then: the slot after
// it stays inside the workspace.
// CHECK-LABEL: func.func @differences(
// CHECK: %[[SIZE:.*]] = affine.apply #{{.*}}()[%{{.*}}, %{{.*}}]
// CHECK: %[[BYTES:.*]] = arith.maxsi %[[SIZE]], %c0
// CHECK: affine.apply #{{.*}}()[%[[BYTES]]]
func.func @differences(%x: memref<?xf32> {train.dim_sizes = array<i64: 0>}, %y: memref<?xf32> {train.dim_sizes = array<i64: 1>}) attributes {train.symbols = ["x", "y"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  %n = memref.dim %y, %c0 : memref<?xf32>
  %d = arith.subi %m, %n : index
  %a = memref.alloc(%d) : memref<?xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<8xf32>)
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  %c = memref.cast %b : memref<8xf32> to memref<?xf32>
  memref.copy %c, %y : memref<?xf32> to memref<?xf32>
  return
}
