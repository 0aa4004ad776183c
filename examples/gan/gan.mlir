// A generative adversarial network (Goodfellow and others, 2014) of handwritten
// digits. The generator makes an image of 64 pixels from 32 numbers drawn at random;
// the discriminator says whether an image is from the data. Each has two hidden
// layers of 128 units, an entry that trains it, and an optimizer of its own.
//
// Pixels are 0 to 16 outside of this module, as the data has them, and 0 to 1 inside.

module @gan {

train.variable @"g/1/w" : tensor<32x128xf32> = #train.he_normal
train.variable @"g/1/b" : tensor<128xf32> = #train.zeros
train.variable @"g/2/w" : tensor<128x128xf32> = #train.he_normal
train.variable @"g/2/b" : tensor<128xf32> = #train.zeros
train.variable @"g/3/w" : tensor<128x64xf32> = #train.glorot_uniform
train.variable @"g/3/b" : tensor<64xf32> = #train.zeros

train.variable @"d/1/w" : tensor<64x128xf32> = #train.he_normal
train.variable @"d/1/b" : tensor<128xf32> = #train.zeros
train.variable @"d/2/w" : tensor<128x128xf32> = #train.he_normal
train.variable @"d/2/b" : tensor<128xf32> = #train.zeros
train.variable @"d/3/w" : tensor<128x1xf32> = #train.glorot_uniform
train.variable @"d/3/b" : tensor<1xf32> = #train.zeros

// `count` images, others at each run.
func.func private @generator(%count: index) -> tensor<?x64xf32> {
  %noise = train.random #train.random_normal(%count) -> tensor<?x32xf32>
  %w1 = train.read @"g/1/w" : tensor<32x128xf32>
  %b1 = train.read @"g/1/b" : tensor<128xf32>
  %z1 = nn.dense %noise, %w1, %b1
      : (tensor<?x32xf32>, tensor<32x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %h1 = nn.relu %z1 : tensor<?x128xf32>
  %w2 = train.read @"g/2/w" : tensor<128x128xf32>
  %b2 = train.read @"g/2/b" : tensor<128xf32>
  %z2 = nn.dense %h1, %w2, %b2
      : (tensor<?x128xf32>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %h2 = nn.relu %z2 : tensor<?x128xf32>
  %w3 = train.read @"g/3/w" : tensor<128x64xf32>
  %b3 = train.read @"g/3/b" : tensor<64xf32>
  %z3 = nn.dense %h2, %w3, %b3
      : (tensor<?x128xf32>, tensor<128x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %image = nn.sigmoid %z3 : tensor<?x64xf32>
  return %image : tensor<?x64xf32>
}

// For each image a score: the logarithm of the odds that it is from the data.
// Dropout keeps the discriminator from learning the few images by heart.
func.func private @discriminator(%image: tensor<?x64xf32>) -> tensor<?x1xf32> {
  %w1 = train.read @"d/1/w" : tensor<64x128xf32>
  %b1 = train.read @"d/1/b" : tensor<128xf32>
  %z1 = nn.dense %image, %w1, %b1
      : (tensor<?x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %a1 = nn.leaky_relu %z1 alpha 2.0e-1 : tensor<?x128xf32>
  %h1 = train.dropout %a1 rate 3.0e-1 : tensor<?x128xf32>
  %w2 = train.read @"d/2/w" : tensor<128x128xf32>
  %b2 = train.read @"d/2/b" : tensor<128xf32>
  %z2 = nn.dense %h1, %w2, %b2
      : (tensor<?x128xf32>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %a2 = nn.leaky_relu %z2 alpha 2.0e-1 : tensor<?x128xf32>
  %h2 = train.dropout %a2 rate 3.0e-1 : tensor<?x128xf32>
  %w3 = train.read @"d/3/w" : tensor<128x1xf32>
  %b3 = train.read @"d/3/b" : tensor<1xf32>
  %score = nn.dense %h2, %w3, %b3
      : (tensor<?x128xf32>, tensor<128x1xf32>, tensor<1xf32>) -> tensor<?x1xf32>
  return %score : tensor<?x1xf32>
}

// The mean loss of scores where the answer is `answer` for all of them.
func.func private @loss(%score: tensor<?x1xf32>, %answer: tensor<f32>) -> tensor<f32> {
  %answers = nn.broadcast %answer dims [] like %score
      : (tensor<f32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %loss = nn.sigmoid_cross_entropy %score, %answers
      : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// The discriminator learns to tell images of the data from as many that are made.
// The answer for the data is 0.9, so that it is never quite sure (Salimans and others,
// Improved Techniques for Training GANs, 2016). `var_list` leaves the generator alone;
// no gradient of it is computed.
func.func @train_discriminator(%image: tensor<?x64xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %count = tensor.dim %image, %c0 : tensor<?x64xf32>
  %scale = arith.constant dense<0.0625> : tensor<f32>
  %real = nn.mul %image, %scale : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %fake = call @generator(%count) : (index) -> tensor<?x64xf32>
  %real_score = call @discriminator(%real) : (tensor<?x64xf32>) -> tensor<?x1xf32>
  %fake_score = call @discriminator(%fake) : (tensor<?x64xf32>) -> tensor<?x1xf32>
  %yes = arith.constant dense<0.9> : tensor<f32>
  %no = arith.constant dense<0.0> : tensor<f32>
  %real_loss = call @loss(%real_score, %yes) : (tensor<?x1xf32>, tensor<f32>) -> tensor<f32>
  %fake_loss = call @loss(%fake_score, %no) : (tensor<?x1xf32>, tensor<f32>) -> tensor<f32>
  %loss = arith.addf %real_loss, %fake_loss : tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.0005, beta_1 = 0.5>
      var_list [@"d/1/w", @"d/1/b", @"d/2/w", @"d/2/b", @"d/3/w", @"d/3/b"]
  return %loss : tensor<f32>
}

// The generator learns to make images that pass: the non-saturating loss, in which
// it maximises log D instead of minimising log (1 - D). The gradient flows through
// the discriminator, which stays as it is.
func.func @train_generator() -> tensor<f32> {
  %count = arith.constant 100 : index
  %fake = call @generator(%count) : (index) -> tensor<?x64xf32>
  %score = call @discriminator(%fake) : (tensor<?x64xf32>) -> tensor<?x1xf32>
  %yes = arith.constant dense<1.0> : tensor<f32>
  %loss = call @loss(%score, %yes) : (tensor<?x1xf32>, tensor<f32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.0005, beta_1 = 0.5>
      var_list [@"g/1/w", @"g/1/b", @"g/2/w", @"g/2/b", @"g/3/w", @"g/3/b"]
  return %loss : tensor<f32>
}

// 100 images.
func.func @generate() -> tensor<100x64xf32> {
  %count = arith.constant 100 : index
  %made = call @generator(%count) : (index) -> tensor<?x64xf32>
  %white = arith.constant dense<16.0> : tensor<f32>
  %whites = nn.broadcast %white dims [] like %made
      : (tensor<f32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %scaled = arith.mulf %made, %whites : tensor<?x64xf32>
  %image = tensor.cast %scaled : tensor<?x64xf32> to tensor<100x64xf32>
  return %image : tensor<100x64xf32>
}

}
