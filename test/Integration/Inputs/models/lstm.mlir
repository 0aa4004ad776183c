// Two layers of LSTM over 100 steps, Adam.
// Written by a traced function of Python.
module @step {
  train.variable @v1 : tensor<128x512xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v2 : tensor<128x512xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v3 : tensor<512xf32> = #train.zeros {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v4 : tensor<128x512xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v5 : tensor<128x512xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v6 : tensor<512xf32> = #train.zeros {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v7 : tensor<128x10xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  func.func @step(%arg0: tensor<100x32x128xf32> {train.name = "x"}, %arg1: tensor<32xi32> {train.name = "y"}) -> (tensor<f32> {train.name = "result"}) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x128xf32>
    %0 = tensor.empty() : tensor<100x32x128xf32>
    %c0 = arith.constant 0 : index
    %c100 = arith.constant 100 : index
    %c1 = arith.constant 1 : index
    %1:5 = scf.for %arg2 = %c0 to %c100 step %c1 iter_args(%arg3 = %cst_0, %arg4 = %cst_0, %arg5 = %cst_0, %arg6 = %cst_0, %arg7 = %0) -> (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<100x32x128xf32>) {
      %extracted_slice = tensor.extract_slice %arg0[%arg2, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<100x32x128xf32> to tensor<1x32x128xf32>
      %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x32x128xf32> into tensor<32x128xf32>
      %v1_1 = train.read @v1 : tensor<128x512xf32>
      %4 = nn.dense %collapsed, %v1_1 : (tensor<32x128xf32>, tensor<128x512xf32>) -> tensor<32x512xf32>
      %v2_2 = train.read @v2 : tensor<128x512xf32>
      %5 = nn.dense %arg3, %v2_2 : (tensor<32x128xf32>, tensor<128x512xf32>) -> tensor<32x512xf32>
      %6 = nn.add %4, %5 : (tensor<32x512xf32>, tensor<32x512xf32>) -> tensor<32x512xf32>
      %v3_3 = train.read @v3 : tensor<512xf32>
      %7 = nn.add %6, %v3_3 : (tensor<32x512xf32>, tensor<512xf32>) -> tensor<32x512xf32>
      %extracted_slice_4 = tensor.extract_slice %7[0, 0] [32, 128] [1, 1] : tensor<32x512xf32> to tensor<32x128xf32>
      %extracted_slice_5 = tensor.extract_slice %7[0, 128] [32, 128] [1, 1] : tensor<32x512xf32> to tensor<32x128xf32>
      %extracted_slice_6 = tensor.extract_slice %7[0, 256] [32, 128] [1, 1] : tensor<32x512xf32> to tensor<32x128xf32>
      %extracted_slice_7 = tensor.extract_slice %7[0, 384] [32, 128] [1, 1] : tensor<32x512xf32> to tensor<32x128xf32>
      %8 = nn.sigmoid %extracted_slice_5 : tensor<32x128xf32>
      %9 = nn.mul %8, %arg4 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %10 = nn.sigmoid %extracted_slice_4 : tensor<32x128xf32>
      %11 = math.tanh %extracted_slice_7 : tensor<32x128xf32>
      %12 = nn.mul %10, %11 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %13 = nn.add %9, %12 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %14 = nn.sigmoid %extracted_slice_6 : tensor<32x128xf32>
      %15 = math.tanh %13 : tensor<32x128xf32>
      %16 = nn.mul %14, %15 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %v4_8 = train.read @v4 : tensor<128x512xf32>
      %17 = nn.dense %16, %v4_8 : (tensor<32x128xf32>, tensor<128x512xf32>) -> tensor<32x512xf32>
      %v5_9 = train.read @v5 : tensor<128x512xf32>
      %18 = nn.dense %arg5, %v5_9 : (tensor<32x128xf32>, tensor<128x512xf32>) -> tensor<32x512xf32>
      %19 = nn.add %17, %18 : (tensor<32x512xf32>, tensor<32x512xf32>) -> tensor<32x512xf32>
      %v6_10 = train.read @v6 : tensor<512xf32>
      %20 = nn.add %19, %v6_10 : (tensor<32x512xf32>, tensor<512xf32>) -> tensor<32x512xf32>
      %extracted_slice_11 = tensor.extract_slice %20[0, 0] [32, 128] [1, 1] : tensor<32x512xf32> to tensor<32x128xf32>
      %extracted_slice_12 = tensor.extract_slice %20[0, 128] [32, 128] [1, 1] : tensor<32x512xf32> to tensor<32x128xf32>
      %extracted_slice_13 = tensor.extract_slice %20[0, 256] [32, 128] [1, 1] : tensor<32x512xf32> to tensor<32x128xf32>
      %extracted_slice_14 = tensor.extract_slice %20[0, 384] [32, 128] [1, 1] : tensor<32x512xf32> to tensor<32x128xf32>
      %21 = nn.sigmoid %extracted_slice_12 : tensor<32x128xf32>
      %22 = nn.mul %21, %arg6 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %23 = nn.sigmoid %extracted_slice_11 : tensor<32x128xf32>
      %24 = math.tanh %extracted_slice_14 : tensor<32x128xf32>
      %25 = nn.mul %23, %24 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %26 = nn.add %22, %25 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %27 = nn.sigmoid %extracted_slice_13 : tensor<32x128xf32>
      %28 = math.tanh %26 : tensor<32x128xf32>
      %29 = nn.mul %27, %28 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %inserted_slice = tensor.insert_slice %29 into %arg7[%arg2, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<32x128xf32> into tensor<100x32x128xf32>
      scf.yield %16, %13, %29, %26, %inserted_slice : tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<100x32x128xf32>
    }
    %v7 = train.read @v7 : tensor<128x10xf32>
    %2 = nn.dense %1#2, %v7 : (tensor<32x128xf32>, tensor<128x10xf32>) -> tensor<32x10xf32>
    %3 = nn.sparse_softmax_cross_entropy %2, %arg1 : (tensor<32x10xf32>, tensor<32xi32>) -> tensor<f32>
    %v1 = train.read @v1 : tensor<128x512xf32>
    %v2 = train.read @v2 : tensor<128x512xf32>
    %v3 = train.read @v3 : tensor<512xf32>
    %v4 = train.read @v4 : tensor<128x512xf32>
    %v5 = train.read @v5 : tensor<128x512xf32>
    %v6 = train.read @v6 : tensor<512xf32>
    train.minimize %3 : tensor<f32> with #train.adam<name = "Adam"> var_list [@v1, @v2, @v3, @v4, @v5, @v6, @v7] unconnected skip
    return %3 : tensor<f32>
  }
}
