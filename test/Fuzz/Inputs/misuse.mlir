// The model that c_interface.py misuses: two dimension sizes, labels, a string.
train.variable @w : tensor<3x4xf32> = #train.glorot_uniform
train.variable @n : tensor<i64> = #train.zeros {trainable = false}
train.variable @name : tensor<!train.string> = #train.zeros
func.func @step(%x: tensor<?x3xf32>, %label: tensor<?xi32>, %rate: tensor<f32>) -> (tensor<f32>, tensor<?x4xf32>) {
  %w = train.read @w : tensor<3x4xf32>
  %one = arith.constant dense<1> : tensor<i64>
  %y = nn.matmul %x, %w : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %loss = nn.sparse_softmax_cross_entropy %y, %label : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam
  train.assign_add @n, %one : tensor<i64>
  return %loss, %y : tensor<f32>, tensor<?x4xf32>
}
func.func @predict(%x: tensor<?x3xf32>) -> tensor<?x4xf32> {
  %w = train.read @w : tensor<3x4xf32>
  %y = nn.matmul %x, %w : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @say(%s: tensor<!train.string>) -> tensor<!train.string> {
  %old = train.read @name : tensor<!train.string>
  train.assign @name, %s : tensor<!train.string>
  return %old : tensor<!train.string>
}
