// Looked up words, a GRU over 50 steps of them and 5 classes, Adam.
// Written by a traced function of Python.
module @step {
  train.variable @v8 : tensor<5000x64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v9 : tensor<64x288xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v11 : tensor<288xf32> = #train.zeros {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v10 : tensor<96x288xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v12 : tensor<288xf32> = #train.zeros {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v13 : tensor<96x5xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  func.func @step(%arg0: tensor<32x50xi32> {train.name = "t"}, %arg1: tensor<32xi32> {train.name = "y"}) -> (tensor<f32> {train.name = "result"}) {
    %v8 = train.read @v8 : tensor<5000x64xf32>
    %0 = nn.gather %v8, %arg0 axis 0 : (tensor<5000x64xf32>, tensor<32x50xi32>) -> tensor<32x50x64xf32>
    %1 = tensor.empty() : tensor<50x32x64xf32>
    %transposed = linalg.transpose ins(%0 : tensor<32x50x64xf32>) outs(%1 : tensor<50x32x64xf32>) permutation = [1, 0, 2] 
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x96xf32>
    %c0 = arith.constant 0 : index
    %c50 = arith.constant 50 : index
    %c1 = arith.constant 1 : index
    %2 = scf.for %arg2 = %c0 to %c50 step %c1 iter_args(%arg3 = %cst_0) -> (tensor<32x96xf32>) {
      %extracted_slice = tensor.extract_slice %transposed[%arg2, 0, 0] [1, 32, 64] [1, 1, 1] : tensor<50x32x64xf32> to tensor<1x32x64xf32>
      %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x32x64xf32> into tensor<32x64xf32>
      %v9_1 = train.read @v9 : tensor<64x288xf32>
      %5 = nn.dense %collapsed, %v9_1 : (tensor<32x64xf32>, tensor<64x288xf32>) -> tensor<32x288xf32>
      %v11_2 = train.read @v11 : tensor<288xf32>
      %6 = nn.add %5, %v11_2 : (tensor<32x288xf32>, tensor<288xf32>) -> tensor<32x288xf32>
      %v10_3 = train.read @v10 : tensor<96x288xf32>
      %7 = nn.dense %arg3, %v10_3 : (tensor<32x96xf32>, tensor<96x288xf32>) -> tensor<32x288xf32>
      %v12_4 = train.read @v12 : tensor<288xf32>
      %8 = nn.add %7, %v12_4 : (tensor<32x288xf32>, tensor<288xf32>) -> tensor<32x288xf32>
      %extracted_slice_5 = tensor.extract_slice %6[0, 0] [32, 96] [1, 1] : tensor<32x288xf32> to tensor<32x96xf32>
      %extracted_slice_6 = tensor.extract_slice %8[0, 0] [32, 96] [1, 1] : tensor<32x288xf32> to tensor<32x96xf32>
      %9 = nn.add %extracted_slice_5, %extracted_slice_6 : (tensor<32x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
      %10 = nn.sigmoid %9 : tensor<32x96xf32>
      %extracted_slice_7 = tensor.extract_slice %6[0, 96] [32, 96] [1, 1] : tensor<32x288xf32> to tensor<32x96xf32>
      %extracted_slice_8 = tensor.extract_slice %8[0, 96] [32, 96] [1, 1] : tensor<32x288xf32> to tensor<32x96xf32>
      %11 = nn.add %extracted_slice_7, %extracted_slice_8 : (tensor<32x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
      %12 = nn.sigmoid %11 : tensor<32x96xf32>
      %extracted_slice_9 = tensor.extract_slice %6[0, 192] [32, 96] [1, 1] : tensor<32x288xf32> to tensor<32x96xf32>
      %extracted_slice_10 = tensor.extract_slice %8[0, 192] [32, 96] [1, 1] : tensor<32x288xf32> to tensor<32x96xf32>
      %13 = nn.mul %10, %extracted_slice_10 : (tensor<32x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
      %14 = nn.add %extracted_slice_9, %13 : (tensor<32x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
      %15 = math.tanh %14 : tensor<32x96xf32>
      %cst_11 = arith.constant dense<1.000000e+00> : tensor<f32>
      %16 = nn.sub %cst_11, %12 : (tensor<f32>, tensor<32x96xf32>) -> tensor<32x96xf32>
      %17 = nn.mul %16, %15 : (tensor<32x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
      %18 = nn.mul %12, %arg3 : (tensor<32x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
      %19 = nn.add %17, %18 : (tensor<32x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
      scf.yield %19 : tensor<32x96xf32>
    }
    %v13 = train.read @v13 : tensor<96x5xf32>
    %3 = nn.dense %2, %v13 : (tensor<32x96xf32>, tensor<96x5xf32>) -> tensor<32x5xf32>
    %4 = nn.sparse_softmax_cross_entropy %3, %arg1 : (tensor<32x5xf32>, tensor<32xi32>) -> tensor<f32>
    %v9 = train.read @v9 : tensor<64x288xf32>
    %v11 = train.read @v11 : tensor<288xf32>
    %v10 = train.read @v10 : tensor<96x288xf32>
    %v12 = train.read @v12 : tensor<288xf32>
    train.minimize %4 : tensor<f32> with #train.adam<name = "Adam_1"> var_list [@v8, @v9, @v11, @v10, @v12, @v13] unconnected skip
    return %4 : tensor<f32>
  }
}
