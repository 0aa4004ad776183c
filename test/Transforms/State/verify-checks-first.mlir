// RUN: flywheel-opt %s --flywheel-verify-checks-first | FileCheck %s

// X1: writes of variables follow the last check; results, buffers of the step and reads may precede it.
// CHECK-LABEL: func.func @step(
// CHECK: linalg_ext.check
// CHECK: linalg.fill
func.func @step(%x: memref<4xf32>, %r: memref<4xf32> {train.result = 0 : i64},
                %v: memref<4xf32> {train.variable = @v, train.reads, train.writes}, %c: i1) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.copy ins(%v : memref<4xf32>) outs(%a : memref<4xf32>)
  linalg.copy ins(%x : memref<4xf32>) outs(%r : memref<4xf32>)
  linalg_ext.check data %c, "checked"
  linalg.fill ins(%zero : f32) outs(%v : memref<4xf32>)
  return
}
