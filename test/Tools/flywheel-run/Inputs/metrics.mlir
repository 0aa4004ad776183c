// Evaluations that write: one keeps a metric, the other changes the model.
module @metrics {
train.variable @w : tensor<2xf32> = #train.ones
train.variable @seen : tensor<i32> = #train.zeros {collections = ["LOCAL"], trainable = false}

func.func @step(%points: tensor<?x2xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<2xf32>
  %squares = arith.mulf %w, %w : tensor<2xf32>
  %loss = nn.reduce sum %squares axes [0] : tensor<2xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}

func.func @count(%points: tensor<?x2xf32>) -> tensor<f32> {
  %two = arith.constant dense<2> : tensor<i32>
  train.assign_add @seen, %two : tensor<i32>
  %mean = nn.reduce mean %points axes [0, 1] : tensor<?x2xf32> -> tensor<f32>
  return %mean : tensor<f32>
}

func.func @spoil(%points: tensor<?x2xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<2xf32>
  train.assign_add @w, %w : tensor<2xf32>
  %mean = nn.reduce mean %points axes [0, 1] : tensor<?x2xf32> -> tensor<f32>
  return %mean : tensor<f32>
}
}
