module @model {
train.variable @w : tensor<8x4xf32> = #train.glorot_uniform
func.func @step(%x: tensor<?x8xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %w = train.read @w : tensor<8x4xf32>
  %z = nn.matmul %x, %w : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %label : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam
  return %loss : tensor<f32>
}
}
