// The mean of (softsign(x w) - y)^2, and a step of gradient descent on it.
train.variable @w : tensor<3x2xf32> = dense<[[0.5, -1.0], [0.25, 2.0], [-1.5, 1.0]]> : tensor<3x2xf32>

func.func @train_step(%x: tensor<?x3xf32>, %y: tensor<?x2xf32>) -> (tensor<f32> {train.name = "loss"}) {
  %w = train.read @w : tensor<3x2xf32>
  %z = nn.matmul %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %p = toy.softsign %z : tensor<?x2xf32>
  %loss = nn.mean_squared_error %p, %y reduction mean : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.5>
  return %loss : tensor<f32>
}
