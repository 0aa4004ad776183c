// y = w x + b by least squares: the smallest model that trains.
module @linear {
train.variable @w : tensor<2x1xf32> = #train.zeros
train.variable @b : tensor<1xf32> = #train.zeros

func.func @step(%x: tensor<?x2xf32>, %y: tensor<?x1xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<2x1xf32>
  %b = train.read @b : tensor<1xf32>
  %p = nn.dense %x, %w, %b
      : (tensor<?x2xf32>, tensor<2x1xf32>, tensor<1xf32>) -> tensor<?x1xf32>
  %d = arith.subf %p, %y : tensor<?x1xf32>
  %s = arith.mulf %d, %d : tensor<?x1xf32>
  %loss = nn.reduce mean %s axes [0, 1] : tensor<?x1xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.25>
  return %loss : tensor<f32>
}

func.func @predict(%x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  %w = train.read @w : tensor<2x1xf32>
  %b = train.read @b : tensor<1xf32>
  %p = nn.dense %x, %w, %b
      : (tensor<?x2xf32>, tensor<2x1xf32>, tensor<1xf32>) -> tensor<?x1xf32>
  return %p : tensor<?x1xf32>
}
}
