// A chain of layers: the step needs what each computes twice.

train.variable @W0 : tensor<16x16xf32> = #train.glorot_uniform
train.variable @b0 : tensor<16xf32> = #train.zeros
train.variable @W1 : tensor<16x16xf32> = #train.glorot_uniform
train.variable @b1 : tensor<16xf32> = #train.zeros
train.variable @W2 : tensor<16x16xf32> = #train.glorot_uniform
train.variable @b2 : tensor<16xf32> = #train.zeros
train.variable @W3 : tensor<16x16xf32> = #train.glorot_uniform
train.variable @b3 : tensor<16xf32> = #train.zeros
train.variable @W4 : tensor<16x16xf32> = #train.glorot_uniform
train.variable @b4 : tensor<16xf32> = #train.zeros
train.variable @W5 : tensor<16x16xf32> = #train.glorot_uniform
train.variable @b5 : tensor<16xf32> = #train.zeros
func.func @step(%x: tensor<?x16xf32>, %t: tensor<?x16xf32>) -> tensor<f32> {
  %W0 = train.read @W0 : tensor<16x16xf32>
  %b0 = train.read @b0 : tensor<16xf32>
  %z0 = nn.dense %x, %W0, %b0 : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %h0 = math.tanh %z0 : tensor<?x16xf32>
  %W1 = train.read @W1 : tensor<16x16xf32>
  %b1 = train.read @b1 : tensor<16xf32>
  %z1 = nn.dense %h0, %W1, %b1 : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %h1 = math.tanh %z1 : tensor<?x16xf32>
  %W2 = train.read @W2 : tensor<16x16xf32>
  %b2 = train.read @b2 : tensor<16xf32>
  %z2 = nn.dense %h1, %W2, %b2 : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %h2 = math.tanh %z2 : tensor<?x16xf32>
  %W3 = train.read @W3 : tensor<16x16xf32>
  %b3 = train.read @b3 : tensor<16xf32>
  %z3 = nn.dense %h2, %W3, %b3 : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %h3 = math.tanh %z3 : tensor<?x16xf32>
  %W4 = train.read @W4 : tensor<16x16xf32>
  %b4 = train.read @b4 : tensor<16xf32>
  %z4 = nn.dense %h3, %W4, %b4 : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %h4 = math.tanh %z4 : tensor<?x16xf32>
  %W5 = train.read @W5 : tensor<16x16xf32>
  %b5 = train.read @b5 : tensor<16xf32>
  %z5 = nn.dense %h4, %W5, %b5 : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %h5 = math.tanh %z5 : tensor<?x16xf32>
  %e = arith.subf %h5, %t : tensor<?x16xf32>
  %q = arith.mulf %e, %e : tensor<?x16xf32>
  %loss = nn.reduce mean %q axes [0, 1] : tensor<?x16xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.001>
  return %loss : tensor<f32>
}
