train.variable @w : tensor<4x6xf32> = #train.ones
func.func @profiled(%x: tensor<?x4xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<4x6xf32>
  %y = nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x6xf32>) -> tensor<?x6xf32>
  %loss = nn.l2_loss %y : tensor<?x6xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.01>
  return %loss : tensor<f32>
}
