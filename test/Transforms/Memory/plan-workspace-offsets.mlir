// RUN: flywheel-opt %s --flywheel-plan-workspace --split-input-file | FileCheck %s

// Two small buffers are where a large one was before: 1024 bytes, not 1536.
// CHECK: #[[$ALL:.*]] = affine_map<() -> (1024)>
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %[[W:[^:]*]]: memref<?xi8> {train.workspace}) attributes {train.workspace_slots = {{\[\[}}#[[$ALL]]]]}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
// CHECK-DAG: memref.view %[[W]][%[[C0]]][] : memref<?xi8> to memref<256xf32>
// CHECK-DAG: memref.view %[[W]][%[[C0]]][] : memref<?xi8> to memref<128xf32>
// CHECK-DAG: memref.view %[[W]][%[[C512]]][] : memref<?xi8> to memref<128xf32>
// CHECK-NOT: memref.alloc
func.func @constant(%x: memref<256xf32>, %y: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<128xf32>
  %c = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<256xf32>)
  memref.copy %a, %x : memref<256xf32> to memref<256xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<128xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<128xf32>)
  memref.copy %b, %y : memref<128xf32> to memref<128xf32>
  memref.copy %c, %y : memref<128xf32> to memref<128xf32>
  return
}

// -----

// The same of multiples of the batch, at any batch.
// CHECK-DAG: #[[$ALL:.*]] = affine_map<()[s0] -> (s0 * 128)>
// CHECK-DAG: #[[$HALF:.*]] = affine_map<()[s0] -> (s0 * 64)>
// CHECK-LABEL: func.func @batch(
// CHECK-SAME: %[[W:[^:]*]]: memref<?xi8> {train.workspace}) attributes {train.symbols = ["batch"], train.workspace_slots = {{\[\[}}#[[$ALL]]]]}
// CHECK: memref.view %[[W]][%[[C0:.*]]][%{{.*}}] : memref<?xi8> to memref<?x32xf32>
// CHECK: memref.view %[[W]][%[[C0]]][%{{.*}}] : memref<?xi8> to memref<?x16xf32>
// CHECK: %[[OFFSET:.*]] = affine.apply #[[$HALF]]()[%{{.*}}]
// CHECK: memref.view %[[W]][%[[OFFSET]]][%{{.*}}] : memref<?xi8> to memref<?x16xf32>
// CHECK-NOT: memref.alloc
func.func @batch(%x: memref<?x32xf32> {train.dim_sizes = array<i64: 0, -1>},
                 %y: memref<?x16xf32> {train.dim_sizes = array<i64: 0, -1>}) attributes {train.symbols = ["batch"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x32xf32>
  %a = memref.alloc(%n) : memref<?x32xf32>
  %b = memref.alloc(%n) : memref<?x16xf32>
  %c = memref.alloc(%n) : memref<?x16xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?x32xf32>)
  memref.copy %a, %x : memref<?x32xf32> to memref<?x32xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<?x16xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<?x16xf32>)
  memref.copy %b, %y : memref<?x16xf32> to memref<?x16xf32>
  memref.copy %c, %y : memref<?x16xf32> to memref<?x16xf32>
  return
}

// -----

// The operands and the results of an op are live at the same time.
// CHECK-LABEL: func.func @touching(
// CHECK-SAME: %[[W:[^:]*]]: memref<?xi8> {train.workspace}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
// CHECK-DAG: %[[B:.*]] = memref.view %[[W]][%[[C0]]][] : memref<?xi8> to memref<128xf32>
// CHECK-DAG: %[[C:.*]] = memref.view %[[W]][%[[C512]]][] : memref<?xi8> to memref<128xf32>
// CHECK: memref.copy %[[B]], %[[C]]
func.func @touching(%x: memref<256xf32>, %y: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<128xf32>
  %c = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<256xf32>)
  memref.copy %a, %x : memref<256xf32> to memref<256xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<128xf32>)
  memref.copy %b, %c : memref<128xf32> to memref<128xf32>
  memref.copy %c, %y : memref<128xf32> to memref<128xf32>
  return
}
