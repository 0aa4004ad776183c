train.variable @w1 : tensor<7x33xf32> = #train.glorot_uniform
train.variable @w2 : tensor<33x5xf32> = #train.glorot_uniform

func.func @predict(%x: tensor<?x7xf32>) -> (tensor<?x5xf32> {train.name = "y"}) {
  %w1 = train.read @w1 : tensor<7x33xf32>
  %w2 = train.read @w2 : tensor<33x5xf32>
  %h = nn.matmul %x, %w1 : (tensor<?x7xf32>, tensor<7x33xf32>) -> tensor<?x33xf32>
  %a = math.tanh %h : tensor<?x33xf32>
  %y = nn.matmul %a, %w2 : (tensor<?x33xf32>, tensor<33x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

func.func @twice(%w: tensor<33x5xf32>) -> (tensor<33x5xf32> {train.name = "sum"}) {
  %w2 = train.read @w2 : tensor<33x5xf32>
  %sum = arith.addf %w, %w2 : tensor<33x5xf32>
  return %sum : tensor<33x5xf32>
}
