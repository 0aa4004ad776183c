// Residual blocks of 64 and 128 channels with strides and batch norm, images of 32x32 pixels, batch 16, SGD.
// Written by a traced function of Python.
module @step {
  train.variable @v60 : tensor<3x3x3x64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v61 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v62 : tensor<64xf32> = dense<1.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v63 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @Variable : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @Variable_1 : tensor<64xf32> = dense<1.000000e+00> : tensor<64xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @v64 : tensor<3x3x64x64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v65 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v66 : tensor<64xf32> = dense<1.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v67 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @Variable_2 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @Variable_3 : tensor<64xf32> = dense<1.000000e+00> : tensor<64xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @v68 : tensor<3x3x64x64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v69 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v70 : tensor<64xf32> = dense<1.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v71 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @Variable_4 : tensor<64xf32> = dense<0.000000e+00> : tensor<64xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @Variable_5 : tensor<64xf32> = dense<1.000000e+00> : tensor<64xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @v72 : tensor<3x3x64x128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v73 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v74 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v75 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @Variable_6 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @Variable_7 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @v76 : tensor<3x3x128x128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v77 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v78 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v79 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @Variable_8 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @Variable_9 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @v80 : tensor<1x1x64x128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v81 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v82 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v83 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @Variable_10 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @Variable_11 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @v84 : tensor<3x3x128x128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v85 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v86 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v87 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @Variable_12 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @Variable_13 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @v88 : tensor<3x3x128x128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v89 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v90 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v91 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @Variable_14 : tensor<128xf32> = dense<0.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @Variable_15 : tensor<128xf32> = dense<1.000000e+00> : tensor<128xf32> {collections = ["GLOBAL"], trainable = false}
  train.variable @v92 : tensor<128x10xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  func.func @step(%arg0: tensor<16x32x32x3xf32> {train.name = "x"}, %arg1: tensor<16xi32> {train.name = "y"}) -> (tensor<f32> {train.name = "result"}) {
    %v60 = train.read @v60 : tensor<3x3x3x64xf32>
    %0 = nn.conv2d %arg0, %v60 padding same : (tensor<16x32x32x3xf32>, tensor<3x3x3x64xf32>) -> tensor<16x32x32x64xf32>
    %v61 = train.read @v61 : tensor<64xf32>
    %1 = nn.add %0, %v61 : (tensor<16x32x32x64xf32>, tensor<64xf32>) -> tensor<16x32x32x64xf32>
    %v62 = train.read @v62 : tensor<64xf32>
    %v63 = train.read @v63 : tensor<64xf32>
    %result, %mean, %variance = nn.batch_norm_training %1 gamma %v62 beta %v63 epsilon 1.000000e-03 : (tensor<16x32x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<16x32x32x64xf32>, tensor<64xf32>, tensor<64xf32>)
    %2 = train.moving_average @Variable, %mean momentum 0.98999999999999999 : tensor<64xf32>
    %3 = train.moving_average @Variable_1, %variance momentum 0.98999999999999999 : tensor<64xf32>
    %4 = nn.relu %result : tensor<16x32x32x64xf32>
    %v64 = train.read @v64 : tensor<3x3x64x64xf32>
    %5 = nn.conv2d %4, %v64 padding same : (tensor<16x32x32x64xf32>, tensor<3x3x64x64xf32>) -> tensor<16x32x32x64xf32>
    %v65 = train.read @v65 : tensor<64xf32>
    %6 = nn.add %5, %v65 : (tensor<16x32x32x64xf32>, tensor<64xf32>) -> tensor<16x32x32x64xf32>
    %v66 = train.read @v66 : tensor<64xf32>
    %v67 = train.read @v67 : tensor<64xf32>
    %result_0, %mean_1, %variance_2 = nn.batch_norm_training %6 gamma %v66 beta %v67 epsilon 1.000000e-03 : (tensor<16x32x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<16x32x32x64xf32>, tensor<64xf32>, tensor<64xf32>)
    %7 = train.moving_average @Variable_2, %mean_1 momentum 0.98999999999999999 : tensor<64xf32>
    %8 = train.moving_average @Variable_3, %variance_2 momentum 0.98999999999999999 : tensor<64xf32>
    %9 = nn.relu %result_0 : tensor<16x32x32x64xf32>
    %v68 = train.read @v68 : tensor<3x3x64x64xf32>
    %10 = nn.conv2d %9, %v68 padding same : (tensor<16x32x32x64xf32>, tensor<3x3x64x64xf32>) -> tensor<16x32x32x64xf32>
    %v69 = train.read @v69 : tensor<64xf32>
    %11 = nn.add %10, %v69 : (tensor<16x32x32x64xf32>, tensor<64xf32>) -> tensor<16x32x32x64xf32>
    %v70 = train.read @v70 : tensor<64xf32>
    %v71 = train.read @v71 : tensor<64xf32>
    %result_3, %mean_4, %variance_5 = nn.batch_norm_training %11 gamma %v70 beta %v71 epsilon 1.000000e-03 : (tensor<16x32x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<16x32x32x64xf32>, tensor<64xf32>, tensor<64xf32>)
    %12 = train.moving_average @Variable_4, %mean_4 momentum 0.98999999999999999 : tensor<64xf32>
    %13 = train.moving_average @Variable_5, %variance_5 momentum 0.98999999999999999 : tensor<64xf32>
    %14 = nn.add %result_3, %4 : (tensor<16x32x32x64xf32>, tensor<16x32x32x64xf32>) -> tensor<16x32x32x64xf32>
    %15 = nn.relu %14 : tensor<16x32x32x64xf32>
    %v72 = train.read @v72 : tensor<3x3x64x128xf32>
    %16 = nn.conv2d %15, %v72 strides [2, 2] padding same : (tensor<16x32x32x64xf32>, tensor<3x3x64x128xf32>) -> tensor<16x16x16x128xf32>
    %v73 = train.read @v73 : tensor<128xf32>
    %17 = nn.add %16, %v73 : (tensor<16x16x16x128xf32>, tensor<128xf32>) -> tensor<16x16x16x128xf32>
    %v74 = train.read @v74 : tensor<128xf32>
    %v75 = train.read @v75 : tensor<128xf32>
    %result_6, %mean_7, %variance_8 = nn.batch_norm_training %17 gamma %v74 beta %v75 epsilon 1.000000e-03 : (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>) -> (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>)
    %18 = train.moving_average @Variable_6, %mean_7 momentum 0.98999999999999999 : tensor<128xf32>
    %19 = train.moving_average @Variable_7, %variance_8 momentum 0.98999999999999999 : tensor<128xf32>
    %20 = nn.relu %result_6 : tensor<16x16x16x128xf32>
    %v76 = train.read @v76 : tensor<3x3x128x128xf32>
    %21 = nn.conv2d %20, %v76 padding same : (tensor<16x16x16x128xf32>, tensor<3x3x128x128xf32>) -> tensor<16x16x16x128xf32>
    %v77 = train.read @v77 : tensor<128xf32>
    %22 = nn.add %21, %v77 : (tensor<16x16x16x128xf32>, tensor<128xf32>) -> tensor<16x16x16x128xf32>
    %v78 = train.read @v78 : tensor<128xf32>
    %v79 = train.read @v79 : tensor<128xf32>
    %result_9, %mean_10, %variance_11 = nn.batch_norm_training %22 gamma %v78 beta %v79 epsilon 1.000000e-03 : (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>) -> (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>)
    %23 = train.moving_average @Variable_8, %mean_10 momentum 0.98999999999999999 : tensor<128xf32>
    %24 = train.moving_average @Variable_9, %variance_11 momentum 0.98999999999999999 : tensor<128xf32>
    %v80 = train.read @v80 : tensor<1x1x64x128xf32>
    %25 = nn.conv2d %15, %v80 strides [2, 2] padding same : (tensor<16x32x32x64xf32>, tensor<1x1x64x128xf32>) -> tensor<16x16x16x128xf32>
    %v81 = train.read @v81 : tensor<128xf32>
    %26 = nn.add %25, %v81 : (tensor<16x16x16x128xf32>, tensor<128xf32>) -> tensor<16x16x16x128xf32>
    %v82 = train.read @v82 : tensor<128xf32>
    %v83 = train.read @v83 : tensor<128xf32>
    %result_12, %mean_13, %variance_14 = nn.batch_norm_training %26 gamma %v82 beta %v83 epsilon 1.000000e-03 : (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>) -> (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>)
    %27 = train.moving_average @Variable_10, %mean_13 momentum 0.98999999999999999 : tensor<128xf32>
    %28 = train.moving_average @Variable_11, %variance_14 momentum 0.98999999999999999 : tensor<128xf32>
    %29 = nn.add %result_9, %result_12 : (tensor<16x16x16x128xf32>, tensor<16x16x16x128xf32>) -> tensor<16x16x16x128xf32>
    %30 = nn.relu %29 : tensor<16x16x16x128xf32>
    %v84 = train.read @v84 : tensor<3x3x128x128xf32>
    %31 = nn.conv2d %30, %v84 padding same : (tensor<16x16x16x128xf32>, tensor<3x3x128x128xf32>) -> tensor<16x16x16x128xf32>
    %v85 = train.read @v85 : tensor<128xf32>
    %32 = nn.add %31, %v85 : (tensor<16x16x16x128xf32>, tensor<128xf32>) -> tensor<16x16x16x128xf32>
    %v86 = train.read @v86 : tensor<128xf32>
    %v87 = train.read @v87 : tensor<128xf32>
    %result_15, %mean_16, %variance_17 = nn.batch_norm_training %32 gamma %v86 beta %v87 epsilon 1.000000e-03 : (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>) -> (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>)
    %33 = train.moving_average @Variable_12, %mean_16 momentum 0.98999999999999999 : tensor<128xf32>
    %34 = train.moving_average @Variable_13, %variance_17 momentum 0.98999999999999999 : tensor<128xf32>
    %35 = nn.relu %result_15 : tensor<16x16x16x128xf32>
    %v88 = train.read @v88 : tensor<3x3x128x128xf32>
    %36 = nn.conv2d %35, %v88 padding same : (tensor<16x16x16x128xf32>, tensor<3x3x128x128xf32>) -> tensor<16x16x16x128xf32>
    %v89 = train.read @v89 : tensor<128xf32>
    %37 = nn.add %36, %v89 : (tensor<16x16x16x128xf32>, tensor<128xf32>) -> tensor<16x16x16x128xf32>
    %v90 = train.read @v90 : tensor<128xf32>
    %v91 = train.read @v91 : tensor<128xf32>
    %result_18, %mean_19, %variance_20 = nn.batch_norm_training %37 gamma %v90 beta %v91 epsilon 1.000000e-03 : (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>) -> (tensor<16x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>)
    %38 = train.moving_average @Variable_14, %mean_19 momentum 0.98999999999999999 : tensor<128xf32>
    %39 = train.moving_average @Variable_15, %variance_20 momentum 0.98999999999999999 : tensor<128xf32>
    %40 = nn.add %result_18, %30 : (tensor<16x16x16x128xf32>, tensor<16x16x16x128xf32>) -> tensor<16x16x16x128xf32>
    %41 = nn.relu %40 : tensor<16x16x16x128xf32>
    %42 = nn.reduce mean %41 axes [1, 2] : tensor<16x16x16x128xf32> -> tensor<16x128xf32>
    %v92 = train.read @v92 : tensor<128x10xf32>
    %43 = nn.dense %42, %v92 : (tensor<16x128xf32>, tensor<128x10xf32>) -> tensor<16x10xf32>
    %44 = nn.sparse_softmax_cross_entropy %43, %arg1 : (tensor<16x10xf32>, tensor<16xi32>) -> tensor<f32>
    train.minimize %44 : tensor<f32> with #train.sgd<lr = 1.000000e-01, momentum = 9.000000e-01, nesterov = true, name = "SGD"> var_list [@v60, @v61, @v62, @v63, @v64, @v65, @v66, @v67, @v68, @v69, @v70, @v71, @v72, @v73, @v74, @v75, @v76, @v77, @v78, @v79, @v80, @v81, @v82, @v83, @v84, @v85, @v86, @v87, @v88, @v89, @v90, @v91, @v92] unconnected skip
    return %44 : tensor<f32>
  }
}
