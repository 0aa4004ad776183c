// Elements that move: sums along, reversals, rolls, edges, products. JAX, lowered by IREE.
// Written by scripts/generate-front-ends.

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<() -> ()>
#map6 = affine_map<(d0, d1, d2) -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1 + d3, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d0, -d1 + 5, d2)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
  func.func private @model(%arg0: tensor<11x8xf32>, %arg1: tensor<3x6xi32>) -> tensor<f32> {
    %c9 = arith.constant 9 : index
    %cst = arith.constant dense<1> : tensor<i32>
    %cst_0 = arith.constant dense<-1> : tensor<i32>
    %cst_1 = arith.constant 0x7F800000 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %cst_4 = arith.constant 0xFF800000 : f32
    %cst_5 = arith.constant 2.000000e+00 : f32
    %c10 = arith.constant 10 : index
    %c0 = arith.constant 0 : index
    %c11_i32 = arith.constant 11 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_6 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<3x6xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<3x6xi32>) outs(%0 : tensor<3x6xi1>) {
    ^bb0(%in: i32, %out: i1):
      %63 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %63 : i1
    } -> tensor<3x6xi1>
    %2 = tensor.empty() : tensor<3x6xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<3x6xi32>) outs(%2 : tensor<3x6xi32>) {
    ^bb0(%in: i32, %out: i32):
      %63 = arith.addi %in, %c11_i32 : i32
      linalg.yield %63 : i32
    } -> tensor<3x6xi32>
    %4 = tensor.empty() : tensor<3x6xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<3x6xi1>, tensor<3x6xi32>, tensor<3x6xi32>) outs(%4 : tensor<3x6xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %63 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %63 : i32
    } -> tensor<3x6xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xi32> into tensor<3x6x1xi32>
    %6 = tensor.empty() : tensor<3x6x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%6 : tensor<3x6x8xf32>) {
    ^bb0(%out: f32):
      %63 = linalg.index 0 : index
      %64 = linalg.index 1 : index
      %65 = linalg.index 2 : index
      %extracted = tensor.extract %expanded[%63, %64, %c0] : tensor<3x6x1xi32>
      %66 = arith.index_cast %extracted : i32 to index
      %67 = arith.maxsi %66, %c0 : index
      %68 = arith.minsi %67, %c10 : index
      %extracted_8 = tensor.extract %arg0[%68, %65] : tensor<11x8xf32>
      linalg.yield %extracted_8 : f32
    } -> tensor<3x6x8xf32>
    %8 = call @cumsum(%7) : (tensor<3x6x8xf32>) -> tensor<3x6x8xf32>
    %9 = call @_flip(%8) : (tensor<3x6x8xf32>) -> tensor<3x6x8xf32>
    %10 = call @_roll_static(%9) : (tensor<3x6x8xf32>) -> tensor<3x6x8xf32>
    %11 = call @_pad(%10, %cst_6) : (tensor<3x6x8xf32>, tensor<i32>) -> tensor<3x9x8xf32>
    %12 = tensor.empty() : tensor<3x9x8xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<3x9x8xf32>) outs(%12 : tensor<3x9x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.mulf %in, %cst_5 : f32
      linalg.yield %63 : f32
    } -> tensor<3x9x8xf32>
    %14 = tensor.empty() : tensor<3x18x8xf32>
    %inserted_slice = tensor.insert_slice %11 into %14[0, 0, 0] [3, 9, 8] [1, 1, 1] : tensor<3x9x8xf32> into tensor<3x18x8xf32>
    %inserted_slice_7 = tensor.insert_slice %13 into %inserted_slice[0, %c9, 0] [3, 9, 8] [1, 1, 1] : tensor<3x9x8xf32> into tensor<3x18x8xf32>
    %15 = tensor.empty() : tensor<3x8xf32>
    %16 = linalg.fill ins(%cst_4 : f32) outs(%15 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%inserted_slice_7 : tensor<3x18x8xf32>) outs(%16 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.maximumf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<3x8xf32>
    %18 = tensor.empty() : tensor<3x8xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<3x8xf32>) outs(%18 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.mulf %in, %in : f32
      linalg.yield %63 : f32
    } -> tensor<3x8xf32>
    %20 = tensor.empty() : tensor<f32>
    %21 = linalg.fill ins(%cst_3 : f32) outs(%20 : tensor<f32>) -> tensor<f32>
    %22 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction", "reduction"]} ins(%19 : tensor<3x8xf32>) outs(%21 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.addf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %extracted_slice = tensor.extract_slice %inserted_slice_7[0, 0, 0] [1, 3, 2] [1, 1, 1] : tensor<3x18x8xf32> to tensor<1x3x2xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x3x2xf32> into tensor<3x2xf32>
    %23 = tensor.empty() : tensor<f32>
    %24 = linalg.fill ins(%cst_2 : f32) outs(%23 : tensor<f32>) -> tensor<f32>
    %25 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction", "reduction"]} ins(%collapsed : tensor<3x2xf32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.mulf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %26 = tensor.empty() : tensor<f32>
    %27 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%22, %25 : tensor<f32>, tensor<f32>) outs(%26 : tensor<f32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %63 = arith.addf %in, %in_8 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %28 = tensor.empty() : tensor<f32>
    %29 = linalg.fill ins(%cst_4 : f32) outs(%28 : tensor<f32>) -> tensor<f32>
    %30 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["reduction", "reduction", "reduction"]} ins(%inserted_slice_7 : tensor<3x18x8xf32>) outs(%29 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.maximumf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %31 = tensor.empty() : tensor<f32>
    %32 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%30 : tensor<f32>) outs(%31 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<f32>
    %33 = tensor.empty() : tensor<i1>
    %34 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%32 : tensor<f32>) outs(%33 : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %63 = math.absf %in : f32
      %64 = arith.cmpf one, %63, %cst_1 : f32
      linalg.yield %64 : i1
    } -> tensor<i1>
    %35 = tensor.empty() : tensor<f32>
    %36 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%34, %32 : tensor<i1>, tensor<f32>) outs(%35 : tensor<f32>) {
    ^bb0(%in: i1, %in_8: f32, %out: f32):
      %63 = arith.select %in, %in_8, %cst_3 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %37 = tensor.empty() : tensor<3x18x8xf32>
    %38 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<f32>) outs(%37 : tensor<3x18x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18x8xf32>
    %39 = tensor.empty() : tensor<3x18x8xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_7, %38 : tensor<3x18x8xf32>, tensor<3x18x8xf32>) outs(%39 : tensor<3x18x8xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %63 = arith.subf %in, %in_8 : f32
      linalg.yield %63 : f32
    } -> tensor<3x18x8xf32>
    %41 = tensor.empty() : tensor<3x18x8xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<3x18x8xf32>) outs(%41 : tensor<3x18x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = math.exp %in : f32
      linalg.yield %63 : f32
    } -> tensor<3x18x8xf32>
    %43 = tensor.empty() : tensor<f32>
    %44 = linalg.fill ins(%cst_3 : f32) outs(%43 : tensor<f32>) -> tensor<f32>
    %45 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["reduction", "reduction", "reduction"]} ins(%42 : tensor<3x18x8xf32>) outs(%44 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.addf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %46 = tensor.empty() : tensor<f32>
    %47 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%45 : tensor<f32>) outs(%46 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = math.absf %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %48 = tensor.empty() : tensor<f32>
    %49 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%47 : tensor<f32>) outs(%48 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = math.log %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %50 = tensor.empty() : tensor<f32>
    %51 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%49, %36 : tensor<f32>, tensor<f32>) outs(%50 : tensor<f32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %63 = arith.addf %in, %in_8 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %52 = tensor.empty() : tensor<f32>
    %53 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%27, %51 : tensor<f32>, tensor<f32>) outs(%52 : tensor<f32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %63 = arith.addf %in, %in_8 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %54 = call @clip(%inserted_slice_7, %cst_0, %cst) : (tensor<3x18x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x18x8xf32>
    %55 = tensor.empty() : tensor<f32>
    %56 = linalg.fill ins(%cst_3 : f32) outs(%55 : tensor<f32>) -> tensor<f32>
    %57 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["reduction", "reduction", "reduction"]} ins(%54 : tensor<3x18x8xf32>) outs(%56 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.addf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %58 = tensor.empty() : tensor<f32>
    %59 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%53, %57 : tensor<f32>, tensor<f32>) outs(%58 : tensor<f32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %63 = arith.addf %in, %in_8 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %60 = call @norm(%inserted_slice_7) : (tensor<3x18x8xf32>) -> tensor<f32>
    %61 = tensor.empty() : tensor<f32>
    %62 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%59, %60 : tensor<f32>, tensor<f32>) outs(%61 : tensor<f32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %63 = arith.addf %in, %in_8 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    return %62 : tensor<f32>
  }
  func.func private @cumsum(%arg0: tensor<3x6x8xf32>) -> tensor<3x6x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<3x6x8xf32>) -> tensor<3x6x8xf32>
    return %0 : tensor<3x6x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<3x6x8xf32>) -> tensor<3x6x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<3x6x8xf32>
    %1 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    %padded = tensor.pad %arg0 low[0, 5, 0] high[0, 0, 0] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index):
      tensor.yield %cst : f32
    } : tensor<3x6x8xf32> to tensor<3x11x8xf32>
    %2 = tensor.empty() : tensor<6xf32>
    %3 = linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%padded, %2 : tensor<3x11x8xf32>, tensor<6xf32>) outs(%1 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %4 = arith.addf %out, %in : f32
      linalg.yield %4 : f32
    } -> tensor<3x6x8xf32>
    return %3 : tensor<3x6x8xf32>
  }
  func.func private @_flip(%arg0: tensor<3x6x8xf32>) -> tensor<3x6x8xf32> {
    %0 = tensor.empty() : tensor<3x6x8xf32>
    %1 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x6x8xf32>) outs(%0 : tensor<3x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x6x8xf32>
    return %1 : tensor<3x6x8xf32>
  }
  func.func private @_roll_static(%arg0: tensor<3x6x8xf32>) -> tensor<3x6x8xf32> {
    %c1 = arith.constant 1 : index
    %extracted_slice = tensor.extract_slice %arg0[2, 0, 0] [1, 6, 8] [1, 1, 1] : tensor<3x6x8xf32> to tensor<1x6x8xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0, 0] [2, 6, 8] [1, 1, 1] : tensor<3x6x8xf32> to tensor<2x6x8xf32>
    %0 = tensor.empty() : tensor<3x6x8xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice into %0[0, 0, 0] [1, 6, 8] [1, 1, 1] : tensor<1x6x8xf32> into tensor<3x6x8xf32>
    %inserted_slice_1 = tensor.insert_slice %extracted_slice_0 into %inserted_slice[%c1, 0, 0] [2, 6, 8] [1, 1, 1] : tensor<2x6x8xf32> into tensor<3x6x8xf32>
    return %inserted_slice_1 : tensor<3x6x8xf32>
  }
  func.func private @_pad(%arg0: tensor<3x6x8xf32>, %arg1: tensor<i32>) -> tensor<3x9x8xf32> {
    %c7 = arith.constant 7 : index
    %c1 = arith.constant 1 : index
    %extracted_slice = tensor.extract_slice %arg0[0, 0, 0] [3, 1, 8] [1, 1, 1] : tensor<3x6x8xf32> to tensor<3x1x8xf32>
    %0 = tensor.empty() : tensor<3x1x1x8xf32>
    %1 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<3x1x8xf32>) outs(%0 : tensor<3x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x1x1x8xf32>
    %collapsed = tensor.collapse_shape %1 [[0], [1], [2, 3]] : tensor<3x1x1x8xf32> into tensor<3x1x8xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 5, 0] [3, 1, 8] [1, 1, 1] : tensor<3x6x8xf32> to tensor<3x1x8xf32>
    %2 = tensor.empty() : tensor<3x1x2x8xf32>
    %3 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_0 : tensor<3x1x8xf32>) outs(%2 : tensor<3x1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x1x2x8xf32>
    %collapsed_1 = tensor.collapse_shape %3 [[0], [1, 2], [3]] : tensor<3x1x2x8xf32> into tensor<3x2x8xf32>
    %4 = tensor.empty() : tensor<3x9x8xf32>
    %inserted_slice = tensor.insert_slice %collapsed into %4[0, 0, 0] [3, 1, 8] [1, 1, 1] : tensor<3x1x8xf32> into tensor<3x9x8xf32>
    %inserted_slice_2 = tensor.insert_slice %arg0 into %inserted_slice[0, %c1, 0] [3, 6, 8] [1, 1, 1] : tensor<3x6x8xf32> into tensor<3x9x8xf32>
    %inserted_slice_3 = tensor.insert_slice %collapsed_1 into %inserted_slice_2[0, %c7, 0] [3, 2, 8] [1, 1, 1] : tensor<3x2x8xf32> into tensor<3x9x8xf32>
    return %inserted_slice_3 : tensor<3x9x8xf32>
  }
  func.func private @clip(%arg0: tensor<3x18x8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<3x18x8xf32> {
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %12 = arith.sitofp %in : i32 to f32
      linalg.yield %12 : f32
    } -> tensor<f32>
    %2 = tensor.empty() : tensor<3x18x8xf32>
    %3 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<f32>) outs(%2 : tensor<3x18x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18x8xf32>
    %4 = tensor.empty() : tensor<3x18x8xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %arg0 : tensor<3x18x8xf32>, tensor<3x18x8xf32>) outs(%4 : tensor<3x18x8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.maximumf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<3x18x8xf32>
    %6 = tensor.empty() : tensor<f32>
    %7 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%6 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %12 = arith.sitofp %in : i32 to f32
      linalg.yield %12 : f32
    } -> tensor<f32>
    %8 = tensor.empty() : tensor<3x18x8xf32>
    %9 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<f32>) outs(%8 : tensor<3x18x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18x8xf32>
    %10 = tensor.empty() : tensor<3x18x8xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %5 : tensor<3x18x8xf32>, tensor<3x18x8xf32>) outs(%10 : tensor<3x18x8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.minimumf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<3x18x8xf32>
    return %11 : tensor<3x18x8xf32>
  }
  func.func private @norm(%arg0: tensor<3x18x8xf32>) -> tensor<f32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x18x8xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x18x8xf32>) outs(%0 : tensor<3x18x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.mulf %in, %in : f32
      linalg.yield %7 : f32
    } -> tensor<3x18x8xf32>
    %2 = tensor.empty() : tensor<f32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<f32>) -> tensor<f32>
    %4 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["reduction", "reduction", "reduction"]} ins(%1 : tensor<3x18x8xf32>) outs(%3 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.addf %out, %in : f32
      linalg.yield %7 : f32
    } -> tensor<f32>
    %5 = tensor.empty() : tensor<f32>
    %6 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%4 : tensor<f32>) outs(%5 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = math.sqrt %in : f32
      linalg.yield %7 : f32
    } -> tensor<f32>
    return %6 : tensor<f32>
  }
