// RUN: flywheel-opt %s --flywheel-choose-schedules --split-input-file --verify-diagnostics | FileCheck %s

func.func @no_target(%x: memref<4xf32>) {
  // expected-error @-1 {{expected a module with 'codegen.target', which flywheel-attach-target sets; found none}}
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

func.func @no_target_on_tensors(%a: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @-1 {{expected a module with 'codegen.target', which flywheel-attach-target sets; found none}}
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Nothing to choose needs no target.
// CHECK-LABEL: func.func @nothing
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#cpu = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = []>
module attributes {codegen.target = #cpu} {
  // A schedule that does not fit gives way to the one that the op would have had.
  // CHECK-LABEL: func.func @misfits
  // CHECK: linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 16>}
  // CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [1], columns = 0, registers = [4, 4]>}
  func.func @misfits(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
    // expected-warning @below {{, as #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4]> does not fit: expected C + A * B in the body, with C of f32 or f64}}
    linalg.exp {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4]>} ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
    // One that is but slow is kept: along rows, the vectors of A are gathered.
    linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [1], columns = 0, registers = [4, 4]>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }

  // Tiles are computed one after the other, and a panel has one dimension for
  // each loop of its own.
  // CHECK-LABEL: func.func @workers_and_panels
  // CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4]>}
  // CHECK: linalg.conv_1d_nwc_wcf {codegen.schedule = #codegen.fma<tiles = [], {{.*}}>}
  func.func @workers_and_panels(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %x: memref<1x10x4xf32>, %f: memref<3x4x4xf32>, %y: memref<1x8x4xf32>) {
    // expected-warning @below {{, as #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4], workers = 2> does not fit: expected one worker, as tiles are computed one after the other; found 2}}
    linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4], workers = 2>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    // expected-warning @below {{does not fit: expected a panel of an input that is indexed by loops, one for each dimension}}
    linalg.conv_1d_nwc_wcf {codegen.schedule = #codegen.fma<tiles = [[0, 4, 0, 0, 0], [0, 0, 0, 0, 0]], rows = [2], columns = 1, registers = [4, 4], pack = true>}
      ins(%x, %f : memref<1x10x4xf32>, memref<3x4x4xf32>) outs(%y : memref<1x8x4xf32>)
    return
  }

  // On tensors as well; what has no schedule there loses the one it has.
  // CHECK-LABEL: func.func @misfits_on_tensors
  // CHECK: linalg.batch_matmul {codegen.schedule = #codegen.fma<tiles = {{.*}}, rows = [1], columns = 2, registers = [4, 4]>}
  // CHECK: linalg.matmul ins
  func.func @misfits_on_tensors(%a: tensor<2x4x4xf32>, %c: tensor<2x4x4xf32>, %h: tensor<4x4xf16>) -> (tensor<2x4x4xf32>, tensor<4x4xf16>) {
    // expected-warning @below {{, as #codegen.fma<tiles = [], rows = [0], columns = 2, registers = [4, 4]> does not fit: expected rows that share the vectors along loop 2, found loop 0}}
    %0 = linalg.batch_matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 2, registers = [4, 4]>}
      ins(%a, %a : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%c : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    // expected-warning @below {{does not fit: expected C + A * B in the body, with C of f32 or f64}}
    %1 = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4]>}
      ins(%h, %h : tensor<4x4xf16>, tensor<4x4xf16>) outs(%h : tensor<4x4xf16>) -> tensor<4x4xf16>
    return %0, %1 : tensor<2x4x4xf32>, tensor<4x4xf16>
  }
}

// -----

// On tensors too, whatever the op; tiles need iterations.
#cpu = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = []>
module attributes {codegen.target = #cpu} {
  // CHECK-LABEL: func.func @misfits_on_tensors
  // CHECK: linalg.exp ins
  func.func @misfits_on_tensors(%a: tensor<64x128xf32>, %e: tensor<64x0xf32>, %f: tensor<0x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
    // expected-warning @below {{does not fit: expected C + A * B in the body, with C of f32 or f64}}
    %0 = linalg.exp {codegen.schedule = #codegen.fma<tiles = [[0, 16], [4, 0]], rows = [0], columns = 1, registers = [4, 16]>} ins(%a : tensor<64x128xf32>) outs(%a : tensor<64x128xf32>) -> tensor<64x128xf32>
    // expected-warning @below {{does not fit: expected iterations to compute in tiles, found none}}
    %1 = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 16, 0], [4, 0, 0]], rows = [0], columns = 1, registers = [4, 16]>} ins(%e, %f : tensor<64x0xf32>, tensor<0x128xf32>) outs(%a : tensor<64x128xf32>) -> tensor<64x128xf32>
    return %0, %1 : tensor<64x128xf32>, tensor<64x128xf32>
  }
}

// -----

// A narrowing that has no use but one that nobody reads is one nevertheless.
#cpu = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = []>
module attributes {codegen.target = #cpu} {
  // CHECK-LABEL: func.func @narrowed
  // CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.vector<
  func.func @narrowed(%a: memref<64x32xf32>, %b: memref<32x128xf32>, %c: memref<64x128xf32>) {
    // expected-remark @below {{without its output in registers}}
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<64x32xf32>, memref<32x128xf32>) outs(%c : memref<64x128xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %n = arith.truncf %x : f32 to bf16
      %dead = arith.addf %x, %x : f32
      %v = arith.extf %n : bf16 to f32
      %p = arith.mulf %v, %y : f32
      %s = arith.addf %z, %p : f32
      linalg.yield %s : f32
    }
    return
  }
}
