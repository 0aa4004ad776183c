// Variables of strings beside one that is trained.
train.variable @fruit : tensor<2x!train.string> = #train.strings<["Fruit", "orange"]>
train.variable @last : tensor<!train.string>
train.variable @w : tensor<f32> = dense<2.0> : tensor<f32>
func.func @step(%tag: tensor<!train.string> {train.name = "tag"}) -> (tensor<i1> {train.name = "same"}, tensor<!train.string> {train.name = "before"}) {
  %before = train.read @last : tensor<!train.string>
  %kiwi = train.string_constant ["Kiwi"] : tensor<!train.string>
  %same = train.string_equal %tag, %kiwi : tensor<!train.string>
  train.assign @last, %tag : tensor<!train.string>
  %w = train.read @w : tensor<f32>
  %loss = arith.mulf %w, %w : tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.25>
  return %same, %before : tensor<i1>, tensor<!train.string>
}
