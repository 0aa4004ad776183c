// LeNet-5 (LeCun, Bottou, Bengio, Haffner, 1998) for images of 8x8 pixels: two
// convolutions, each with a max pool, then three dense layers; softmax cross
// entropy, Adam. Its activations are relu, and two things keep it from learning the
// training images by heart: half of the features are dropped at random, and the
// images are moved a little.
//
// Images are [batch, height, width, channels]. Pixels are 0 to 16, as the data has
// them; the model divides them by 8 itself.

module @lenet {

// Filters are [height, width, channels, outputs].
train.variable @conv1_w : tensor<5x5x1x32xf32> = #train.he_normal
train.variable @conv1_b : tensor<32xf32> = #train.zeros
train.variable @conv2_w : tensor<3x3x32x64xf32> = #train.he_normal
train.variable @conv2_b : tensor<64xf32> = #train.zeros
train.variable @dense1_w : tensor<256x120xf32> = #train.he_normal
train.variable @dense1_b : tensor<120xf32> = #train.zeros
train.variable @dense2_w : tensor<120x84xf32> = #train.he_normal
train.variable @dense2_b : tensor<84xf32> = #train.zeros
train.variable @output_w : tensor<84x10xf32> = #train.glorot_uniform
train.variable @output_b : tensor<10xf32> = #train.zeros

// The rows of pixels of the data as images of one channel.
func.func private @pixels(%image: tensor<?x64xf32>) -> tensor<?x8x8x1xf32> {
  %scale = arith.constant dense<0.125> : tensor<f32>
  %scaled = nn.mul %image, %scale : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %image, %c0 : tensor<?x64xf32>
  %x = tensor.expand_shape %scaled [[0], [1, 2, 3]] output_shape [%batch, 8, 8, 1]
      : tensor<?x64xf32> into tensor<?x8x8x1xf32>
  return %x : tensor<?x8x8x1xf32>
}

// Moves images in one of nine directions at random, by half a pixel: the mean of
// each pixel and its neighbour there, by a convolution with a filter of two halves
// (or of a single 1, in the middle). A batch moves as one.
func.func private @moved(%x: tensor<?x8x8x1xf32>) -> tensor<?x8x8x1xf32> {
  %direction = train.random #train.random_uniform<minval = 0, maxval = 9> -> tensor<i32>
  %neighbour = nn.one_hot %direction : tensor<i32> -> tensor<9xf32>
  %middle = arith.constant dense<[0., 0., 0., 0., 1., 0., 0., 0., 0.]> : tensor<9xf32>
  %sum = arith.addf %neighbour, %middle : tensor<9xf32>
  %half = arith.constant dense<0.5> : tensor<9xf32>
  %weights = arith.mulf %sum, %half : tensor<9xf32>
  %filter = tensor.expand_shape %weights [[0, 1, 2, 3]] output_shape [3, 3, 1, 1]
      : tensor<9xf32> into tensor<3x3x1x1xf32>
  %y = nn.conv2d %x, %filter padding same
      : (tensor<?x8x8x1xf32>, tensor<3x3x1x1xf32>) -> tensor<?x8x8x1xf32>
  return %y : tensor<?x8x8x1xf32>
}

// The features that the convolutions compute for each image: 2x2 positions of 64.
func.func private @features(%x: tensor<?x8x8x1xf32>) -> tensor<?x256xf32> {
  %conv1_w = train.read @conv1_w : tensor<5x5x1x32xf32>
  %conv1_b = train.read @conv1_b : tensor<32xf32>
  %y1 = nn.conv2d %x, %conv1_w padding same
      : (tensor<?x8x8x1xf32>, tensor<5x5x1x32xf32>) -> tensor<?x8x8x32xf32>
  %b1 = nn.broadcast %conv1_b dims [3] like %y1
      : (tensor<32xf32>, tensor<?x8x8x32xf32>) -> tensor<?x8x8x32xf32>
  %z1 = arith.addf %y1, %b1 : tensor<?x8x8x32xf32>
  %a1 = nn.relu %z1 : tensor<?x8x8x32xf32>
  %p1 = nn.max_pool2d %a1 window [2, 2]
      : (tensor<?x8x8x32xf32>) -> tensor<?x4x4x32xf32>

  %conv2_w = train.read @conv2_w : tensor<3x3x32x64xf32>
  %conv2_b = train.read @conv2_b : tensor<64xf32>
  %y2 = nn.conv2d %p1, %conv2_w padding same
      : (tensor<?x4x4x32xf32>, tensor<3x3x32x64xf32>) -> tensor<?x4x4x64xf32>
  %b2 = nn.broadcast %conv2_b dims [3] like %y2
      : (tensor<64xf32>, tensor<?x4x4x64xf32>) -> tensor<?x4x4x64xf32>
  %z2 = arith.addf %y2, %b2 : tensor<?x4x4x64xf32>
  %a2 = nn.relu %z2 : tensor<?x4x4x64xf32>
  %p2 = nn.max_pool2d %a2 window [2, 2]
      : (tensor<?x4x4x64xf32>) -> tensor<?x2x2x64xf32>

  %features = tensor.collapse_shape %p2 [[0], [1, 2, 3]]
      : tensor<?x2x2x64xf32> into tensor<?x256xf32>
  return %features : tensor<?x256xf32>
}

// The class scores of each image, which all entries share. If `training` is
// false, nothing is dropped.
func.func private @forward(%x: tensor<?x8x8x1xf32>, %training: i1)
    -> tensor<?x10xf32> {
  %features = call @features(%x) : (tensor<?x8x8x1xf32>) -> tensor<?x256xf32>
  %kept = train.dropout %features rate 0.5 training %training : tensor<?x256xf32>, i1

  %dense1_w = train.read @dense1_w : tensor<256x120xf32>
  %dense1_b = train.read @dense1_b : tensor<120xf32>
  %z1 = nn.dense %kept, %dense1_w, %dense1_b
      : (tensor<?x256xf32>, tensor<256x120xf32>, tensor<120xf32>) -> tensor<?x120xf32>
  %a1 = nn.relu %z1 : tensor<?x120xf32>
  %dense2_w = train.read @dense2_w : tensor<120x84xf32>
  %dense2_b = train.read @dense2_b : tensor<84xf32>
  %z2 = nn.dense %a1, %dense2_w, %dense2_b
      : (tensor<?x120xf32>, tensor<120x84xf32>, tensor<84xf32>) -> tensor<?x84xf32>
  %a2 = nn.relu %z2 : tensor<?x84xf32>
  %output_w = train.read @output_w : tensor<84x10xf32>
  %output_b = train.read @output_b : tensor<10xf32>
  %scores = nn.dense %a2, %output_w, %output_b
      : (tensor<?x84xf32>, tensor<84x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return %scores : tensor<?x10xf32>
}

// One step of training; returns the mean loss of the batch before the update.
func.func @train_step(%image: tensor<?x64xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %training = arith.constant true
  %x = call @pixels(%image) : (tensor<?x64xf32>) -> tensor<?x8x8x1xf32>
  %moved = call @moved(%x) : (tensor<?x8x8x1xf32>) -> tensor<?x8x8x1xf32>
  %scores = call @forward(%moved, %training)
      : (tensor<?x8x8x1xf32>, i1) -> tensor<?x10xf32>
  %loss = nn.sparse_softmax_cross_entropy %scores, %label
      : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.002>
  return %loss : tensor<f32>
}

// The mean loss of a batch and the number of images classified correctly.
func.func @eval(%image: tensor<?x64xf32>, %label: tensor<?xi32>)
    -> (tensor<f32>, tensor<i32>) {
  %training = arith.constant false
  %x = call @pixels(%image) : (tensor<?x64xf32>) -> tensor<?x8x8x1xf32>
  %scores = call @forward(%x, %training)
      : (tensor<?x8x8x1xf32>, i1) -> tensor<?x10xf32>
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
  %x = call @pixels(%image) : (tensor<?x64xf32>) -> tensor<?x8x8x1xf32>
  %scores = call @forward(%x, %training)
      : (tensor<?x8x8x1xf32>, i1) -> tensor<?x10xf32>
  %probabilities = nn.softmax %scores : tensor<?x10xf32>
  return %probabilities : tensor<?x10xf32>
}

}
