// Convolutions, pools, a normalisation, cross-entropy by take_along_axis. JAX, lowered by IREE.
// Written by scripts/generate-front-ends.

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0, d1) -> ()>
#map7 = affine_map<() -> ()>
#map8 = affine_map<(d0) -> (d0)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d2)>
#map11 = affine_map<(d0, d1, d2) -> (d0, d1)>
  func.func private @model(%arg0: tensor<4xf32>, %arg1: tensor<8xf32>, %arg2: tensor<3x3x1x4xf32>, %arg3: tensor<3x3x4x8xf32>, %arg4: tensor<16xf32>, %arg5: tensor<10xf32>, %arg6: tensor<32x16xf32>, %arg7: tensor<16x10xf32>, %arg8: tensor<16x8x8x1xf32>, %arg9: tensor<16xi32>) -> tensor<f32> {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 9.99999974E-6 : f32
    %cst_1 = arith.constant 1.600000e+01 : f32
    %cst_2 = arith.constant 5.000000e-01 : f32
    %cst_3 = arith.constant 1.000000e+00 : f32
    %cst_4 = arith.constant 0.797884583 : f32
    %cst_5 = arith.constant 4.471500e-02 : f32
    %cst_6 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x3x1x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<3x3x1x4xf32>) outs(%0 : tensor<3x3x1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x3x1x4xf32>
    %2 = tensor.empty() : tensor<16x8x8x4xf32>
    %3 = linalg.fill ins(%cst_6 : f32) outs(%2 : tensor<16x8x8x4xf32>) -> tensor<16x8x8x4xf32>
    %padded = tensor.pad %arg8 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg10: index, %arg11: index, %arg12: index, %arg13: index):
      tensor.yield %cst_6 : f32
    } : tensor<16x8x8x1xf32> to tensor<16x10x10x1xf32>
    %4 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %1 : tensor<16x10x10x1xf32>, tensor<3x3x1x4xf32>) outs(%3 : tensor<16x8x8x4xf32>) -> tensor<16x8x8x4xf32>
    %5 = tensor.empty() : tensor<16x8x8x4xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4xf32>) outs(%5 : tensor<16x8x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x8x8x4xf32>
    %7 = tensor.empty() : tensor<16x8x8x4xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %6 : tensor<16x8x8x4xf32>, tensor<16x8x8x4xf32>) outs(%7 : tensor<16x8x8x4xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.addf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x8x8x4xf32>
    %9 = tensor.empty() : tensor<16x8x8x4xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<16x8x8x4xf32>) outs(%9 : tensor<16x8x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = math.tanh %in : f32
      linalg.yield %94 : f32
    } -> tensor<16x8x8x4xf32>
    %11 = tensor.empty() : tensor<2x2xf32>
    %12 = tensor.empty() : tensor<16x4x4x4xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<16x4x4x4xf32>) -> tensor<16x4x4x4xf32>
    %14 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%10, %11 : tensor<16x8x8x4xf32>, tensor<2x2xf32>) outs(%13 : tensor<16x4x4x4xf32>) -> tensor<16x4x4x4xf32>
    %15 = tensor.empty() : tensor<3x3x4x8xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<3x3x4x8xf32>) outs(%15 : tensor<3x3x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x3x4x8xf32>
    %17 = tensor.empty() : tensor<16x4x4x8xf32>
    %18 = linalg.fill ins(%cst_6 : f32) outs(%17 : tensor<16x4x4x8xf32>) -> tensor<16x4x4x8xf32>
    %padded_7 = tensor.pad %14 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg10: index, %arg11: index, %arg12: index, %arg13: index):
      tensor.yield %cst_6 : f32
    } : tensor<16x4x4x4xf32> to tensor<16x6x6x4xf32>
    %19 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded_7, %16 : tensor<16x6x6x4xf32>, tensor<3x3x4x8xf32>) outs(%18 : tensor<16x4x4x8xf32>) -> tensor<16x4x4x8xf32>
    %20 = tensor.empty() : tensor<16x4x4x8xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<8xf32>) outs(%20 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x4x4x8xf32>
    %22 = tensor.empty() : tensor<16x4x4x8xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %21 : tensor<16x4x4x8xf32>, tensor<16x4x4x8xf32>) outs(%22 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.addf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %24 = tensor.empty() : tensor<16x4x4x8xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<16x4x4x8xf32>) outs(%24 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.mulf %in, %in : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %26 = tensor.empty() : tensor<16x4x4x8xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %23 : tensor<16x4x4x8xf32>, tensor<16x4x4x8xf32>) outs(%26 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.mulf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %28 = tensor.empty() : tensor<16x4x4x8xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<16x4x4x8xf32>) outs(%28 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.mulf %in, %cst_5 : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %30 = tensor.empty() : tensor<16x4x4x8xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %29 : tensor<16x4x4x8xf32>, tensor<16x4x4x8xf32>) outs(%30 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.addf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %32 = tensor.empty() : tensor<16x4x4x8xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<16x4x4x8xf32>) outs(%32 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.mulf %in, %cst_4 : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %34 = tensor.empty() : tensor<16x4x4x8xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<16x4x4x8xf32>) outs(%34 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = math.tanh %in : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %36 = tensor.empty() : tensor<16x4x4x8xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<16x4x4x8xf32>) outs(%36 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %in, %cst_3 : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %38 = tensor.empty() : tensor<16x4x4x8xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<16x4x4x8xf32>) outs(%38 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.mulf %in, %cst_2 : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %40 = tensor.empty() : tensor<16x4x4x8xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %39 : tensor<16x4x4x8xf32>, tensor<16x4x4x8xf32>) outs(%40 : tensor<16x4x4x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.mulf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x4x4x8xf32>
    %42 = tensor.empty() : tensor<2x2xf32>
    %43 = tensor.empty() : tensor<16x2x2x8xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<16x2x2x8xf32>) -> tensor<16x2x2x8xf32>
    %45 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%41, %42 : tensor<16x4x4x8xf32>, tensor<2x2xf32>) outs(%44 : tensor<16x2x2x8xf32>) -> tensor<16x2x2x8xf32>
    %collapsed = tensor.collapse_shape %45 [[0], [1, 2, 3]] : tensor<16x2x2x8xf32> into tensor<16x32xf32>
    %46 = tensor.empty() : tensor<16x16xf32>
    %47 = linalg.fill ins(%cst_6 : f32) outs(%46 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %48 = linalg.matmul ins(%collapsed, %arg6 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%47 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %49 = tensor.empty() : tensor<16x16xf32>
    %50 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<16xf32>) outs(%49 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x16xf32>
    %51 = tensor.empty() : tensor<16x16xf32>
    %52 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%48, %50 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%51 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.addf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x16xf32>
    %53 = call @relu(%52) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %54 = tensor.empty() : tensor<16xf32>
    %55 = linalg.fill ins(%cst_6 : f32) outs(%54 : tensor<16xf32>) -> tensor<16xf32>
    %56 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%53 : tensor<16x16xf32>) outs(%55 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %out, %in : f32
      linalg.yield %94 : f32
    } -> tensor<16xf32>
    %expanded = tensor.expand_shape %56 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %57 = tensor.empty() : tensor<16x1xf32>
    %58 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<16x1xf32>) outs(%57 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.divf %in, %cst_1 : f32
      linalg.yield %94 : f32
    } -> tensor<16x1xf32>
    %59 = tensor.empty() : tensor<16x16xf32>
    %60 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%58 : tensor<16x1xf32>) outs(%59 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x16xf32>
    %61 = tensor.empty() : tensor<16x16xf32>
    %62 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%53, %60 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%61 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.subf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x16xf32>
    %63 = tensor.empty() : tensor<16x16xf32>
    %64 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%62 : tensor<16x16xf32>) outs(%63 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.mulf %in, %in : f32
      linalg.yield %94 : f32
    } -> tensor<16x16xf32>
    %65 = tensor.empty() : tensor<16xf32>
    %66 = linalg.fill ins(%cst_6 : f32) outs(%65 : tensor<16xf32>) -> tensor<16xf32>
    %67 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%64 : tensor<16x16xf32>) outs(%66 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %out, %in : f32
      linalg.yield %94 : f32
    } -> tensor<16xf32>
    %expanded_8 = tensor.expand_shape %67 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %68 = tensor.empty() : tensor<16x1xf32>
    %69 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_8 : tensor<16x1xf32>) outs(%68 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.divf %in, %cst_1 : f32
      linalg.yield %94 : f32
    } -> tensor<16x1xf32>
    %70 = tensor.empty() : tensor<16x1xf32>
    %71 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%69 : tensor<16x1xf32>) outs(%70 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %in, %cst_0 : f32
      linalg.yield %94 : f32
    } -> tensor<16x1xf32>
    %72 = tensor.empty() : tensor<16x1xf32>
    %73 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%71 : tensor<16x1xf32>) outs(%72 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = math.rsqrt %in : f32
      linalg.yield %94 : f32
    } -> tensor<16x1xf32>
    %74 = tensor.empty() : tensor<16x16xf32>
    %75 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%73 : tensor<16x1xf32>) outs(%74 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x16xf32>
    %76 = tensor.empty() : tensor<16x16xf32>
    %77 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%62, %75 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%76 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.mulf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x16xf32>
    %78 = tensor.empty() : tensor<16x10xf32>
    %79 = linalg.fill ins(%cst_6 : f32) outs(%78 : tensor<16x10xf32>) -> tensor<16x10xf32>
    %80 = linalg.matmul ins(%77, %arg7 : tensor<16x16xf32>, tensor<16x10xf32>) outs(%79 : tensor<16x10xf32>) -> tensor<16x10xf32>
    %81 = tensor.empty() : tensor<16x10xf32>
    %82 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<10xf32>) outs(%81 : tensor<16x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x10xf32>
    %83 = tensor.empty() : tensor<16x10xf32>
    %84 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%80, %82 : tensor<16x10xf32>, tensor<16x10xf32>) outs(%83 : tensor<16x10xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %94 = arith.addf %in, %in_10 : f32
      linalg.yield %94 : f32
    } -> tensor<16x10xf32>
    %85 = call @log_softmax(%84) : (tensor<16x10xf32>) -> tensor<16x10xf32>
    %expanded_9 = tensor.expand_shape %arg9 [[0, 1]] output_shape [16, 1] : tensor<16xi32> into tensor<16x1xi32>
    %86 = call @take_along_axis(%85, %expanded_9) : (tensor<16x10xf32>, tensor<16x1xi32>) -> tensor<16x1xf32>
    %87 = tensor.empty() : tensor<f32>
    %88 = linalg.fill ins(%cst_6 : f32) outs(%87 : tensor<f32>) -> tensor<f32>
    %89 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["reduction", "reduction"]} ins(%86 : tensor<16x1xf32>) outs(%88 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %out, %in : f32
      linalg.yield %94 : f32
    } -> tensor<f32>
    %90 = tensor.empty() : tensor<f32>
    %91 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%89 : tensor<f32>) outs(%90 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.divf %in, %cst_1 : f32
      linalg.yield %94 : f32
    } -> tensor<f32>
    %92 = tensor.empty() : tensor<f32>
    %93 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%91 : tensor<f32>) outs(%92 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.negf %in : f32
      linalg.yield %94 : f32
    } -> tensor<f32>
    return %93 : tensor<f32>
  }
  func.func private @relu(%arg0: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<16x16xf32>
    %1 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
  func.func private @log_softmax(%arg0: tensor<16x10xf32>) -> tensor<16x10xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<16xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
    %2 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<16x10xf32>) outs(%1 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<16xf32>
    %3 = tensor.empty() : tensor<16xf32>
    %4 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%2 : tensor<16xf32>) outs(%3 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16xf32>
    %5 = tensor.empty() : tensor<16x10xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<16xf32>) outs(%5 : tensor<16x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x10xf32>
    %7 = tensor.empty() : tensor<16x10xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<16x10xf32>, tensor<16x10xf32>) outs(%7 : tensor<16x10xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<16x10xf32>
    %9 = tensor.empty() : tensor<16x10xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<16x10xf32>) outs(%9 : tensor<16x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<16x10xf32>
    %11 = tensor.empty() : tensor<16xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<16xf32>) -> tensor<16xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<16x10xf32>) outs(%12 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<16xf32>
    %expanded = tensor.expand_shape %13 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %14 = tensor.empty() : tensor<16x1xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<16x1xf32>) outs(%14 : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<16x1xf32>
    %16 = tensor.empty() : tensor<16x10xf32>
    %17 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<16x1xf32>) outs(%16 : tensor<16x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x10xf32>
    %18 = tensor.empty() : tensor<16x10xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<16x10xf32>, tensor<16x10xf32>) outs(%18 : tensor<16x10xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<16x10xf32>
    return %19 : tensor<16x10xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<16x10xf32>, %arg1: tensor<16x1xi32>) -> tensor<16x1xf32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c9 = arith.constant 9 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %cst_0 = arith.constant dense<9> : tensor<1xi32>
    %c10_i32 = arith.constant 10 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<16x1xi1>
    %1 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<16x1xi32>) outs(%0 : tensor<16x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %21 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %21 : i1
    } -> tensor<16x1xi1>
    %2 = tensor.empty() : tensor<16x1xi32>
    %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<16x1xi32>) outs(%2 : tensor<16x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %21 = arith.addi %in, %c10_i32 : i32
      linalg.yield %21 : i32
    } -> tensor<16x1xi32>
    %4 = tensor.empty() : tensor<16x1xi32>
    %5 = linalg.generic {indexing_maps = [#map3, #map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<16x1xi1>, tensor<16x1xi32>, tensor<16x1xi32>) outs(%4 : tensor<16x1xi32>) {
    ^bb0(%in: i1, %in_1: i32, %in_2: i32, %out: i32):
      %21 = arith.select %in, %in_1, %in_2 : i32
      linalg.yield %21 : i32
    } -> tensor<16x1xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [16, 1, 1] : tensor<16x1xi32> into tensor<16x1x1xi32>
    %6 = tensor.empty() : tensor<16x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<16x1x1xi32>) outs(%6 : tensor<16x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %21 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %21 : i1
    } -> tensor<16x1x1xi1>
    %8 = tensor.empty() : tensor<16x1x1xi32>
    %9 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<1xi32>) outs(%8 : tensor<16x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<16x1x1xi32>
    %10 = tensor.empty() : tensor<16x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %9 : tensor<16x1x1xi32>, tensor<16x1x1xi32>) outs(%10 : tensor<16x1x1xi1>) {
    ^bb0(%in: i32, %in_1: i32, %out: i1):
      %21 = arith.cmpi sle, %in, %in_1 : i32
      linalg.yield %21 : i1
    } -> tensor<16x1x1xi1>
    %12 = tensor.empty() : tensor<16x1x1xi1>
    %13 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<16x1x1xi1>, tensor<16x1x1xi1>) outs(%12 : tensor<16x1x1xi1>) {
    ^bb0(%in: i1, %in_1: i1, %out: i1):
      %21 = arith.andi %in, %in_1 : i1
      linalg.yield %21 : i1
    } -> tensor<16x1x1xi1>
    %14 = tensor.empty() : tensor<16x1xi1>
    %15 = linalg.fill ins(%true : i1) outs(%14 : tensor<16x1xi1>) -> tensor<16x1xi1>
    %16 = linalg.generic {indexing_maps = [#map9, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<16x1x1xi1>) outs(%15 : tensor<16x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %21 = arith.andi %out, %in : i1
      linalg.yield %21 : i1
    } -> tensor<16x1xi1>
    %17 = tensor.empty() : tensor<16x1xf32>
    %18 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel"]} outs(%17 : tensor<16x1xf32>) {
    ^bb0(%out: f32):
      %21 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%21, %c0, %c0] : tensor<16x1x1xi32>
      %22 = arith.index_cast %extracted : i32 to index
      %23 = arith.maxsi %22, %c0 : index
      %24 = arith.minsi %23, %c9 : index
      %extracted_1 = tensor.extract %arg0[%21, %24] : tensor<16x10xf32>
      linalg.yield %extracted_1 : f32
    } -> tensor<16x1xf32>
    %19 = tensor.empty() : tensor<16x1xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%16, %18 : tensor<16x1xi1>, tensor<16x1xf32>) outs(%19 : tensor<16x1xf32>) {
    ^bb0(%in: i1, %in_1: f32, %out: f32):
      %21 = arith.select %in, %in_1, %cst : f32
      linalg.yield %21 : f32
    } -> tensor<16x1xf32>
    return %20 : tensor<16x1xf32>
  }
