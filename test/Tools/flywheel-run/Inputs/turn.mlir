// If three variables take each other's values, one is copied.
train.variable @a : tensor<64xf32> = dense<1.0> : tensor<64xf32>
train.variable @b : tensor<64xf32> = dense<2.0> : tensor<64xf32>
train.variable @c : tensor<64xf32> = dense<3.0> : tensor<64xf32>
func.func private @turn() {
  %a = train.read @a : tensor<64xf32>
  %b = train.read @b : tensor<64xf32>
  %c = train.read @c : tensor<64xf32>
  train.assign @a, %b : tensor<64xf32>
  train.assign @b, %c : tensor<64xf32>
  train.assign @c, %a : tensor<64xf32>
  return
}
func.func @step() {
  func.call @turn() : () -> ()
  return
}
