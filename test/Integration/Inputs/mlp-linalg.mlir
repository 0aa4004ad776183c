// A multilayer perceptron as another front end lowers it: linalg on tensors,
// with its weights as arguments and no word about training. @train and @test
// hold the weights in variables; that is all there is to add.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#keep = affine_map<(d0, d1) -> (d0, 0)>
#vec = affine_map<(d0) -> (d0)>
#sum = affine_map<(d0) -> ()>
#scalar = affine_map<() -> ()>

func.func private @logits(%arg0: tensor<?x2x4xf32>, %arg1: tensor<16x8xf32>, %arg2: tensor<16xf32>,
                          %arg3: tensor<3x16xf32>, %arg4: tensor<3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0.000000e+00 : f32
  %collapsed = tensor.collapse_shape %arg0 [[0], [1, 2]] : tensor<?x2x4xf32> into tensor<?x8xf32>
  %dim = tensor.dim %collapsed, %c0 : tensor<?x8xf32>
  %0 = tensor.empty() : tensor<8x16xf32>
  %transposed = linalg.transpose ins(%arg1 : tensor<16x8xf32>) outs(%0 : tensor<8x16xf32>) permutation = [1, 0]
  %1 = tensor.empty(%dim) : tensor<?x16xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %3 = linalg.matmul ins(%collapsed, %transposed : tensor<?x8xf32>, tensor<8x16xf32>) outs(%2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %4 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<?x16xf32>, tensor<16xf32>) outs(%1 : tensor<?x16xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %10 = arith.addf %in, %in_0 : f32
    linalg.yield %10 : f32
  } -> tensor<?x16xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<?x16xf32>) outs(%1 : tensor<?x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = arith.cmpf ugt, %in, %cst : f32
    %11 = arith.select %10, %in, %cst : f32
    linalg.yield %11 : f32
  } -> tensor<?x16xf32>
  %6 = tensor.empty(%dim) : tensor<?x3xf32>
  %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%5, %arg3 : tensor<?x16xf32>, tensor<3x16xf32>) outs(%7 : tensor<?x3xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %10 = arith.mulf %in, %in_0 : f32
    %11 = arith.addf %out, %10 : f32
    linalg.yield %11 : f32
  } -> tensor<?x3xf32>
  %expanded = tensor.expand_shape %arg4 [[0, 1]] output_shape [1, 3] : tensor<3xf32> into tensor<1x3xf32>
  %9 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (0, d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%8, %expanded : tensor<?x3xf32>, tensor<1x3xf32>) outs(%6 : tensor<?x3xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %10 = arith.addf %in, %in_0 : f32
    linalg.yield %10 : f32
  } -> tensor<?x3xf32>
  return %9 : tensor<?x3xf32>
}

// The mean over the batch of -log softmax(logits)[label].
func.func private @loss(%arg0: tensor<?x3xf32>, %arg1: tensor<?xi64>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %dim = tensor.dim %arg0, %c0 : tensor<?x3xf32>
  %0 = tensor.empty(%dim) : tensor<?x1xf32>
  %1 = tensor.empty(%dim) : tensor<?x3xf32>
  %2 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %3 = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x3xf32>) outs(%2 : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %16 = arith.maximumf %in, %out : f32
    linalg.yield %16 : f32
  } -> tensor<?x1xf32>
  %4 = linalg.generic {indexing_maps = [#id, #keep, #id], iterator_types = ["parallel", "parallel"]} ins(%arg0, %3 : tensor<?x3xf32>, tensor<?x1xf32>) outs(%1 : tensor<?x3xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %16 = arith.subf %in, %in_1 : f32
    linalg.yield %16 : f32
  } -> tensor<?x3xf32>
  %5 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %6 = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "reduction"]} ins(%4 : tensor<?x3xf32>) outs(%5 : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %16 = math.exp %in : f32
    %17 = arith.addf %16, %out : f32
    linalg.yield %17 : f32
  } -> tensor<?x1xf32>
  %7 = tensor.empty(%dim) : tensor<?xf32>
  %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<?xf32>) -> tensor<?xf32>
  %9 = linalg.generic {indexing_maps = [#id, #keep, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%4, %6, %arg1 : tensor<?x3xf32>, tensor<?x1xf32>, tensor<?xi64>) outs(%8 : tensor<?xf32>) {
  ^bb0(%in: f32, %in_1: f32, %in_2: i64, %out: f32):
    %16 = linalg.index 1 : index
    %17 = arith.index_cast %16 : index to i64
    %18 = arith.cmpi eq, %17, %in_2 : i64
    %19 = math.log %in_1 : f32
    %20 = arith.subf %in, %19 : f32
    %21 = arith.select %18, %20, %cst : f32
    %22 = arith.subf %out, %21 : f32
    linalg.yield %22 : f32
  } -> tensor<?xf32>
  %10 = tensor.empty() : tensor<f32>
  %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<f32>) -> tensor<f32>
  %12 = linalg.generic {indexing_maps = [#vec, #sum], iterator_types = ["reduction"]} ins(%9 : tensor<?xf32>) outs(%11 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %16 = arith.addf %in, %out : f32
    linalg.yield %16 : f32
  } -> tensor<f32>
  %13 = arith.index_cast %dim : index to i64
  %14 = arith.sitofp %13 : i64 to f32
  %15 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%12 : tensor<f32>) outs(%10 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %16 = arith.divf %in, %14 : f32
    linalg.yield %16 : f32
  } -> tensor<f32>
  return %15 : tensor<f32>
}

train.variable @w1 : tensor<16x8xf32>
train.variable @b1 : tensor<16xf32> = #train.zeros
train.variable @w2 : tensor<3x16xf32>
train.variable @b2 : tensor<3xf32> = #train.zeros

func.func @train(%x: tensor<?x2x4xf32>, %label: tensor<?xi64>) -> tensor<f32> {
  %w1 = train.read @w1 : tensor<16x8xf32>
  %b1 = train.read @b1 : tensor<16xf32>
  %w2 = train.read @w2 : tensor<3x16xf32>
  %b2 = train.read @b2 : tensor<3xf32>
  %logits = call @logits(%x, %w1, %b1, %w2, %b2) : (tensor<?x2x4xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<3x16xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %loss = call @loss(%logits, %label) : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.momentum<lr = 0.2, momentum = 0.5>
  return %loss : tensor<f32>
}

func.func @test(%x: tensor<?x2x4xf32>) -> tensor<?x3xf32> {
  %w1 = train.read @w1 : tensor<16x8xf32>
  %b1 = train.read @b1 : tensor<16xf32>
  %w2 = train.read @w2 : tensor<3x16xf32>
  %b2 = train.read @b2 : tensor<3xf32>
  %logits = call @logits(%x, %w1, %b1, %w2, %b2) : (tensor<?x2x4xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<3x16xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %logits : tensor<?x3xf32>
}
