// RUN: flywheel-opt %s --flywheel-tile-and-fuse --split-input-file --verify-diagnostics | not grep module

// The elements that a convolution reads of a window are not a panel.
func.func @panel_of_windows(%x: tensor<1x10x4xf32>, %f: tensor<3x4x32xf32>, %y: tensor<1x8x32xf32>) -> tensor<1x8x32xf32> {
  // expected-error @below {{'linalg.conv_1d_nwc_wcf' op cannot have the schedule #codegen.fma<tiles = [[0, 4, 0, 0, 0], [0, 2, 0, 0, 0]], rows = [2], columns = 1, registers = [4, 4], pack = true>: expected a panel of an input that is indexed by loops, one for each dimension}}
  %0 = linalg.conv_1d_nwc_wcf {codegen.schedule = #codegen.fma<tiles = [[0, 4, 0, 0, 0], [0, 2, 0, 0, 0]], rows = [2], columns = 1, registers = [4, 4], pack = true>}
      ins(%x, %f : tensor<1x10x4xf32>, tensor<3x4x32xf32>) outs(%y : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  return %0 : tensor<1x8x32xf32>
}

// -----

func.func @workers(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{expected one worker, as tiles are computed one after the other; found 2}}
  %0 = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[16, 0, 0]], rows = [0], columns = 1, registers = [2, 16], workers = 2>}
      ins(%a, %b : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @no_columns(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{expected an input that is read along loop 1, found none}}
  %0 = linalg.generic {indexing_maps = [#a, #a, #c], iterator_types = ["parallel", "parallel", "reduction"],
     codegen.schedule = #codegen.fma<tiles = [[0, 4, 0], [2, 0, 0]], rows = [], columns = 1, registers = [1, 16], pack = true>}
      ins(%a, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%c : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// Rows of several loops are all unrolled.
func.func @rows(%x: tensor<1x30x30x4xf32>, %f: tensor<3x3x4x16xf32>, %y: tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32> {
  // expected-error @below {{expected at most 256 rows of several loops, which are all unrolled; found 784}}
  %0 = linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<tiles = [[1, 0, 0, 0, 0, 0, 0]], rows = [1, 2], columns = 3, registers = [4, 16]>}
    ins(%x, %f : tensor<1x30x30x4xf32>, tensor<3x3x4x16xf32>) outs(%y : tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32>
  return %0 : tensor<1x28x28x16xf32>
}

// -----

// Nothing is tiled where one of several cannot be.
func.func @second(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>, %c: tensor<64x128xf32>, %h: tensor<64x32xf16>, %i: tensor<32x128xf16>, %k: tensor<64x128xf16>) -> (tensor<64x128xf32>, tensor<64x128xf16>) {
  %0 = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[16, 0, 0]], rows = [0], columns = 1, registers = [2, 16]>}
      ins(%a, %b : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  // expected-error @below {{cannot have the schedule #codegen.fma<tiles = [[16, 0, 0]], rows = [0], columns = 1, registers = [2, 16]>: expected C + A * B in the body, with C of f32 or f64}}
  %1 = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[16, 0, 0]], rows = [0], columns = 1, registers = [2, 16]>}
      ins(%h, %i : tensor<64x32xf16>, tensor<32x128xf16>) outs(%k : tensor<64x128xf16>) -> tensor<64x128xf16>
  return %0, %1 : tensor<64x128xf32>, tensor<64x128xf16>
}
