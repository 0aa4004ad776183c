train.variable @unused : tensor<f32> = dense<1.0> : tensor<f32>
train.variable @w : tensor<8x8xf32> = #train.ones
func.func @step(%x: tensor<?x8xf32>) -> (tensor<f32> {train.name = "loss"}) {
  %w = train.read @w : tensor<8x8xf32>
  %u = train.read @unused : tensor<f32>
  %a = arith.addf %x, %x : tensor<?x8xf32>
  %h = nn.matmul %a, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %t = math.tanh %h : tensor<?x8xf32>
  %z = nn.matmul %t, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %loss = nn.reduce mean %z axes [0, 1] : tensor<?x8xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
