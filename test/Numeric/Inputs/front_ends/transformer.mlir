// One block of a causal decoder whose embedding is its classifier too. JAX, lowered by IREE.
// Written by scripts/generate-front-ends.

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map5 = affine_map<(d0, d1, d2) -> (d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#map15 = affine_map<(d0, d1) -> (d1, d0)>
#map16 = affine_map<(d0, d1) -> ()>
#map17 = affine_map<() -> ()>
#map18 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map19 = affine_map<(d0, d1, d2, d3) -> ()>
#map20 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
  func.func private @model(%arg0: tensor<16x8xf32>, %arg1: tensor<11x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<6x8xf32>, %arg5: tensor<8x24xf32>, %arg6: tensor<8x16xf32>, %arg7: tensor<3x6xi32>) -> tensor<f32> {
    %cst = arith.constant 1.500000e+01 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<-1.000000e+09> : tensor<f32>
    %cst_2 = arith.constant dense<true> : tensor<6x6xi1>
    %cst_3 = arith.constant 2.000000e+00 : f32
    %cst_4 = arith.constant 9.99999974E-6 : f32
    %cst_5 = arith.constant 8.000000e+00 : f32
    %cst_6 = arith.constant 0.000000e+00 : f32
    %c10 = arith.constant 10 : index
    %c0 = arith.constant 0 : index
    %c11_i32 = arith.constant 11 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<3x6xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<3x6xi32>) outs(%0 : tensor<3x6xi1>) {
    ^bb0(%in: i32, %out: i1):
      %140 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %140 : i1
    } -> tensor<3x6xi1>
    %2 = tensor.empty() : tensor<3x6xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<3x6xi32>) outs(%2 : tensor<3x6xi32>) {
    ^bb0(%in: i32, %out: i32):
      %140 = arith.addi %in, %c11_i32 : i32
      linalg.yield %140 : i32
    } -> tensor<3x6xi32>
    %4 = tensor.empty() : tensor<3x6xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg7 : tensor<3x6xi1>, tensor<3x6xi32>, tensor<3x6xi32>) outs(%4 : tensor<3x6xi32>) {
    ^bb0(%in: i1, %in_18: i32, %in_19: i32, %out: i32):
      %140 = arith.select %in, %in_18, %in_19 : i32
      linalg.yield %140 : i32
    } -> tensor<3x6xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xi32> into tensor<3x6x1xi32>
    %6 = tensor.empty() : tensor<3x6x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%6 : tensor<3x6x8xf32>) {
    ^bb0(%out: f32):
      %140 = linalg.index 0 : index
      %141 = linalg.index 1 : index
      %142 = linalg.index 2 : index
      %extracted = tensor.extract %expanded[%140, %141, %c0] : tensor<3x6x1xi32>
      %143 = arith.index_cast %extracted : i32 to index
      %144 = arith.maxsi %143, %c0 : index
      %145 = arith.minsi %144, %c10 : index
      %extracted_18 = tensor.extract %arg1[%145, %142] : tensor<11x8xf32>
      linalg.yield %extracted_18 : f32
    } -> tensor<3x6x8xf32>
    %8 = tensor.empty() : tensor<3x6x8xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<6x8xf32>) outs(%8 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    %10 = tensor.empty() : tensor<3x6x8xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%10 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.addf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %12 = tensor.empty() : tensor<3x6xf32>
    %13 = linalg.fill ins(%cst_6 : f32) outs(%12 : tensor<3x6xf32>) -> tensor<3x6xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<3x6x8xf32>) outs(%13 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %out, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x6xf32>
    %expanded_7 = tensor.expand_shape %14 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xf32> into tensor<3x6x1xf32>
    %15 = tensor.empty() : tensor<3x6x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_7 : tensor<3x6x1xf32>) outs(%15 : tensor<3x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.divf %in, %cst_5 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x1xf32>
    %17 = tensor.empty() : tensor<3x6x8xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<3x6x1xf32>) outs(%17 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    %19 = tensor.empty() : tensor<3x6x8xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %18 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%19 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.subf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %21 = tensor.empty() : tensor<3x6x8xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<3x6x8xf32>) outs(%21 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.mulf %in, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %23 = tensor.empty() : tensor<3x6xf32>
    %24 = linalg.fill ins(%cst_6 : f32) outs(%23 : tensor<3x6xf32>) -> tensor<3x6xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%22 : tensor<3x6x8xf32>) outs(%24 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %out, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x6xf32>
    %expanded_8 = tensor.expand_shape %25 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xf32> into tensor<3x6x1xf32>
    %26 = tensor.empty() : tensor<3x6x1xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_8 : tensor<3x6x1xf32>) outs(%26 : tensor<3x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.divf %in, %cst_5 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x1xf32>
    %28 = tensor.empty() : tensor<3x6x1xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<3x6x1xf32>) outs(%28 : tensor<3x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %in, %cst_4 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x1xf32>
    %30 = tensor.empty() : tensor<3x6x1xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<3x6x1xf32>) outs(%30 : tensor<3x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = math.rsqrt %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x1xf32>
    %32 = tensor.empty() : tensor<3x6x8xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<3x6x1xf32>) outs(%32 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    %34 = tensor.empty() : tensor<3x6x8xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %33 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%34 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %36 = tensor.empty() : tensor<3x6x8xf32>
    %37 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<8xf32>) outs(%36 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    %38 = tensor.empty() : tensor<3x6x8xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%37, %35 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%38 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %40 = tensor.empty() : tensor<3x6x24xf32>
    %41 = linalg.fill ins(%cst_6 : f32) outs(%40 : tensor<3x6x24xf32>) -> tensor<3x6x24xf32>
    %42 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%39, %arg5 : tensor<3x6x8xf32>, tensor<8x24xf32>) outs(%41 : tensor<3x6x24xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      %141 = arith.addf %out, %140 : f32
      linalg.yield %141 : f32
    } -> tensor<3x6x24xf32>
    %extracted_slice = tensor.extract_slice %42[0, 0, 0] [3, 6, 8] [1, 1, 1] : tensor<3x6x24xf32> to tensor<3x6x8xf32>
    %extracted_slice_9 = tensor.extract_slice %42[0, 0, 8] [3, 6, 8] [1, 1, 1] : tensor<3x6x24xf32> to tensor<3x6x8xf32>
    %extracted_slice_10 = tensor.extract_slice %42[0, 0, 16] [3, 6, 8] [1, 1, 1] : tensor<3x6x24xf32> to tensor<3x6x8xf32>
    %expanded_11 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [3, 6, 2, 4] : tensor<3x6x8xf32> into tensor<3x6x2x4xf32>
    %43 = tensor.empty() : tensor<3x2x6x4xf32>
    %44 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_11 : tensor<3x6x2x4xf32>) outs(%43 : tensor<3x2x6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x6x4xf32>
    %expanded_12 = tensor.expand_shape %extracted_slice_9 [[0], [1], [2, 3]] output_shape [3, 6, 2, 4] : tensor<3x6x8xf32> into tensor<3x6x2x4xf32>
    %45 = tensor.empty() : tensor<3x2x6x4xf32>
    %46 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_12 : tensor<3x6x2x4xf32>) outs(%45 : tensor<3x2x6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x6x4xf32>
    %expanded_13 = tensor.expand_shape %extracted_slice_10 [[0], [1], [2, 3]] output_shape [3, 6, 2, 4] : tensor<3x6x8xf32> into tensor<3x6x2x4xf32>
    %47 = tensor.empty() : tensor<3x2x6x4xf32>
    %48 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_13 : tensor<3x6x2x4xf32>) outs(%47 : tensor<3x2x6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x6x4xf32>
    %49 = tensor.empty() : tensor<3x2x6x6xf32>
    %50 = linalg.fill ins(%cst_6 : f32) outs(%49 : tensor<3x2x6x6xf32>) -> tensor<3x2x6x6xf32>
    %51 = linalg.generic {indexing_maps = [#map11, #map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%44, %46 : tensor<3x2x6x4xf32>, tensor<3x2x6x4xf32>) outs(%50 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      %141 = arith.addf %out, %140 : f32
      linalg.yield %141 : f32
    } -> tensor<3x2x6x6xf32>
    %52 = tensor.empty() : tensor<3x2x6x6xf32>
    %53 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<3x2x6x6xf32>) outs(%52 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.divf %in, %cst_3 : f32
      linalg.yield %140 : f32
    } -> tensor<3x2x6x6xf32>
    %54 = call @tril(%cst_2) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %55 = call @_where(%54, %53, %cst_1) : (tensor<6x6xi1>, tensor<3x2x6x6xf32>, tensor<f32>) -> tensor<3x2x6x6xf32>
    %56 = tensor.empty() : tensor<3x2x6xf32>
    %57 = linalg.fill ins(%cst_0 : f32) outs(%56 : tensor<3x2x6xf32>) -> tensor<3x2x6xf32>
    %58 = linalg.generic {indexing_maps = [#map10, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%55 : tensor<3x2x6x6xf32>) outs(%57 : tensor<3x2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.maximumf %out, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x2x6xf32>
    %59 = tensor.empty() : tensor<3x2x6xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<3x2x6xf32>) outs(%59 : tensor<3x2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x6xf32>
    %61 = tensor.empty() : tensor<3x2x6x6xf32>
    %62 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<3x2x6xf32>) outs(%61 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x6x6xf32>
    %63 = tensor.empty() : tensor<3x2x6x6xf32>
    %64 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %62 : tensor<3x2x6x6xf32>, tensor<3x2x6x6xf32>) outs(%63 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.subf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x2x6x6xf32>
    %65 = tensor.empty() : tensor<3x2x6x6xf32>
    %66 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<3x2x6x6xf32>) outs(%65 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = math.exp %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x2x6x6xf32>
    %67 = tensor.empty() : tensor<3x2x6xf32>
    %68 = linalg.fill ins(%cst_6 : f32) outs(%67 : tensor<3x2x6xf32>) -> tensor<3x2x6xf32>
    %69 = linalg.generic {indexing_maps = [#map10, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%66 : tensor<3x2x6x6xf32>) outs(%68 : tensor<3x2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %out, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x2x6xf32>
    %70 = tensor.empty() : tensor<3x2x6x6xf32>
    %71 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69 : tensor<3x2x6xf32>) outs(%70 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x6x6xf32>
    %72 = tensor.empty() : tensor<3x2x6x6xf32>
    %73 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66, %71 : tensor<3x2x6x6xf32>, tensor<3x2x6x6xf32>) outs(%72 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.divf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x2x6x6xf32>
    %74 = tensor.empty() : tensor<3x2x6x4xf32>
    %75 = linalg.fill ins(%cst_6 : f32) outs(%74 : tensor<3x2x6x4xf32>) -> tensor<3x2x6x4xf32>
    %76 = linalg.generic {indexing_maps = [#map11, #map14, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%73, %48 : tensor<3x2x6x6xf32>, tensor<3x2x6x4xf32>) outs(%75 : tensor<3x2x6x4xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      %141 = arith.addf %out, %140 : f32
      linalg.yield %141 : f32
    } -> tensor<3x2x6x4xf32>
    %77 = tensor.empty() : tensor<3x6x2x4xf32>
    %78 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<3x2x6x4xf32>) outs(%77 : tensor<3x6x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x2x4xf32>
    %collapsed = tensor.collapse_shape %78 [[0], [1], [2, 3]] : tensor<3x6x2x4xf32> into tensor<3x6x8xf32>
    %79 = tensor.empty() : tensor<3x6x8xf32>
    %80 = linalg.fill ins(%cst_6 : f32) outs(%79 : tensor<3x6x8xf32>) -> tensor<3x6x8xf32>
    %81 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%collapsed, %arg3 : tensor<3x6x8xf32>, tensor<8x8xf32>) outs(%80 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      %141 = arith.addf %out, %140 : f32
      linalg.yield %141 : f32
    } -> tensor<3x6x8xf32>
    %82 = tensor.empty() : tensor<3x6x8xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %81 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%82 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.addf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %84 = tensor.empty() : tensor<3x6xf32>
    %85 = linalg.fill ins(%cst_6 : f32) outs(%84 : tensor<3x6xf32>) -> tensor<3x6xf32>
    %86 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%83 : tensor<3x6x8xf32>) outs(%85 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %out, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x6xf32>
    %expanded_14 = tensor.expand_shape %86 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xf32> into tensor<3x6x1xf32>
    %87 = tensor.empty() : tensor<3x6x1xf32>
    %88 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<3x6x1xf32>) outs(%87 : tensor<3x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.divf %in, %cst_5 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x1xf32>
    %89 = tensor.empty() : tensor<3x6x8xf32>
    %90 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88 : tensor<3x6x1xf32>) outs(%89 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    %91 = tensor.empty() : tensor<3x6x8xf32>
    %92 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %90 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%91 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.subf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %93 = tensor.empty() : tensor<3x6x8xf32>
    %94 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<3x6x8xf32>) outs(%93 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.mulf %in, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %95 = tensor.empty() : tensor<3x6xf32>
    %96 = linalg.fill ins(%cst_6 : f32) outs(%95 : tensor<3x6xf32>) -> tensor<3x6xf32>
    %97 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%94 : tensor<3x6x8xf32>) outs(%96 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %out, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x6xf32>
    %expanded_15 = tensor.expand_shape %97 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xf32> into tensor<3x6x1xf32>
    %98 = tensor.empty() : tensor<3x6x1xf32>
    %99 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_15 : tensor<3x6x1xf32>) outs(%98 : tensor<3x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.divf %in, %cst_5 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x1xf32>
    %100 = tensor.empty() : tensor<3x6x1xf32>
    %101 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<3x6x1xf32>) outs(%100 : tensor<3x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %in, %cst_4 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x1xf32>
    %102 = tensor.empty() : tensor<3x6x1xf32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<3x6x1xf32>) outs(%102 : tensor<3x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = math.rsqrt %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x1xf32>
    %104 = tensor.empty() : tensor<3x6x8xf32>
    %105 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<3x6x1xf32>) outs(%104 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    %106 = tensor.empty() : tensor<3x6x8xf32>
    %107 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92, %105 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%106 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %108 = tensor.empty() : tensor<3x6x8xf32>
    %109 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<8xf32>) outs(%108 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    %110 = tensor.empty() : tensor<3x6x8xf32>
    %111 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109, %107 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%110 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %112 = tensor.empty() : tensor<3x6x16xf32>
    %113 = linalg.fill ins(%cst_6 : f32) outs(%112 : tensor<3x6x16xf32>) -> tensor<3x6x16xf32>
    %114 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%111, %arg6 : tensor<3x6x8xf32>, tensor<8x16xf32>) outs(%113 : tensor<3x6x16xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      %141 = arith.addf %out, %140 : f32
      linalg.yield %141 : f32
    } -> tensor<3x6x16xf32>
    %115 = call @silu(%114) : (tensor<3x6x16xf32>) -> tensor<3x6x16xf32>
    %116 = tensor.empty() : tensor<3x6x8xf32>
    %117 = linalg.fill ins(%cst_6 : f32) outs(%116 : tensor<3x6x8xf32>) -> tensor<3x6x8xf32>
    %118 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%115, %arg0 : tensor<3x6x16xf32>, tensor<16x8xf32>) outs(%117 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      %141 = arith.addf %out, %140 : f32
      linalg.yield %141 : f32
    } -> tensor<3x6x8xf32>
    %119 = tensor.empty() : tensor<3x6x8xf32>
    %120 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %118 : tensor<3x6x8xf32>, tensor<3x6x8xf32>) outs(%119 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.addf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x6x8xf32>
    %121 = tensor.empty() : tensor<8x11xf32>
    %122 = linalg.generic {indexing_maps = [#map15, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<11x8xf32>) outs(%121 : tensor<8x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x11xf32>
    %123 = tensor.empty() : tensor<3x6x11xf32>
    %124 = linalg.fill ins(%cst_6 : f32) outs(%123 : tensor<3x6x11xf32>) -> tensor<3x6x11xf32>
    %125 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%120, %122 : tensor<3x6x8xf32>, tensor<8x11xf32>) outs(%124 : tensor<3x6x11xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      %141 = arith.addf %out, %140 : f32
      linalg.yield %141 : f32
    } -> tensor<3x6x11xf32>
    %extracted_slice_16 = tensor.extract_slice %125[0, 0, 0] [3, 5, 11] [1, 1, 1] : tensor<3x6x11xf32> to tensor<3x5x11xf32>
    %126 = call @log_softmax(%extracted_slice_16) : (tensor<3x5x11xf32>) -> tensor<3x5x11xf32>
    %extracted_slice_17 = tensor.extract_slice %arg7[0, 1] [3, 5] [1, 1] : tensor<3x6xi32> to tensor<3x5xi32>
    %127 = call @_one_hot(%extracted_slice_17) : (tensor<3x5xi32>) -> tensor<3x5x11xf32>
    %128 = tensor.empty() : tensor<3x5x11xf32>
    %129 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %126 : tensor<3x5x11xf32>, tensor<3x5x11xf32>) outs(%128 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %140 = arith.mulf %in, %in_18 : f32
      linalg.yield %140 : f32
    } -> tensor<3x5x11xf32>
    %130 = tensor.empty() : tensor<3x5xf32>
    %131 = linalg.fill ins(%cst_6 : f32) outs(%130 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %132 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%129 : tensor<3x5x11xf32>) outs(%131 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %out, %in : f32
      linalg.yield %140 : f32
    } -> tensor<3x5xf32>
    %133 = tensor.empty() : tensor<f32>
    %134 = linalg.fill ins(%cst_6 : f32) outs(%133 : tensor<f32>) -> tensor<f32>
    %135 = linalg.generic {indexing_maps = [#map, #map16], iterator_types = ["reduction", "reduction"]} ins(%132 : tensor<3x5xf32>) outs(%134 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %out, %in : f32
      linalg.yield %140 : f32
    } -> tensor<f32>
    %136 = tensor.empty() : tensor<f32>
    %137 = linalg.generic {indexing_maps = [#map17, #map17], iterator_types = []} ins(%135 : tensor<f32>) outs(%136 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.divf %in, %cst : f32
      linalg.yield %140 : f32
    } -> tensor<f32>
    %138 = tensor.empty() : tensor<f32>
    %139 = linalg.generic {indexing_maps = [#map17, #map17], iterator_types = []} ins(%137 : tensor<f32>) outs(%138 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.negf %in : f32
      linalg.yield %140 : f32
    } -> tensor<f32>
    return %139 : tensor<f32>
  }
  func.func private @tril(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %false = arith.constant false
    %0 = tensor.empty() : tensor<6x6xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<6x6xi32>) {
    ^bb0(%out: i32):
      %10 = linalg.index 0 : index
      %11 = arith.index_cast %10 : index to i32
      linalg.yield %11 : i32
    } -> tensor<6x6xi32>
    %2 = tensor.empty() : tensor<6x6xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<6x6xi32>) outs(%2 : tensor<6x6xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<6x6xi32>
    %4 = tensor.empty() : tensor<6x6xi32>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%4 : tensor<6x6xi32>) {
    ^bb0(%out: i32):
      %10 = linalg.index 1 : index
      %11 = arith.index_cast %10 : index to i32
      linalg.yield %11 : i32
    } -> tensor<6x6xi32>
    %6 = tensor.empty() : tensor<6x6xi1>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %5 : tensor<6x6xi32>, tensor<6x6xi32>) outs(%6 : tensor<6x6xi1>) {
    ^bb0(%in: i32, %in_0: i32, %out: i1):
      %10 = arith.cmpi sge, %in, %in_0 : i32
      linalg.yield %10 : i1
    } -> tensor<6x6xi1>
    %8 = tensor.empty() : tensor<6x6xi1>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %arg0 : tensor<6x6xi1>, tensor<6x6xi1>) outs(%8 : tensor<6x6xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %10 = arith.select %in, %in_0, %false : i1
      linalg.yield %10 : i1
    } -> tensor<6x6xi1>
    return %9 : tensor<6x6xi1>
  }
  func.func private @_where(%arg0: tensor<6x6xi1>, %arg1: tensor<3x2x6x6xf32>, %arg2: tensor<f32>) -> tensor<3x2x6x6xf32> {
    %0 = tensor.empty() : tensor<3x2x6x6xi1>
    %1 = linalg.generic {indexing_maps = [#map18, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<6x6xi1>) outs(%0 : tensor<3x2x6x6xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<3x2x6x6xi1>
    %2 = tensor.empty() : tensor<3x2x6x6xf32>
    %3 = linalg.generic {indexing_maps = [#map19, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x6x6xf32>
    %4 = tensor.empty() : tensor<3x2x6x6xf32>
    %5 = linalg.generic {indexing_maps = [#map10, #map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<3x2x6x6xi1>, tensor<3x2x6x6xf32>, tensor<3x2x6x6xf32>) outs(%4 : tensor<3x2x6x6xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<3x2x6x6xf32>
    return %5 : tensor<3x2x6x6xf32>
  }
  func.func private @silu(%arg0: tensor<3x6x16xf32>) -> tensor<3x6x16xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x6x16xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x6x16xf32>) outs(%0 : tensor<3x6x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.negf %in : f32
      linalg.yield %10 : f32
    } -> tensor<3x6x16xf32>
    %2 = tensor.empty() : tensor<3x6x16xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<3x6x16xf32>) outs(%2 : tensor<3x6x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = math.exp %in : f32
      linalg.yield %10 : f32
    } -> tensor<3x6x16xf32>
    %4 = tensor.empty() : tensor<3x6x16xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<3x6x16xf32>) outs(%4 : tensor<3x6x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %cst : f32
      linalg.yield %10 : f32
    } -> tensor<3x6x16xf32>
    %6 = tensor.empty() : tensor<3x6x16xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<3x6x16xf32>) outs(%6 : tensor<3x6x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %cst, %in : f32
      linalg.yield %10 : f32
    } -> tensor<3x6x16xf32>
    %8 = tensor.empty() : tensor<3x6x16xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %7 : tensor<3x6x16xf32>, tensor<3x6x16xf32>) outs(%8 : tensor<3x6x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %10 = arith.mulf %in, %in_0 : f32
      linalg.yield %10 : f32
    } -> tensor<3x6x16xf32>
    return %9 : tensor<3x6x16xf32>
  }
  func.func private @log_softmax(%arg0: tensor<3x5x11xf32>) -> tensor<3x5x11xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<3x5xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<3x5x11xf32>) outs(%1 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<3x5xf32>
    %3 = tensor.empty() : tensor<3x5xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<3x5xf32>) outs(%3 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5xf32>
    %5 = tensor.empty() : tensor<3x5x11xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<3x5xf32>) outs(%5 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5x11xf32>
    %7 = tensor.empty() : tensor<3x5x11xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %6 : tensor<3x5x11xf32>, tensor<3x5x11xf32>) outs(%7 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<3x5x11xf32>
    %9 = tensor.empty() : tensor<3x5x11xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<3x5x11xf32>) outs(%9 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<3x5x11xf32>
    %11 = tensor.empty() : tensor<3x5xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<3x5x11xf32>) outs(%12 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<3x5xf32>
    %expanded = tensor.expand_shape %13 [[0], [1, 2]] output_shape [3, 5, 1] : tensor<3x5xf32> into tensor<3x5x1xf32>
    %14 = tensor.empty() : tensor<3x5x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<3x5x1xf32>) outs(%14 : tensor<3x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<3x5x1xf32>
    %16 = tensor.empty() : tensor<3x5x11xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<3x5x1xf32>) outs(%16 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5x11xf32>
    %18 = tensor.empty() : tensor<3x5x11xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %17 : tensor<3x5x11xf32>, tensor<3x5x11xf32>) outs(%18 : tensor<3x5x11xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<3x5x11xf32>
    return %19 : tensor<3x5x11xf32>
  }
  func.func private @_one_hot(%arg0: tensor<3x5xi32>) -> tensor<3x5x11xf32> {
    %0 = tensor.empty() : tensor<1x1x11xi32>
    %1 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%0 : tensor<1x1x11xi32>) {
    ^bb0(%out: i32):
      %10 = linalg.index 2 : index
      %11 = arith.index_cast %10 : index to i32
      linalg.yield %11 : i32
    } -> tensor<1x1x11xi32>
    %2 = tensor.empty() : tensor<3x5x11xi32>
    %3 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x5xi32>) outs(%2 : tensor<3x5x11xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<3x5x11xi32>
    %4 = tensor.empty() : tensor<3x5x11xi32>
    %5 = linalg.generic {indexing_maps = [#map20, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<1x1x11xi32>) outs(%4 : tensor<3x5x11xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<3x5x11xi32>
    %6 = tensor.empty() : tensor<3x5x11xi1>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %5 : tensor<3x5x11xi32>, tensor<3x5x11xi32>) outs(%6 : tensor<3x5x11xi1>) {
    ^bb0(%in: i32, %in_0: i32, %out: i1):
      %10 = arith.cmpi eq, %in, %in_0 : i32
      linalg.yield %10 : i1
    } -> tensor<3x5x11xi1>
    %8 = tensor.empty() : tensor<3x5x11xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<3x5x11xi1>) outs(%8 : tensor<3x5x11xf32>) {
    ^bb0(%in: i1, %out: f32):
      %10 = arith.uitofp %in : i1 to f32
      linalg.yield %10 : f32
    } -> tensor<3x5x11xf32>
    return %9 : tensor<3x5x11xf32>
  }
