// The mean of (w - x[i])^2, with x[i] from a table.
module @object {
  train.variable @w : tensor<f32> = #train.zeros
  func.func @step(%index: tensor<?xi32>) -> tensor<f32> {
    %table = arith.constant dense<[2.0, 2.0, 1.0, 4.0]> : tensor<4xf32>
    %w = train.read @w : tensor<f32>
    %x = nn.gather %table, %index axis 0 : (tensor<4xf32>, tensor<?xi32>) -> tensor<?xf32>
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %empty = tensor.empty(%n) : tensor<?xf32>
    %y = linalg.broadcast ins(%w : tensor<f32>) outs(%empty : tensor<?xf32>) dimensions = [0]
    %rows = tensor.expand_shape %x [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
    %others = tensor.expand_shape %y [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
    %loss = nn.mean_squared_error %others, %rows : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<f32>
    train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.2>
    return %loss : tensor<f32>
  }
}
