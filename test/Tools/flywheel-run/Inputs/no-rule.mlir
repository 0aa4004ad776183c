// There is no gradient through control flow that reads variables itself.
train.variable @w : tensor<2xf32> = #train.ones

func.func @step(%flag: tensor<i1>) -> tensor<f32> {
  %w = train.read @w : tensor<2xf32>
  %c = tensor.extract %flag[] : tensor<i1>
  %y = scf.if %c -> tensor<2xf32> {
    %z = train.read @w : tensor<2xf32>
    scf.yield %z : tensor<2xf32>
  } else {
    scf.yield %w : tensor<2xf32>
  }
  %loss = nn.reduce sum %y axes [0] : tensor<2xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
