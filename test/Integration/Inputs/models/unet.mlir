// A U-Net of images of 36x36 pixels: convolutions, pools, transposed convolutions and concatenations, batch 3, Adam.
// Written by a traced function of Python.
module @step {
  train.variable @v14 : tensor<3x3x3x16xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v15 : tensor<16xf32> = dense<0.000000e+00> : tensor<16xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v16 : tensor<3x3x16x16xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v17 : tensor<16xf32> = dense<0.000000e+00> : tensor<16xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v18 : tensor<3x3x16x32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v19 : tensor<32xf32> = dense<0.000000e+00> : tensor<32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v20 : tensor<3x3x32x32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v21 : tensor<32xf32> = dense<0.000000e+00> : tensor<32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v22 : tensor<3x3x32x64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v23 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v24 : tensor<3x3x64x64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v25 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v26 : tensor<2x2x32x64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v27 : tensor<3x3x64x32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v28 : tensor<32xf32> = dense<0.000000e+00> : tensor<32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v29 : tensor<3x3x32x32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v30 : tensor<32xf32> = dense<0.000000e+00> : tensor<32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v31 : tensor<2x2x16x32xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v32 : tensor<3x3x32x16xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v33 : tensor<16xf32> = dense<0.000000e+00> : tensor<16xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v34 : tensor<3x3x16x16xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v35 : tensor<16xf32> = dense<0.000000e+00> : tensor<16xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v36 : tensor<1x1x16x2xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v37 : tensor<2xf32> = dense<0.000000e+00> : tensor<2xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  func.func @step(%arg0: tensor<3x36x36x3xf32> {train.name = "x"}, %arg1: tensor<3x36x36xi32> {train.name = "y"}) -> (tensor<f32> {train.name = "result"}) {
    %v14 = train.read @v14 : tensor<3x3x3x16xf32>
    %0 = nn.conv2d %arg0, %v14 padding same : (tensor<3x36x36x3xf32>, tensor<3x3x3x16xf32>) -> tensor<3x36x36x16xf32>
    %v15 = train.read @v15 : tensor<16xf32>
    %1 = nn.add %0, %v15 : (tensor<3x36x36x16xf32>, tensor<16xf32>) -> tensor<3x36x36x16xf32>
    %2 = nn.relu %1 : tensor<3x36x36x16xf32>
    %v16 = train.read @v16 : tensor<3x3x16x16xf32>
    %3 = nn.conv2d %2, %v16 padding same : (tensor<3x36x36x16xf32>, tensor<3x3x16x16xf32>) -> tensor<3x36x36x16xf32>
    %v17 = train.read @v17 : tensor<16xf32>
    %4 = nn.add %3, %v17 : (tensor<3x36x36x16xf32>, tensor<16xf32>) -> tensor<3x36x36x16xf32>
    %5 = nn.relu %4 : tensor<3x36x36x16xf32>
    %6 = nn.max_pool2d %5 window [2, 2] : (tensor<3x36x36x16xf32>) -> tensor<3x18x18x16xf32>
    %v18 = train.read @v18 : tensor<3x3x16x32xf32>
    %7 = nn.conv2d %6, %v18 padding same : (tensor<3x18x18x16xf32>, tensor<3x3x16x32xf32>) -> tensor<3x18x18x32xf32>
    %v19 = train.read @v19 : tensor<32xf32>
    %8 = nn.add %7, %v19 : (tensor<3x18x18x32xf32>, tensor<32xf32>) -> tensor<3x18x18x32xf32>
    %9 = nn.relu %8 : tensor<3x18x18x32xf32>
    %v20 = train.read @v20 : tensor<3x3x32x32xf32>
    %10 = nn.conv2d %9, %v20 padding same : (tensor<3x18x18x32xf32>, tensor<3x3x32x32xf32>) -> tensor<3x18x18x32xf32>
    %v21 = train.read @v21 : tensor<32xf32>
    %11 = nn.add %10, %v21 : (tensor<3x18x18x32xf32>, tensor<32xf32>) -> tensor<3x18x18x32xf32>
    %12 = nn.relu %11 : tensor<3x18x18x32xf32>
    %13 = nn.max_pool2d %12 window [2, 2] : (tensor<3x18x18x32xf32>) -> tensor<3x9x9x32xf32>
    %v22 = train.read @v22 : tensor<3x3x32x64xf32>
    %14 = nn.conv2d %13, %v22 padding same : (tensor<3x9x9x32xf32>, tensor<3x3x32x64xf32>) -> tensor<3x9x9x64xf32>
    %v23 = train.read @v23 : tensor<64xf32>
    %15 = nn.add %14, %v23 : (tensor<3x9x9x64xf32>, tensor<64xf32>) -> tensor<3x9x9x64xf32>
    %16 = nn.relu %15 : tensor<3x9x9x64xf32>
    %v24 = train.read @v24 : tensor<3x3x64x64xf32>
    %17 = nn.conv2d %16, %v24 padding same : (tensor<3x9x9x64xf32>, tensor<3x3x64x64xf32>) -> tensor<3x9x9x64xf32>
    %v25 = train.read @v25 : tensor<64xf32>
    %18 = nn.add %17, %v25 : (tensor<3x9x9x64xf32>, tensor<64xf32>) -> tensor<3x9x9x64xf32>
    %19 = nn.relu %18 : tensor<3x9x9x64xf32>
    %v26 = train.read @v26 : tensor<2x2x32x64xf32>
    %20 = nn.conv2d_transpose %19, %v26 like %12 strides [2, 2] padding same : (tensor<3x9x9x64xf32>, tensor<2x2x32x64xf32>, tensor<3x18x18x32xf32>) -> tensor<3x18x18x32xf32>
    %concat = tensor.concat dim(3) %20, %12 : (tensor<3x18x18x32xf32>, tensor<3x18x18x32xf32>) -> tensor<3x18x18x64xf32>
    %v27 = train.read @v27 : tensor<3x3x64x32xf32>
    %21 = nn.conv2d %concat, %v27 padding same : (tensor<3x18x18x64xf32>, tensor<3x3x64x32xf32>) -> tensor<3x18x18x32xf32>
    %v28 = train.read @v28 : tensor<32xf32>
    %22 = nn.add %21, %v28 : (tensor<3x18x18x32xf32>, tensor<32xf32>) -> tensor<3x18x18x32xf32>
    %23 = nn.relu %22 : tensor<3x18x18x32xf32>
    %v29 = train.read @v29 : tensor<3x3x32x32xf32>
    %24 = nn.conv2d %23, %v29 padding same : (tensor<3x18x18x32xf32>, tensor<3x3x32x32xf32>) -> tensor<3x18x18x32xf32>
    %v30 = train.read @v30 : tensor<32xf32>
    %25 = nn.add %24, %v30 : (tensor<3x18x18x32xf32>, tensor<32xf32>) -> tensor<3x18x18x32xf32>
    %26 = nn.relu %25 : tensor<3x18x18x32xf32>
    %v31 = train.read @v31 : tensor<2x2x16x32xf32>
    %27 = nn.conv2d_transpose %26, %v31 like %5 strides [2, 2] padding same : (tensor<3x18x18x32xf32>, tensor<2x2x16x32xf32>, tensor<3x36x36x16xf32>) -> tensor<3x36x36x16xf32>
    %concat_0 = tensor.concat dim(3) %27, %5 : (tensor<3x36x36x16xf32>, tensor<3x36x36x16xf32>) -> tensor<3x36x36x32xf32>
    %v32 = train.read @v32 : tensor<3x3x32x16xf32>
    %28 = nn.conv2d %concat_0, %v32 padding same : (tensor<3x36x36x32xf32>, tensor<3x3x32x16xf32>) -> tensor<3x36x36x16xf32>
    %v33 = train.read @v33 : tensor<16xf32>
    %29 = nn.add %28, %v33 : (tensor<3x36x36x16xf32>, tensor<16xf32>) -> tensor<3x36x36x16xf32>
    %30 = nn.relu %29 : tensor<3x36x36x16xf32>
    %v34 = train.read @v34 : tensor<3x3x16x16xf32>
    %31 = nn.conv2d %30, %v34 padding same : (tensor<3x36x36x16xf32>, tensor<3x3x16x16xf32>) -> tensor<3x36x36x16xf32>
    %v35 = train.read @v35 : tensor<16xf32>
    %32 = nn.add %31, %v35 : (tensor<3x36x36x16xf32>, tensor<16xf32>) -> tensor<3x36x36x16xf32>
    %33 = nn.relu %32 : tensor<3x36x36x16xf32>
    %v36 = train.read @v36 : tensor<1x1x16x2xf32>
    %34 = nn.conv2d %33, %v36 padding same : (tensor<3x36x36x16xf32>, tensor<1x1x16x2xf32>) -> tensor<3x36x36x2xf32>
    %v37 = train.read @v37 : tensor<2xf32>
    %35 = nn.add %34, %v37 : (tensor<3x36x36x2xf32>, tensor<2xf32>) -> tensor<3x36x36x2xf32>
    %36 = nn.sparse_softmax_cross_entropy %35, %arg1 : (tensor<3x36x36x2xf32>, tensor<3x36x36xi32>) -> tensor<f32>
    train.minimize %36 : tensor<f32> with #train.adam<name = "Adam_2"> var_list [@v14, @v15, @v16, @v17, @v18, @v19, @v20, @v21, @v22, @v23, @v24, @v25, @v26, @v27, @v28, @v29, @v30, @v31, @v32, @v33, @v34, @v35, @v36, @v37] unconnected skip
    return %36 : tensor<f32>
  }
}
