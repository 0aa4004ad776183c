func.func @f(%x: tensor<1x8x8x2xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<1x8x8x2xf32> {
  %y = nn.conv2d %x, %w padding same : (tensor<1x8x8x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x8x8x2xf32>
  return %y : tensor<1x8x8x2xf32>
}
