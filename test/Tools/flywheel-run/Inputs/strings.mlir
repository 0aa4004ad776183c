// A string that goes from hand to hand.
module @strings {
train.variable @name : tensor<2x!train.string> = #train.strings<["Fruit", "orange"]>

func.func @swap(%new: tensor<2x!train.string>) -> tensor<2x!train.string> {
  %old = train.read @name : tensor<2x!train.string>
  train.assign @name, %new : tensor<2x!train.string>
  return %old : tensor<2x!train.string>
}
}
