// A model whose every kind of state shows in its loss: weights, momentum, a
// step counter, the stream of a random op, and a local counter.
train.variable @w : tensor<4x3xf32> = #train.glorot_uniform
train.variable @b : tensor<3xf32> = #train.zeros
train.variable @step : tensor<i64> = #train.zeros {trainable = false}
train.variable @seen : tensor<i64> = #train.zeros {collections = ["LOCAL"]}

func.func @train_step(%x: tensor<?x4xf32> {train.name = "x"}, %label: tensor<?xi32> {train.name = "label"}) -> (tensor<f32> {train.name = "loss"}) {
  %w = train.read @w : tensor<4x3xf32>
  %b = train.read @b : tensor<3xf32>
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x4xf32>
  %noise = train.random #train.random_normal<stddev = 0.1>(%n) -> tensor<?x4xf32>
  %input = arith.addf %x, %noise : tensor<?x4xf32>
  %z = nn.dense %input, %w, %b : (tensor<?x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %label : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9> global_step @step
  return %loss : tensor<f32>
}

func.func @count() -> (tensor<i64> {train.name = "seen"}) {
  %one = arith.constant dense<1> : tensor<i64>
  %seen = train.assign_add @seen, %one : tensor<i64>
  return %seen : tensor<i64>
}
