// A model that is compiled under two names: the same layout, other meanings.
train.variable @w : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
func.func @step(%x: tensor<2xf32>) -> (tensor<2xf32> {train.name = "y"}) {
  %w = train.read @w : tensor<2xf32>
  %y = arith.addf %w, %x : tensor<2xf32>
  train.assign @w, %y : tensor<2xf32>
  return %y : tensor<2xf32>
}
