train.variable @fixed : tensor<f32> {trainable = false}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = nn.relu %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
