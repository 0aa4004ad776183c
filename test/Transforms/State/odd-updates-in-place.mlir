// RUN: flywheel-compile %s -o %t.o 2>&1 | count 0
// RUN: flywheel-compile %s --cpu=x86-64-v4 -o %t.o 2>&1 | count 0
// RUN: flywheel-compile %s --cpu=x86-64-v3 -o %t.o 2>&1 | count 0

// Weights whose rows are two tiles without a loop, with columns left over:
// nothing copies what an update overwrites (A10), and no remark says so.
train.variable @wide : tensor<17x99xf32> = #train.glorot_uniform
train.variable @narrow : tensor<99x3xf32> = #train.glorot_uniform
train.variable @last : tensor<3x33xf64> = #train.glorot_uniform

func.func @step(%x: tensor<?x17xf32>) -> tensor<f32> {
  %wide = train.read @wide : tensor<17x99xf32>
  %narrow = train.read @narrow : tensor<99x3xf32>
  %y = nn.matmul %x, %wide : (tensor<?x17xf32>, tensor<17x99xf32>) -> tensor<?x99xf32>
  %t = math.tanh %y : tensor<?x99xf32>
  %z = nn.matmul %t, %narrow : (tensor<?x99xf32>, tensor<99x3xf32>) -> tensor<?x3xf32>
  %loss = nn.l2_loss %z : tensor<?x3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.1>
  return %loss : tensor<f32>
}

func.func @wider(%x: tensor<25x3xf64>) -> tensor<f64> {
  %last = train.read @last : tensor<3x33xf64>
  %y = nn.matmul %x, %last : (tensor<25x3xf64>, tensor<3x33xf64>) -> tensor<25x33xf64>
  %loss = nn.l2_loss %y : tensor<25x33xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.momentum<lr = 0.1, momentum = 0.9>
  return %loss : tensor<f64>
}
