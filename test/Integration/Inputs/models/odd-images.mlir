// Convolutions of images of 33x17 pixels with 5, 13, 21 and 9 channels, one with strides, batch 7, RMSprop.
// Written by a traced function of Python.
module @step {
  train.variable @v38 : tensor<3x3x5x13xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v39 : tensor<13xf32> = dense<0.000000e+00> : tensor<13xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v40 : tensor<3x3x13x21xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v41 : tensor<21xf32> = dense<0.000000e+00> : tensor<21xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v42 : tensor<1x1x21x9xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v43 : tensor<9xf32> = dense<0.000000e+00> : tensor<9xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v44 : tensor<1377x31xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v45 : tensor<31x3xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  func.func @step(%arg0: tensor<7x33x17x5xf32> {train.name = "x"}, %arg1: tensor<7xi32> {train.name = "y"}) -> (tensor<f32> {train.name = "result"}) {
    %v38 = train.read @v38 : tensor<3x3x5x13xf32>
    %0 = nn.conv2d %arg0, %v38 padding same : (tensor<7x33x17x5xf32>, tensor<3x3x5x13xf32>) -> tensor<7x33x17x13xf32>
    %v39 = train.read @v39 : tensor<13xf32>
    %1 = nn.add %0, %v39 : (tensor<7x33x17x13xf32>, tensor<13xf32>) -> tensor<7x33x17x13xf32>
    %2 = nn.relu %1 : tensor<7x33x17x13xf32>
    %v40 = train.read @v40 : tensor<3x3x13x21xf32>
    %3 = nn.conv2d %2, %v40 strides [2, 2] padding same : (tensor<7x33x17x13xf32>, tensor<3x3x13x21xf32>) -> tensor<7x17x9x21xf32>
    %v41 = train.read @v41 : tensor<21xf32>
    %4 = nn.add %3, %v41 : (tensor<7x17x9x21xf32>, tensor<21xf32>) -> tensor<7x17x9x21xf32>
    %5 = math.tanh %4 : tensor<7x17x9x21xf32>
    %v42 = train.read @v42 : tensor<1x1x21x9xf32>
    %6 = nn.conv2d %5, %v42 padding same : (tensor<7x17x9x21xf32>, tensor<1x1x21x9xf32>) -> tensor<7x17x9x9xf32>
    %v43 = train.read @v43 : tensor<9xf32>
    %7 = nn.add %6, %v43 : (tensor<7x17x9x9xf32>, tensor<9xf32>) -> tensor<7x17x9x9xf32>
    %8 = nn.relu %7 : tensor<7x17x9x9xf32>
    %collapsed = tensor.collapse_shape %8 [[0], [1, 2, 3]] : tensor<7x17x9x9xf32> into tensor<7x1377xf32>
    %v44 = train.read @v44 : tensor<1377x31xf32>
    %9 = nn.dense %collapsed, %v44 : (tensor<7x1377xf32>, tensor<1377x31xf32>) -> tensor<7x31xf32>
    %10 = nn.elu %9 : tensor<7x31xf32>
    %v45 = train.read @v45 : tensor<31x3xf32>
    %11 = nn.dense %10, %v45 : (tensor<7x31xf32>, tensor<31x3xf32>) -> tensor<7x3xf32>
    %12 = nn.sparse_softmax_cross_entropy %11, %arg1 : (tensor<7x3xf32>, tensor<7xi32>) -> tensor<f32>
    train.minimize %12 : tensor<f32> with #train.rmsprop<name = "RMSprop"> var_list [@v38, @v39, @v40, @v41, @v42, @v43, @v44, @v45] unconnected skip
    return %12 : tensor<f32>
  }
}
