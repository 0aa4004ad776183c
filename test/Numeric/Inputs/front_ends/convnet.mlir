// A convolutional net in the layout of PyTorch, with groups and strides. ONNX, lowered by torch-mlir.
// Written by scripts/generate-front-ends.

func.func private @model(%a0: tensor<4x3x8x8xf32>, %a1: tensor<6x3x3x3xf32>, %a2: tensor<6xf32>, %a3: tensor<8x3x3x3xf32>, %a4: tensor<8xf32>, %a5: tensor<5x8xf32>, %a6: tensor<5xf32>) -> tensor<4x5xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 1.000000e-01 : f32
    %cst_3 = arith.constant 4.000000e+00 : f32
    %padded = tensor.pad %a0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg9: index, %arg10: index, %arg11: index, %arg12: index):
      tensor.yield %cst : f32
    } : tensor<4x3x8x8xf32> to tensor<4x3x10x10xf32>
    %7 = tensor.empty() : tensor<4x6x8x8xf32>
    %broadcasted = linalg.broadcast ins(%a2 : tensor<6xf32>) outs(%7 : tensor<4x6x8x8xf32>) dimensions = [0, 2, 3] 
    %8 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %a1 : tensor<4x3x10x10xf32>, tensor<6x3x3x3xf32>) outs(%broadcasted : tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<4x6x8x8xf32>) outs(%7 : tensor<4x6x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.cmpf ugt, %in, %cst : f32
      %44 = arith.select %43, %in, %cst : f32
      linalg.yield %44 : f32
    } -> tensor<4x6x8x8xf32>
    %10 = tensor.empty() : tensor<4x6x4x4xf32>
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<4x6x4x4xf32>) -> tensor<4x6x4x4xf32>
    %12 = tensor.empty() : tensor<2x2xf32>
    %13 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%9, %12 : tensor<4x6x8x8xf32>, tensor<2x2xf32>) outs(%11 : tensor<4x6x4x4xf32>) -> tensor<4x6x4x4xf32>
    %padded_4 = tensor.pad %13 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg9: index, %arg10: index, %arg11: index, %arg12: index):
      tensor.yield %cst : f32
    } : tensor<4x6x4x4xf32> to tensor<4x6x6x6xf32>
    %14 = tensor.empty() : tensor<4x8x2x2xf32>
    %broadcasted_5 = linalg.broadcast ins(%a4 : tensor<8xf32>) outs(%14 : tensor<4x8x2x2xf32>) dimensions = [0, 2, 3] 
    %expanded = tensor.expand_shape %padded_4 [[0], [1, 2], [3], [4]] output_shape [4, 2, 3, 6, 6] : tensor<4x6x6x6xf32> into tensor<4x2x3x6x6xf32>
    %expanded_6 = tensor.expand_shape %a3 [[0, 1], [2], [3], [4]] output_shape [2, 4, 3, 3, 3] : tensor<8x3x3x3xf32> into tensor<2x4x3x3x3xf32>
    %expanded_7 = tensor.expand_shape %broadcasted_5 [[0], [1, 2], [3], [4]] output_shape [4, 2, 4, 2, 2] : tensor<4x8x2x2xf32> into tensor<4x2x4x2x2xf32>
    %15 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%expanded, %expanded_6 : tensor<4x2x3x6x6xf32>, tensor<2x4x3x3x3xf32>) outs(%expanded_7 : tensor<4x2x4x2x2xf32>) -> tensor<4x2x4x2x2xf32>
    %collapsed = tensor.collapse_shape %15 [[0], [1, 2], [3], [4]] : tensor<4x2x4x2x2xf32> into tensor<4x8x2x2xf32>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1, %collapsed : tensor<f32>, tensor<4x8x2x2xf32>) outs(%14 : tensor<4x8x2x2xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.cmpf ogt, %in, %in_10 : f32
      %44 = arith.select %43, %in, %in_10 : f32
      linalg.yield %44 : f32
    } -> tensor<4x8x2x2xf32>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1, %collapsed : tensor<f32>, tensor<4x8x2x2xf32>) outs(%14 : tensor<4x8x2x2xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.cmpf olt, %in, %in_10 : f32
      %44 = arith.select %43, %in, %in_10 : f32
      linalg.yield %44 : f32
    } -> tensor<4x8x2x2xf32>
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<4x8x2x2xf32>) outs(%14 : tensor<4x8x2x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_2 : f32
      linalg.yield %43 : f32
    } -> tensor<4x8x2x2xf32>
    %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %18 : tensor<4x8x2x2xf32>, tensor<4x8x2x2xf32>) outs(%14 : tensor<4x8x2x2xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.addf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<4x8x2x2xf32>
    %20 = tensor.empty() : tensor<4x8x1x1xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<4x8x1x1xf32>) -> tensor<4x8x1x1xf32>
    %22 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%19, %12 : tensor<4x8x2x2xf32>, tensor<2x2xf32>) outs(%21 : tensor<4x8x1x1xf32>) -> tensor<4x8x1x1xf32>
    %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<4x8x1x1xf32>) outs(%20 : tensor<4x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.divf %in, %cst_3 : f32
      linalg.yield %43 : f32
    } -> tensor<4x8x1x1xf32>
    %collapsed_8 = tensor.collapse_shape %23 [[0], [1, 2, 3]] : tensor<4x8x1x1xf32> into tensor<4x8xf32>
    %24 = tensor.empty() : tensor<8x5xf32>
    %transposed = linalg.transpose ins(%a5 : tensor<5x8xf32>) outs(%24 : tensor<8x5xf32>) permutation = [1, 0] 
    %25 = tensor.empty() : tensor<4x5xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<4x5xf32>) -> tensor<4x5xf32>
    %27 = linalg.matmul ins(%collapsed_8, %transposed : tensor<4x8xf32>, tensor<8x5xf32>) outs(%26 : tensor<4x5xf32>) -> tensor<4x5xf32>
    %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%27, %a6 : tensor<4x5xf32>, tensor<5xf32>) outs(%25 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.addf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<4x5xf32>
    %29 = tensor.empty() : tensor<4xi64>
    %30 = linalg.fill ins(%c0_i64 : i64) outs(%29 : tensor<4xi64>) -> tensor<4xi64>
    %31 = tensor.empty() : tensor<4xf32>
    %32 = linalg.fill ins(%cst_0 : f32) outs(%31 : tensor<4xf32>) -> tensor<4xf32>
    %33:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%28 : tensor<4x5xf32>) outs(%32, %30 : tensor<4xf32>, tensor<4xi64>) {
    ^bb0(%in: f32, %out: f32, %out_10: i64):
      %43 = linalg.index 1 : index
      %44 = arith.index_cast %43 : index to i64
      %45 = arith.maximumf %in, %out : f32
      %46 = arith.cmpf ogt, %in, %out : f32
      %47 = arith.select %46, %44, %out_10 : i64
      linalg.yield %45, %47 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    %expanded_9 = tensor.expand_shape %33#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%28, %expanded_9 : tensor<4x5xf32>, tensor<4x1xf32>) outs(%25 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.subf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<4x5xf32>
    %35 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<4x5xf32>) outs(%25 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = math.exp %in : f32
      linalg.yield %43 : f32
    } -> tensor<4x5xf32>
    %36 = tensor.empty() : tensor<4x1xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%35 : tensor<4x5xf32>) outs(%37 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.addf %in, %out : f32
      linalg.yield %43 : f32
    } -> tensor<4x1xf32>
    %39 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<4x1xf32>) outs(%36 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = math.log %in : f32
      linalg.yield %43 : f32
    } -> tensor<4x1xf32>
    %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%34, %39 : tensor<4x5xf32>, tensor<4x1xf32>) outs(%25 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.subf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<4x5xf32>
  return %40 : tensor<4x5xf32>
}
