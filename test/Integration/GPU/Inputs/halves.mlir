// A layer with attention and a dense one in bf16, whose variables are f32, and its update.
train.variable @wq : tensor<64x64xf32> = #train.glorot_uniform
train.variable @wo : tensor<64x128xf32> = #train.glorot_uniform
train.variable @bias : tensor<128xf32> = #train.zeros
func.func @train_step(%x: tensor<4x64x64xf32>, %y: tensor<4x64x128xf32>) -> tensor<f32> {
  %wq = train.read @wq : tensor<64x64xf32>
  %wo = train.read @wo : tensor<64x128xf32>
  %b = train.read @bias : tensor<128xf32>
  %xh = arith.truncf %x : tensor<4x64x64xf32> to tensor<4x64x64xbf16>
  %wqh = arith.truncf %wq : tensor<64x64xf32> to tensor<64x64xbf16>
  %woh = arith.truncf %wo : tensor<64x128xf32> to tensor<64x128xbf16>
  %bh = arith.truncf %b : tensor<128xf32> to tensor<128xbf16>
  %q = nn.dense %xh, %wqh : (tensor<4x64x64xbf16>, tensor<64x64xbf16>) -> tensor<4x64x64xbf16>
  %a = nn.attention %q, %xh, %xh causal : (tensor<4x64x64xbf16>, tensor<4x64x64xbf16>, tensor<4x64x64xbf16>) -> tensor<4x64x64xbf16>
  %z = nn.dense %a, %woh, %bh : (tensor<4x64x64xbf16>, tensor<64x128xbf16>, tensor<128xbf16>) -> tensor<4x64x128xbf16>
  %r = nn.relu %z : tensor<4x64x128xbf16>
  %w = arith.extf %r : tensor<4x64x128xbf16> to tensor<4x64x128xf32>
  %loss = nn.mean_squared_error %w, %y : (tensor<4x64x128xf32>, tensor<4x64x128xf32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 1.0e-03>
  return %loss : tensor<f32>
}
