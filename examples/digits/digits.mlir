// A classifier of handwritten digits: 64 pixels, one hidden layer of 128 units,
// 10 classes; softmax cross entropy, SGD with momentum.
//
// Pixels are 0 to 16, as the data has them; the model divides them by 8 itself, so
// that whoever feeds it (the runner, C, Python) passes the raw values.

module @digits {

train.variable @hidden_w : tensor<64x128xf32> = #train.he_normal
train.variable @hidden_b : tensor<128xf32> = #train.zeros
train.variable @output_w : tensor<128x10xf32> = #train.glorot_uniform
train.variable @output_b : tensor<10xf32> = #train.zeros

// The class scores of each image: what every entry shares.
func.func private @forward(%image: tensor<?x64xf32>) -> tensor<?x10xf32> {
  %scale = arith.constant dense<0.125> : tensor<f32>
  %x = nn.mul %image, %scale : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %hidden_w = train.read @hidden_w : tensor<64x128xf32>
  %hidden_b = train.read @hidden_b : tensor<128xf32>
  %z = nn.dense %x, %hidden_w, %hidden_b
      : (tensor<?x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %hidden = nn.relu %z : tensor<?x128xf32>
  %output_w = train.read @output_w : tensor<128x10xf32>
  %output_b = train.read @output_b : tensor<10xf32>
  %scores = nn.dense %hidden, %output_w, %output_b
      : (tensor<?x128xf32>, tensor<128x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return %scores : tensor<?x10xf32>
}

// One step of training; returns the mean loss of the batch before the update.
func.func @train_step(%image: tensor<?x64xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %scores = call @forward(%image) : (tensor<?x64xf32>) -> tensor<?x10xf32>
  %loss = nn.sparse_softmax_cross_entropy %scores, %label
      : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.05, momentum = 0.9>
  return %loss : tensor<f32>
}

// The mean loss of a batch and the number of images classified correctly.
func.func @eval(%image: tensor<?x64xf32>, %label: tensor<?xi32>)
    -> (tensor<f32>, tensor<i32>) {
  %scores = call @forward(%image) : (tensor<?x64xf32>) -> tensor<?x10xf32>
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
  %scores = call @forward(%image) : (tensor<?x64xf32>) -> tensor<?x10xf32>
  %probabilities = nn.softmax %scores : tensor<?x10xf32>
  return %probabilities : tensor<?x10xf32>
}

}
