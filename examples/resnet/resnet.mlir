// A residual network (He, Zhang, Ren, Sun, 2015) for images of 8x8 pixels: a
// convolution, two residual blocks of two convolutions each, the mean of each feature
// over all positions, a dense layer; batch normalization after every convolution;
// softmax cross entropy, SGD with Nesterov momentum.
//
// Normalization has two forms. A training step uses the mean and variance of its
// batch, and moves the variables `..._mean` and `..._variance` towards them;
// evaluation uses these, so that what it says of an image does not depend on the
// other images of the batch.
//
// Images are [batch, height, width, channels]. Pixels are 0 to 16, as the data has
// them: the first normalization takes care of the scale.

module @resnet {

//===----------------------------------------------------------------------===//
// Variables: each convolution has a filter, the scale (gamma) and shift (beta) of
// its normalization, and the moving averages, which are not trained.
//===----------------------------------------------------------------------===//

train.variable @stem_w : tensor<3x3x1x16xf32> = #train.he_normal
train.variable @stem_gamma : tensor<16xf32> = #train.ones
train.variable @stem_beta : tensor<16xf32> = #train.zeros
train.variable @stem_mean : tensor<16xf32> = #train.zeros {trainable = false}
train.variable @stem_variance : tensor<16xf32> = #train.ones {trainable = false}

train.variable @block1_conv1_w : tensor<3x3x16x16xf32> = #train.he_normal
train.variable @block1_conv1_gamma : tensor<16xf32> = #train.ones
train.variable @block1_conv1_beta : tensor<16xf32> = #train.zeros
train.variable @block1_conv1_mean : tensor<16xf32> = #train.zeros {trainable = false}
train.variable @block1_conv1_variance : tensor<16xf32> = #train.ones {trainable = false}

train.variable @block1_conv2_w : tensor<3x3x16x16xf32> = #train.he_normal
train.variable @block1_conv2_gamma : tensor<16xf32> = #train.ones
train.variable @block1_conv2_beta : tensor<16xf32> = #train.zeros
train.variable @block1_conv2_mean : tensor<16xf32> = #train.zeros {trainable = false}
train.variable @block1_conv2_variance : tensor<16xf32> = #train.ones {trainable = false}

train.variable @block2_conv1_w : tensor<3x3x16x32xf32> = #train.he_normal
train.variable @block2_conv1_gamma : tensor<32xf32> = #train.ones
train.variable @block2_conv1_beta : tensor<32xf32> = #train.zeros
train.variable @block2_conv1_mean : tensor<32xf32> = #train.zeros {trainable = false}
train.variable @block2_conv1_variance : tensor<32xf32> = #train.ones {trainable = false}

train.variable @block2_conv2_w : tensor<3x3x32x32xf32> = #train.he_normal
train.variable @block2_conv2_gamma : tensor<32xf32> = #train.ones
train.variable @block2_conv2_beta : tensor<32xf32> = #train.zeros
train.variable @block2_conv2_mean : tensor<32xf32> = #train.zeros {trainable = false}
train.variable @block2_conv2_variance : tensor<32xf32> = #train.ones {trainable = false}

train.variable @block2_shortcut_w : tensor<1x1x16x32xf32> = #train.he_normal
train.variable @block2_shortcut_gamma : tensor<32xf32> = #train.ones
train.variable @block2_shortcut_beta : tensor<32xf32> = #train.zeros
train.variable @block2_shortcut_mean : tensor<32xf32> = #train.zeros {trainable = false}
train.variable @block2_shortcut_variance : tensor<32xf32> = #train.ones {trainable = false}

train.variable @output_w : tensor<32x10xf32> = #train.glorot_uniform
train.variable @output_b : tensor<10xf32> = #train.zeros

//===----------------------------------------------------------------------===//
// Convolutions, each normalized. `training` is a constant of each entry. Functions
// are inlined, so each branch on it is decided when the model is compiled.
// The averages move in a branch of their own: the loss does not flow through it.
//===----------------------------------------------------------------------===//

// The normalized features, and the mean and the variance that they were
// normalized by.
func.func private @normalize16(
    %x: tensor<?x8x8x16xf32>, %gamma: tensor<16xf32>, %beta: tensor<16xf32>,
    %moving_mean: tensor<16xf32>, %moving_variance: tensor<16xf32>, %training: i1)
    -> (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %y, %mean, %variance = scf.if %training
      -> (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %z, %m, %v = nn.batch_norm_training %x gamma %gamma beta %beta epsilon 1.0e-3
        : (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>)
        -> (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>)
    scf.yield %z, %m, %v : tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>
  } else {
    %z = nn.batch_norm_inference %x mean %moving_mean variance %moving_variance
        gamma %gamma beta %beta epsilon 1.0e-3
        : (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>,
           tensor<16xf32>)
        -> tensor<?x8x8x16xf32>
    scf.yield %z, %moving_mean, %moving_variance
        : tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>
  }
  return %y, %mean, %variance : tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>
}

// The same, for the smaller images of the second block.
func.func private @normalize32(
    %x: tensor<?x4x4x32xf32>, %gamma: tensor<32xf32>, %beta: tensor<32xf32>,
    %moving_mean: tensor<32xf32>, %moving_variance: tensor<32xf32>, %training: i1)
    -> (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>) {
  %y, %mean, %variance = scf.if %training
      -> (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>) {
    %z, %m, %v = nn.batch_norm_training %x gamma %gamma beta %beta epsilon 1.0e-3
        : (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>)
        -> (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>)
    scf.yield %z, %m, %v : tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>
  } else {
    %z = nn.batch_norm_inference %x mean %moving_mean variance %moving_variance
        gamma %gamma beta %beta epsilon 1.0e-3
        : (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>,
           tensor<32xf32>)
        -> tensor<?x4x4x32xf32>
    scf.yield %z, %moving_mean, %moving_variance
        : tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>
  }
  return %y, %mean, %variance : tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>
}

func.func private @stem(%x: tensor<?x8x8x1xf32>, %training: i1)
    -> tensor<?x8x8x16xf32> {
  %w = train.read @stem_w : tensor<3x3x1x16xf32>
  %gamma = train.read @stem_gamma : tensor<16xf32>
  %beta = train.read @stem_beta : tensor<16xf32>
  %moving_mean = train.read @stem_mean : tensor<16xf32>
  %moving_variance = train.read @stem_variance : tensor<16xf32>
  %y = nn.conv2d %x, %w padding same
      : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x8x8x16xf32>
  %z, %mean, %variance = call @normalize16(
      %y, %gamma, %beta, %moving_mean, %moving_variance, %training)
      : (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>,
         tensor<16xf32>, i1)
      -> (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>)
  scf.if %training {
    train.moving_average @stem_mean, %mean momentum 0.9 : tensor<16xf32>
    train.moving_average @stem_variance, %variance momentum 0.9 : tensor<16xf32>
  }
  return %z : tensor<?x8x8x16xf32>
}

func.func private @block1_conv1(%x: tensor<?x8x8x16xf32>, %training: i1)
    -> tensor<?x8x8x16xf32> {
  %w = train.read @block1_conv1_w : tensor<3x3x16x16xf32>
  %gamma = train.read @block1_conv1_gamma : tensor<16xf32>
  %beta = train.read @block1_conv1_beta : tensor<16xf32>
  %moving_mean = train.read @block1_conv1_mean : tensor<16xf32>
  %moving_variance = train.read @block1_conv1_variance : tensor<16xf32>
  %y = nn.conv2d %x, %w padding same
      : (tensor<?x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<?x8x8x16xf32>
  %z, %mean, %variance = call @normalize16(
      %y, %gamma, %beta, %moving_mean, %moving_variance, %training)
      : (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>,
         tensor<16xf32>, i1)
      -> (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>)
  scf.if %training {
    train.moving_average @block1_conv1_mean, %mean momentum 0.9 : tensor<16xf32>
    train.moving_average @block1_conv1_variance, %variance momentum 0.9 : tensor<16xf32>
  }
  return %z : tensor<?x8x8x16xf32>
}

func.func private @block1_conv2(%x: tensor<?x8x8x16xf32>, %training: i1)
    -> tensor<?x8x8x16xf32> {
  %w = train.read @block1_conv2_w : tensor<3x3x16x16xf32>
  %gamma = train.read @block1_conv2_gamma : tensor<16xf32>
  %beta = train.read @block1_conv2_beta : tensor<16xf32>
  %moving_mean = train.read @block1_conv2_mean : tensor<16xf32>
  %moving_variance = train.read @block1_conv2_variance : tensor<16xf32>
  %y = nn.conv2d %x, %w padding same
      : (tensor<?x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<?x8x8x16xf32>
  %z, %mean, %variance = call @normalize16(
      %y, %gamma, %beta, %moving_mean, %moving_variance, %training)
      : (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>,
         tensor<16xf32>, i1)
      -> (tensor<?x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>)
  scf.if %training {
    train.moving_average @block1_conv2_mean, %mean momentum 0.9 : tensor<16xf32>
    train.moving_average @block1_conv2_variance, %variance momentum 0.9 : tensor<16xf32>
  }
  return %z : tensor<?x8x8x16xf32>
}

// From 8x8 positions to 4x4, with more features.
func.func private @block2_conv1(%x: tensor<?x8x8x16xf32>, %training: i1)
    -> tensor<?x4x4x32xf32> {
  %w = train.read @block2_conv1_w : tensor<3x3x16x32xf32>
  %gamma = train.read @block2_conv1_gamma : tensor<32xf32>
  %beta = train.read @block2_conv1_beta : tensor<32xf32>
  %moving_mean = train.read @block2_conv1_mean : tensor<32xf32>
  %moving_variance = train.read @block2_conv1_variance : tensor<32xf32>
  %y = nn.conv2d %x, %w strides [2, 2] padding same
      : (tensor<?x8x8x16xf32>, tensor<3x3x16x32xf32>) -> tensor<?x4x4x32xf32>
  %z, %mean, %variance = call @normalize32(
      %y, %gamma, %beta, %moving_mean, %moving_variance, %training)
      : (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>,
         tensor<32xf32>, i1)
      -> (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>)
  scf.if %training {
    train.moving_average @block2_conv1_mean, %mean momentum 0.9 : tensor<32xf32>
    train.moving_average @block2_conv1_variance, %variance momentum 0.9 : tensor<32xf32>
  }
  return %z : tensor<?x4x4x32xf32>
}

func.func private @block2_conv2(%x: tensor<?x4x4x32xf32>, %training: i1)
    -> tensor<?x4x4x32xf32> {
  %w = train.read @block2_conv2_w : tensor<3x3x32x32xf32>
  %gamma = train.read @block2_conv2_gamma : tensor<32xf32>
  %beta = train.read @block2_conv2_beta : tensor<32xf32>
  %moving_mean = train.read @block2_conv2_mean : tensor<32xf32>
  %moving_variance = train.read @block2_conv2_variance : tensor<32xf32>
  %y = nn.conv2d %x, %w padding same
      : (tensor<?x4x4x32xf32>, tensor<3x3x32x32xf32>) -> tensor<?x4x4x32xf32>
  %z, %mean, %variance = call @normalize32(
      %y, %gamma, %beta, %moving_mean, %moving_variance, %training)
      : (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>,
         tensor<32xf32>, i1)
      -> (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>)
  scf.if %training {
    train.moving_average @block2_conv2_mean, %mean momentum 0.9 : tensor<32xf32>
    train.moving_average @block2_conv2_variance, %variance momentum 0.9 : tensor<32xf32>
  }
  return %z : tensor<?x4x4x32xf32>
}

// The projection of a block's input to the shape of its result.
func.func private @block2_shortcut(%x: tensor<?x8x8x16xf32>, %training: i1)
    -> tensor<?x4x4x32xf32> {
  %w = train.read @block2_shortcut_w : tensor<1x1x16x32xf32>
  %gamma = train.read @block2_shortcut_gamma : tensor<32xf32>
  %beta = train.read @block2_shortcut_beta : tensor<32xf32>
  %moving_mean = train.read @block2_shortcut_mean : tensor<32xf32>
  %moving_variance = train.read @block2_shortcut_variance : tensor<32xf32>
  %y = nn.conv2d %x, %w strides [2, 2]
      : (tensor<?x8x8x16xf32>, tensor<1x1x16x32xf32>) -> tensor<?x4x4x32xf32>
  %z, %mean, %variance = call @normalize32(
      %y, %gamma, %beta, %moving_mean, %moving_variance, %training)
      : (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>,
         tensor<32xf32>, i1)
      -> (tensor<?x4x4x32xf32>, tensor<32xf32>, tensor<32xf32>)
  scf.if %training {
    train.moving_average @block2_shortcut_mean, %mean momentum 0.9 : tensor<32xf32>
    train.moving_average @block2_shortcut_variance, %variance momentum 0.9 : tensor<32xf32>
  }
  return %z : tensor<?x4x4x32xf32>
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

// A residual block: what two convolutions make of x is added to x.
func.func private @block1(%x: tensor<?x8x8x16xf32>, %training: i1) -> tensor<?x8x8x16xf32> {
  %y1 = call @block1_conv1(%x, %training) : (tensor<?x8x8x16xf32>, i1) -> tensor<?x8x8x16xf32>
  %a1 = nn.relu %y1 : tensor<?x8x8x16xf32>
  %y2 = call @block1_conv2(%a1, %training) : (tensor<?x8x8x16xf32>, i1) -> tensor<?x8x8x16xf32>
  %sum = arith.addf %y2, %x : tensor<?x8x8x16xf32>
  %a2 = nn.relu %sum : tensor<?x8x8x16xf32>
  return %a2 : tensor<?x8x8x16xf32>
}

// One with a stride: x has another shape than the result, so it is projected first.
func.func private @block2(%x: tensor<?x8x8x16xf32>, %training: i1) -> tensor<?x4x4x32xf32> {
  %y1 = call @block2_conv1(%x, %training) : (tensor<?x8x8x16xf32>, i1) -> tensor<?x4x4x32xf32>
  %a1 = nn.relu %y1 : tensor<?x4x4x32xf32>
  %y2 = call @block2_conv2(%a1, %training) : (tensor<?x4x4x32xf32>, i1) -> tensor<?x4x4x32xf32>
  %shortcut = call @block2_shortcut(%x, %training)
      : (tensor<?x8x8x16xf32>, i1) -> tensor<?x4x4x32xf32>
  %sum = arith.addf %y2, %shortcut : tensor<?x4x4x32xf32>
  %a2 = nn.relu %sum : tensor<?x4x4x32xf32>
  return %a2 : tensor<?x4x4x32xf32>
}

// The class scores of each image.
func.func private @forward(%image: tensor<?x64xf32>, %training: i1) -> tensor<?x10xf32> {
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %image, %c0 : tensor<?x64xf32>
  %x = tensor.expand_shape %image [[0], [1, 2, 3]] output_shape [%batch, 8, 8, 1]
      : tensor<?x64xf32> into tensor<?x8x8x1xf32>
  %y0 = call @stem(%x, %training) : (tensor<?x8x8x1xf32>, i1) -> tensor<?x8x8x16xf32>
  %a0 = nn.relu %y0 : tensor<?x8x8x16xf32>
  %a1 = call @block1(%a0, %training) : (tensor<?x8x8x16xf32>, i1) -> tensor<?x8x8x16xf32>
  %a2 = call @block2(%a1, %training) : (tensor<?x8x8x16xf32>, i1) -> tensor<?x4x4x32xf32>
  // Global average pooling.
  %features = nn.reduce mean %a2 axes [1, 2]
      : tensor<?x4x4x32xf32> -> tensor<?x32xf32>
  %output_w = train.read @output_w : tensor<32x10xf32>
  %output_b = train.read @output_b : tensor<10xf32>
  %scores = nn.dense %features, %output_w, %output_b
      : (tensor<?x32xf32>, tensor<32x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return %scores : tensor<?x10xf32>
}

// One step of training; returns the mean loss of the batch before the update.
func.func @train_step(%image: tensor<?x64xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %training = arith.constant true
  %scores = call @forward(%image, %training)
      : (tensor<?x64xf32>, i1) -> tensor<?x10xf32>
  %loss = nn.sparse_softmax_cross_entropy %scores, %label
      : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32>
      with #train.sgd<lr = 0.05, momentum = 0.9, nesterov = true>
  return %loss : tensor<f32>
}

// The mean loss of a batch and the number of images classified correctly.
func.func @eval(%image: tensor<?x64xf32>, %label: tensor<?xi32>)
    -> (tensor<f32>, tensor<i32>) {
  %training = arith.constant false
  %scores = call @forward(%image, %training)
      : (tensor<?x64xf32>, i1) -> tensor<?x10xf32>
  %loss = nn.sparse_softmax_cross_entropy %scores, %label
      : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<f32>
  %class = nn.argmax %scores axis 1 : tensor<?x10xf32> -> tensor<?xi32>
  %hit = arith.cmpi eq, %class, %label : tensor<?xi32>
  %hits = arith.extui %hit : tensor<?xi1> to tensor<?xi32>
  %correct = nn.reduce sum %hits axes [0] : tensor<?xi32> -> tensor<i32>
  return %loss, %correct : tensor<f32>, tensor<i32>
}

// The probability of each class.
func.func @predict(%image: tensor<?x64xf32>) -> tensor<?x10xf32> {
  %training = arith.constant false
  %scores = call @forward(%image, %training)
      : (tensor<?x64xf32>, i1) -> tensor<?x10xf32>
  %probabilities = nn.softmax %scores : tensor<?x10xf32>
  return %probabilities : tensor<?x10xf32>
}

}
