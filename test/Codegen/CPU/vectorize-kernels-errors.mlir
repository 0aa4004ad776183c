// RUN: flywheel-opt %s --flywheel-vectorize-kernels --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @tensors(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{expected memref operands: kernels are made after bufferization}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @not_structured(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  // expected-error @below {{has no vector or loop lowering on buffers}}
  linalg.softmax dimension(1) ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// -----

func.func @no_schedule(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected a schedule, which flywheel-choose-schedules sets; found none}}
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @no_target(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @-1 {{expected a module with 'codegen.target', which flywheel-attach-target sets; found none}}
  linalg.exp {codegen.schedule = #codegen.loops} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @no_contraction(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{'linalg.exp' op cannot have the schedule #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4]>: expected C + A * B in the body, with C of f32 or f64}}
  linalg.exp {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4]>}
    ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  return
}

// -----

// Vectors cannot hold sums of halves.
func.func @half(%a: memref<4x4xf16>, %b: memref<4x4xf16>, %c: memref<4x4xf16>) {
  // expected-error @below {{: expected C + A * B in the body, with C of f32 or f64}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4]>}
    ins(%a, %b : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf16>)
  return
}

// -----

// Both inputs change along the batch.
func.func @no_constant_input(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{: expected an input that is constant along loop 0, found none}}
  linalg.batch_matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [1], columns = 0, registers = [4, 4]>}
    ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>)
  return
}

// -----

func.func @rows_of_b(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{: expected rows that share the vectors along loop 2, found loop 0}}
  linalg.batch_matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 2, registers = [4, 4]>}
    ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>)
  return
}

// -----

func.func @dynamic_rows(%x: memref<?x12x12x1xf32>, %f: memref<3x3x1x16xf32>, %y: memref<?x10x10x16xf32>) {
  // expected-error @below {{: expected several loops along rows to be of static size, found loop 0}}
  linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<tiles = [], rows = [1, 0], columns = 3, registers = [4, 4]>}
    ins(%x, %f : memref<?x12x12x1xf32>, memref<3x3x1x16xf32>) outs(%y : memref<?x10x10x16xf32>)
  return
}

// -----

func.func @control_flow(%x: memref<4xf32>, %c: memref<4xi1>) {
  // expected-error @below {{'linalg.generic' op cannot have the schedule #codegen.vector<along = 0, lanes = 16>: expected elementwise arithmetic in the body}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"],
      codegen.schedule = #codegen.vector<along = 0, lanes = 16>} ins(%c : memref<4xi1>) outs(%x : memref<4xf32>) {
  ^bb0(%p: i1, %o: f32):
    %0 = scf.if %p -> f32 {
      %1 = arith.negf %o : f32
      scf.yield %1 : f32
    } else {
      scf.yield %o : f32
    }
    linalg.yield %0 : f32
  }
  return
}

// -----

// Every iteration along the columns writes the same element.
func.func @shared_output(%x: memref<4x4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{: expected an element of each output for each iteration of the parallel loops}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"],
      codegen.schedule = #codegen.vector<along = 0, lanes = 4>} ins(%x : memref<4x4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  }
  return
}

// -----

func.func @difference(%x: memref<4x4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{: expected partial results that can be combined along loop 1}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"],
      codegen.schedule = #codegen.vector<along = 1, lanes = 4>} ins(%x : memref<4x4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.subf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @nothing_to_transpose(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  // expected-error @below {{: expected an input that is contiguous along loop 0 and strided along loop 1, and outputs that are contiguous there}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 4, transpose = 0>}
    ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// -----

// Lanes are along what both inputs are read along.
func.func @lanes(%a: memref<4x4xf32>, %b: memref<4x4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{: expected inputs that are read along loop 3, found one that is not}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k, q) -> (m, k)>, affine_map<(m, n, k, q) -> (n, k, q)>, affine_map<(m, n, k, q) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"],
      codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 4], along = 3>}
      ins(%a, %b : memref<4x4xf32>, memref<4x4x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @blocks(%a: memref<4x4x4xf32>, %b: memref<4x4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{: expected one reduction to take in blocks, found 2}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k, q) -> (m, k, q)>, affine_map<(m, n, k, q) -> (k, q, n)>, affine_map<(m, n, k, q) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"],
      codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 16], block = 2>}
      ins(%a, %b : memref<4x4x4xf32>, memref<4x4x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Pairs are of bf16, on a machine that has the instruction.
func.func @pairs(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{: expected a target with avx512bf16, and products of bf16 that are added to f32, to multiply pairs}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 16], pairs = true>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}
