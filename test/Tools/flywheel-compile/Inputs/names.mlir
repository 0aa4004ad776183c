train.variable @names : tensor<2x!train.string> = #train.strings<["a", "b"]>
func.func @set(%s: tensor<2x!train.string> {train.name = "s"}) {
  train.assign @names, %s : tensor<2x!train.string>
  return
}
func.func @predict() -> (tensor<2x!train.string> {train.name = "names"}) {
  %names = train.read @names : tensor<2x!train.string>
  return %names : tensor<2x!train.string>
}
