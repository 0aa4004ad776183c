// RUN: flywheel-opt %s --flywheel-report-contractions --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=codegen.contractions

// The contractions of a step, and one whose output is not in registers (T33).
#fma = #codegen.fma<tiles = [[0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>

// CHECK-LABEL: func.func @one.kernel(
// expected-remark @below {{'one' computes 1 contraction, with the output in registers}}
func.func @one.kernel(%a: memref<64x32xf32>, %b: memref<32x32xf32>, %c: memref<64x32xf32>) attributes {codegen.contractions = 1 : i64} {
  linalg.matmul {codegen.schedule = #fma} ins(%a, %b : memref<64x32xf32>, memref<32x32xf32>) outs(%c : memref<64x32xf32>)
  return
}

// A function that is not a step has no count.
func.func @none(%a: memref<64x32xf32>, %b: memref<32x32xf32>, %c: memref<64x32xf32>) {
  linalg.matmul {codegen.schedule = #codegen.loops<>} ins(%a, %b : memref<64x32xf32>, memref<32x32xf32>) outs(%c : memref<64x32xf32>)
  return
}

// -----

#fma = #codegen.fma<tiles = [[0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>

// Two layers share the slow kernel, each with another one for the tiles at the border: of five contractions, two are slow.
func.func private @slow(%a: memref<64x32xf32>, %b: memref<32x32xf32>, %c: memref<64x32xf32>) {
  linalg.matmul {codegen.schedule = #codegen.loops<>} ins(%a, %b : memref<64x32xf32>, memref<32x32xf32>) outs(%c : memref<64x32xf32>) loc("slow")
  return
}
func.func private @border(%a: memref<3x32xf32>, %b: memref<32x32xf32>, %c: memref<3x32xf32>) {
  linalg.matmul {codegen.schedule = #codegen.loops<>} ins(%a, %b : memref<3x32xf32>, memref<32x32xf32>) outs(%c : memref<3x32xf32>) loc("slow")
  return
}
func.func private @fast(%a: memref<64x32xf32>, %b: memref<32x32xf32>, %c: memref<64x32xf32>) {
  linalg.matmul {codegen.schedule = #fma} ins(%a, %b : memref<64x32xf32>, memref<32x32xf32>) outs(%c : memref<64x32xf32>)
  return
}
// CHECK-LABEL: func.func @layers.kernel(
// expected-remark @below {{'layers' computes 5 contractions, 3 of them with the output in registers}}
func.func @layers.kernel(%a: memref<64x32xf32>, %b: memref<32x32xf32>, %c: memref<64x32xf32>, %d: memref<3x32xf32>) attributes {codegen.contractions = 5 : i64} {
  call @slow(%a, %b, %c) : (memref<64x32xf32>, memref<32x32xf32>, memref<64x32xf32>) -> () loc("first")
  call @border(%d, %b, %d) : (memref<3x32xf32>, memref<32x32xf32>, memref<3x32xf32>) -> () loc("first")
  call @slow(%c, %b, %a) : (memref<64x32xf32>, memref<32x32xf32>, memref<64x32xf32>) -> () loc("second")
  call @border(%d, %b, %d) : (memref<3x32xf32>, memref<32x32xf32>, memref<3x32xf32>) -> () loc("second")
  call @fast(%a, %b, %c) : (memref<64x32xf32>, memref<32x32xf32>, memref<64x32xf32>) -> ()
  return
}
