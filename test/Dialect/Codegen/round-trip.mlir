// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s

// CHECK: module attributes {codegen.target = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 2, features = ["avx512bf16", "avx512fp16"]>}
module attributes {codegen.target = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 2, features = ["avx512bf16", "avx512fp16"]>} {
  // The least that a machine has.
  // CHECK: module attributes {codegen.target = #codegen.cpu<vector_bits = 64, vector_registers = 4, l1_bytes = 1024, l2_bytes = 1024, cores = 1, features = []>}
  module attributes {codegen.target = #codegen.cpu<vector_bits = 64, vector_registers = 4, l1_bytes = 1024, l2_bytes = 1024, cores = 1, features = []>} {
  }

  // Parameters with their default are not printed.
  // CHECK-LABEL: func.func @fma
  // CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>}
  // CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], passes = [2], pack = true, workers = 4>}
  // CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 0, 0]], rows = [0], columns = 1, registers = [64, 64]>}
  // CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [], columns = 1, registers = [1, 1], passes = []>}
  // CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4], along = 2, pairs = true>}
  // CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [2, 96], block = 64>}
  func.func @fma(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
    linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], pack = false, workers = 1>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], passes = [2], pack = true, workers = 4>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    // 4096 elements are the most that registers may hold.
    linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 0, 0]], rows = [0], columns = 1, registers = [64, 64]>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [], columns = 1, registers = [1, 1], passes = []>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4], along = 2, pairs = true>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [2, 96], block = 64, pairs = false>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }

  // CHECK-LABEL: func.func @workers
  // CHECK-SAME: attributes {codegen.workers = 256 : i64}
  // CHECK: %{{.*}} = codegen.worker : index
  // CHECK: %{{.*}} = codegen.num_workers : index
  // CHECK: codegen.barrier
  // CHECK: memref.alloc() {codegen.private}
  func.func @workers() -> (index, index, memref<4xf32>) attributes {codegen.workers = 256} {
    %w = codegen.worker : index
    %n = codegen.num_workers : index
    codegen.barrier
    %m = memref.alloc() {codegen.private} : memref<4xf32>
    return %w, %n, %m : index, index, memref<4xf32>
  }

  // CHECK-LABEL: func.func @others
  // CHECK: linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 16>}
  // CHECK: linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 256, transpose = 0>}
  // CHECK: linalg.exp {codegen.schedule = #codegen.loops}
  func.func @others(%x: tensor<4x4xf32>, %y: memref<4x4xf32>) -> tensor<4x4xf32> {
    %0 = linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 16>} ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
    linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 256, transpose = 0>} ins(%y : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
    linalg.exp {codegen.schedule = #codegen.loops} ins(%y : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
    return %0 : tensor<4x4xf32>
  }

  // CHECK-LABEL: func.func @profile
  // CHECK: %[[START:.*]] = codegen.profile_begin : i64
  // CHECK: codegen.profile_end 3 from %[[START]] in %{{.*}} : memref<?xi8>
  func.func @profile(%state: memref<?xi8>) {
    %start = codegen.profile_begin : i64
    codegen.profile_end 3 from %start in %state : memref<?xi8>
    return
  }
  // CHECK-LABEL: func.func @blocks
  // CHECK-SAME: codegen.traffic = #codegen.traffic<read = 512, written = 256, accessed = 768, flops = 1024>
  // CHECK: linalg.matmul {codegen.schedule = #codegen.block<unit = "mma", tile = {{\[}}8, 8, 0], depth = 16, stages = 3>}
  // CHECK: linalg.exp {codegen.along = #{{.*}}}
  func.func @blocks(%a: memref<8x8xf32>)
      attributes {codegen.traffic = #codegen.traffic<read = 512, written = 256, accessed = 768, flops = 1024>} {
    linalg.matmul {codegen.schedule = #codegen.block<unit = "mma", tile = [8, 8, 0], depth = 16, stages = 3>}
        ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
    linalg.exp {codegen.along = affine_map<(i, j) -> (i, j)>} ins(%a : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
    return
  }
}

// CHECK: module @gpu attributes {codegen.target = #codegen.gpu<chip = "sm_90a", image = "ptx">}
module @gpu attributes {codegen.target = #codegen.gpu<chip = "sm_90a", image = "ptx">} {
}

// CHECK: module @tf32 attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", tf32 = true>}
module @tf32 attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", tf32 = true>} {
}

// Sizes of the usual GPU are not printed.
// CHECK: module @small attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", multiprocessors = 16, cache_bytes = 4194304>}
module @small attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", multiprocessors = 16, cache_bytes = 4194304>} {
}

// CHECK: module @amd attributes {codegen.target = #codegen.gpu<chip = "gfx942", image = "hsaco", workgroup_bytes = 65536>}
module @amd attributes {codegen.target = #codegen.gpu<chip = "gfx942", image = "hsaco", workgroup_bytes = 65536>} {
}

// CHECK: module @usual attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx">}
module @usual attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", multiprocessors = 132, cache_bytes = 41943040, workgroup_bytes = 49152>} {
}
