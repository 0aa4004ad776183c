// RUN: flywheel-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(flywheel-choose-gpu-schedules))' | FileCheck %s
// D9: how the blocks of a GPU compute contractions.

// Halves are multiplied by tensor cores, f32 and f64 are not. Tiles are large
// where there are enough of them, and one that is given is kept.
// CHECK-LABEL: func.func @plain(
// CHECK: linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = {{\[}}128, 128, 0], depth = 16, stages = 3>}
// CHECK: linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = {{\[}}32, 32, 0], depth = 16, stages = 3>}
// CHECK: linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = {{\[}}64, 64, 0], depth = 16, stages = 3>}
// CHECK: linalg.generic {{.*}} attrs = {codegen.schedule = #codegen.block<unit = "mma", tile = {{\[}}128, 128, 0], depth = 32, stages = 3>}
// CHECK: linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = {{\[}}16, 16, 0], depth = 8, stages = 2>}
module attributes {codegen.target = #codegen.gpu<chip = "sm_90a", image = "ptx">} {
  func.func @plain(%a: memref<2048x512xf32>, %b: memref<512x2048xf32>, %c: memref<2048x2048xf32>,
                   %d: memref<64x512xf32>, %e: memref<512x64xf32>, %f: memref<64x64xf32>,
                   %g: memref<2048x512xf64>, %h: memref<512x2048xf64>, %i: memref<2048x2048xf64>,
                   %j: memref<2048x512xbf16>, %k: memref<512x2048xbf16>) {
    linalg.matmul ins(%a, %b : memref<2048x512xf32>, memref<512x2048xf32>) outs(%c : memref<2048x2048xf32>)
    linalg.matmul ins(%d, %e : memref<64x512xf32>, memref<512x64xf32>) outs(%f : memref<64x64xf32>)
    linalg.matmul ins(%g, %h : memref<2048x512xf64>, memref<512x2048xf64>) outs(%i : memref<2048x2048xf64>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                     affine_map<(m, n, k) -> (m, n)>],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%j, %k : memref<2048x512xbf16>, memref<512x2048xbf16>) outs(%c : memref<2048x2048xf32>) {
    ^bb0(%x: bf16, %y: bf16, %out: f32):
      %0 = arith.extf %x : bf16 to f32
      %1 = arith.extf %y : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %out, %2 : f32
      linalg.yield %3 : f32
    }
    linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [16, 16, 0], depth = 8, stages = 2>}
        ins(%d, %e : memref<64x512xf32>, memref<512x64xf32>) outs(%f : memref<64x64xf32>)
    return
  }
}

// -----

// f32 is rounded where the target allows it. Dynamic rows are thought to be few.
// CHECK-LABEL: func.func @tf32(
// CHECK: linalg.matmul {codegen.schedule = #codegen.block<unit = "mma", tile = {{\[}}32, 32, 0], depth = 16, stages = 3>}
module attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", tf32 = true>} {
  func.func @tf32(%a: memref<?x512xf32>, %b: memref<512x64xf32>, %c: memref<?x64xf32>) {
    linalg.matmul ins(%a, %b : memref<?x512xf32>, memref<512x64xf32>) outs(%c : memref<?x64xf32>)
    return
  }
}

// -----

// Older chips have neither.
// CHECK-LABEL: func.func @old(
// CHECK: #codegen.block<unit = "fma"
module attributes {codegen.target = #codegen.gpu<chip = "sm_75", image = "ptx", tf32 = true>} {
  func.func @old(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
    linalg.matmul ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
    return
  }
}

// -----

// A GPU of few multiprocessors takes larger tiles: fewer of them keep it busy.
// CHECK-LABEL: func.func @small(
// CHECK: linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = {{\[}}64, 128, 0], depth = 16, stages = 3>}
module attributes {codegen.target = #codegen.gpu<chip = "sm_90a", image = "ptx", multiprocessors = 8>} {
  func.func @small(%a: memref<512x512xf32>, %b: memref<512x128xf32>, %c: memref<512x128xf32>) {
    linalg.matmul ins(%a, %b : memref<512x512xf32>, memref<512x128xf32>) outs(%c : memref<512x128xf32>)
    return
  }
}

// -----

// CHECK-LABEL: func.func @large(
// CHECK: linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = {{\[}}32, 32, 0], depth = 16, stages = 3>}
module attributes {codegen.target = #codegen.gpu<chip = "sm_90a", image = "ptx">} {
  func.func @large(%a: memref<512x512xf32>, %b: memref<512x128xf32>, %c: memref<512x128xf32>) {
    linalg.matmul ins(%a, %b : memref<512x512xf32>, memref<512x128xf32>) outs(%c : memref<512x128xf32>)
    return
  }
}
