// A recurrent cell along a sequence, by lax.scan. JAX, lowered by IREE.
// Written by scripts/generate-front-ends.

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map3 = affine_map<() -> ()>
#map4 = affine_map<(d0, d1, d2) -> ()>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0 + d3, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
  func.func private @model(%arg0: tensor<11x8xf32>, %arg1: tensor<8x24xf32>, %arg2: tensor<3x6xi32>) -> tensor<f32> {
    %cst = arith.constant 1.440000e+02 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c1_i32 = arith.constant 1 : i32
    %c6_i32 = arith.constant 6 : i32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<6x3x8xf32>
    %c10 = arith.constant 10 : index
    %c0 = arith.constant 0 : index
    %c11_i32 = arith.constant 11 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<3x8xf32>
    %cst_3 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<3x6xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<3x6xi32>) outs(%0 : tensor<3x6xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<3x6xi1>
    %2 = tensor.empty() : tensor<3x6xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<3x6xi32>) outs(%2 : tensor<3x6xi32>) {
    ^bb0(%in: i32, %out: i32):
      %19 = arith.addi %in, %c11_i32 : i32
      linalg.yield %19 : i32
    } -> tensor<3x6xi32>
    %4 = tensor.empty() : tensor<3x6xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg2 : tensor<3x6xi1>, tensor<3x6xi32>, tensor<3x6xi32>) outs(%4 : tensor<3x6xi32>) {
    ^bb0(%in: i1, %in_4: i32, %in_5: i32, %out: i32):
      %19 = arith.select %in, %in_4, %in_5 : i32
      linalg.yield %19 : i32
    } -> tensor<3x6xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xi32> into tensor<3x6x1xi32>
    %6 = tensor.empty() : tensor<3x6x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%6 : tensor<3x6x8xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %20 = linalg.index 1 : index
      %21 = linalg.index 2 : index
      %extracted = tensor.extract %expanded[%19, %20, %c0] : tensor<3x6x1xi32>
      %22 = arith.index_cast %extracted : i32 to index
      %23 = arith.maxsi %22, %c0 : index
      %24 = arith.minsi %23, %c10 : index
      %extracted_4 = tensor.extract %arg0[%24, %21] : tensor<11x8xf32>
      linalg.yield %extracted_4 : f32
    } -> tensor<3x6x8xf32>
    %8 = tensor.empty() : tensor<6x3x8xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<3x6x8xf32>) outs(%8 : tensor<6x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x3x8xf32>
    %10:6 = scf.while (%arg3 = %9, %arg4 = %arg1, %arg5 = %cst_3, %arg6 = %cst_2, %arg7 = %cst_2, %arg8 = %cst_1) : (tensor<6x3x8xf32>, tensor<8x24xf32>, tensor<i32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<6x3x8xf32>) -> (tensor<6x3x8xf32>, tensor<8x24xf32>, tensor<i32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<6x3x8xf32>) {
      %19 = tensor.empty() : tensor<i1>
      %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%arg5 : tensor<i32>) outs(%19 : tensor<i1>) {
      ^bb0(%in: i32, %out: i1):
        %21 = arith.cmpi slt, %in, %c6_i32 : i32
        linalg.yield %21 : i1
      } -> tensor<i1>
      %extracted = tensor.extract %20[] : tensor<i1>
      scf.condition(%extracted) %arg3, %arg4, %arg5, %arg6, %arg7, %arg8 : tensor<6x3x8xf32>, tensor<8x24xf32>, tensor<i32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<6x3x8xf32>
    } do {
    ^bb0(%arg3: tensor<6x3x8xf32>, %arg4: tensor<8x24xf32>, %arg5: tensor<i32>, %arg6: tensor<3x8xf32>, %arg7: tensor<3x8xf32>, %arg8: tensor<6x3x8xf32>):
      %19 = func.call @dynamic_index_in_dim(%arg3, %arg5) : (tensor<6x3x8xf32>, tensor<i32>) -> tensor<3x8xf32>
      %20:3 = func.call @closed_call(%arg4, %arg6, %arg7, %19) : (tensor<8x24xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>)
      %21 = func.call @dynamic_update_index_in_dim(%arg8, %20#2, %arg5) : (tensor<6x3x8xf32>, tensor<3x8xf32>, tensor<i32>) -> tensor<6x3x8xf32>
      %22 = tensor.empty() : tensor<i32>
      %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%arg5 : tensor<i32>) outs(%22 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %24 = arith.addi %in, %c1_i32 : i32
        linalg.yield %24 : i32
      } -> tensor<i32>
      scf.yield %arg3, %arg4, %23, %20#0, %20#1, %21 : tensor<6x3x8xf32>, tensor<8x24xf32>, tensor<i32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<6x3x8xf32>
    }
    %11 = call @cumsum(%10#5) : (tensor<6x3x8xf32>) -> tensor<6x3x8xf32>
    %12 = tensor.empty() : tensor<6x3x8xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<6x3x8xf32>) outs(%12 : tensor<6x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.mulf %in, %in : f32
      linalg.yield %19 : f32
    } -> tensor<6x3x8xf32>
    %14 = tensor.empty() : tensor<f32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<f32>) -> tensor<f32>
    %16 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["reduction", "reduction", "reduction"]} ins(%13 : tensor<6x3x8xf32>) outs(%15 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.addf %out, %in : f32
      linalg.yield %19 : f32
    } -> tensor<f32>
    %17 = tensor.empty() : tensor<f32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%16 : tensor<f32>) outs(%17 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.divf %in, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<f32>
    return %18 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x3x8xf32>, %arg1: tensor<i32>) -> tensor<3x8xf32> {
    %c5 = arith.constant 5 : index
    %c0 = arith.constant 0 : index
    %extracted = tensor.extract %arg1[] : tensor<i32>
    %0 = arith.index_cast %extracted : i32 to index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c5 : index
    %extracted_slice = tensor.extract_slice %arg0[%2, %c0, %c0] [1, 3, 8] [1, 1, 1] : tensor<6x3x8xf32> to tensor<1x3x8xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    return %collapsed : tensor<3x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<8x24xf32>, %arg1: tensor<3x8xf32>, %arg2: tensor<3x8xf32>, %arg3: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x24xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<3x24xf32>) -> tensor<3x24xf32>
    %2 = linalg.matmul ins(%arg3, %arg0 : tensor<3x8xf32>, tensor<8x24xf32>) outs(%1 : tensor<3x24xf32>) -> tensor<3x24xf32>
    %3 = tensor.empty() : tensor<3x24xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<3x24xf32>) -> tensor<3x24xf32>
    %5 = linalg.matmul ins(%arg1, %arg0 : tensor<3x8xf32>, tensor<8x24xf32>) outs(%4 : tensor<3x24xf32>) -> tensor<3x24xf32>
    %6 = tensor.empty() : tensor<3x24xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %5 : tensor<3x24xf32>, tensor<3x24xf32>) outs(%6 : tensor<3x24xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.addf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<3x24xf32>
    %extracted_slice = tensor.extract_slice %7[0, 0] [3, 8] [1, 1] : tensor<3x24xf32> to tensor<3x8xf32>
    %extracted_slice_1 = tensor.extract_slice %7[0, 8] [3, 8] [1, 1] : tensor<3x24xf32> to tensor<3x8xf32>
    %extracted_slice_2 = tensor.extract_slice %7[0, 16] [3, 8] [1, 1] : tensor<3x24xf32> to tensor<3x8xf32>
    %8 = tensor.empty() : tensor<3x8xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_1 : tensor<3x8xf32>) outs(%8 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.negf %in : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %10 = tensor.empty() : tensor<3x8xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<3x8xf32>) outs(%10 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.exp %in : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %12 = tensor.empty() : tensor<3x8xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<3x8xf32>) outs(%12 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %cst : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %14 = tensor.empty() : tensor<3x8xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<3x8xf32>) outs(%14 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.divf %cst, %in : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %16 = tensor.empty() : tensor<3x8xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%15, %arg2 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%16 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %18 = tensor.empty() : tensor<3x8xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<3x8xf32>) outs(%18 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.negf %in : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %20 = tensor.empty() : tensor<3x8xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<3x8xf32>) outs(%20 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.exp %in : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %22 = tensor.empty() : tensor<3x8xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<3x8xf32>) outs(%22 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %cst : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %24 = tensor.empty() : tensor<3x8xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<3x8xf32>) outs(%24 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.divf %cst, %in : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %26 = tensor.empty() : tensor<3x8xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_2 : tensor<3x8xf32>) outs(%26 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.tanh %in : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %28 = tensor.empty() : tensor<3x8xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%25, %27 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%28 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %30 = tensor.empty() : tensor<3x8xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %29 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.addf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    %32 = tensor.empty() : tensor<3x8xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<3x8xf32>) outs(%32 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.tanh %in : f32
      linalg.yield %34 : f32
    } -> tensor<3x8xf32>
    return %33, %31, %33 : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x3x8xf32>, %arg1: tensor<3x8xf32>, %arg2: tensor<i32>) -> tensor<6x3x8xf32> {
    %c5 = arith.constant 5 : index
    %c0 = arith.constant 0 : index
    %0 = tensor.empty() : tensor<1x3x8xf32>
    %1 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %2 = arith.index_cast %extracted : i32 to index
    %3 = arith.maxsi %2, %c0 : index
    %4 = arith.minsi %3, %c5 : index
    %inserted_slice = tensor.insert_slice %1 into %arg0[%4, %c0, %c0] [1, 3, 8] [1, 1, 1] : tensor<1x3x8xf32> into tensor<6x3x8xf32>
    return %inserted_slice : tensor<6x3x8xf32>
  }
  func.func private @cumsum(%arg0: tensor<6x3x8xf32>) -> tensor<6x3x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<6x3x8xf32>) -> tensor<6x3x8xf32>
    return %0 : tensor<6x3x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<6x3x8xf32>) -> tensor<6x3x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<6x3x8xf32>
    %1 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<6x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x3x8xf32>
    %padded = tensor.pad %arg0 low[5, 0, 0] high[0, 0, 0] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index):
      tensor.yield %cst : f32
    } : tensor<6x3x8xf32> to tensor<11x3x8xf32>
    %2 = tensor.empty() : tensor<6xf32>
    %3 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%padded, %2 : tensor<11x3x8xf32>, tensor<6xf32>) outs(%1 : tensor<6x3x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %4 = arith.addf %out, %in : f32
      linalg.yield %4 : f32
    } -> tensor<6x3x8xf32>
    return %3 : tensor<6x3x8xf32>
  }
