module @labels {
  train.variable @w : tensor<2xf32> = #train.ones
  train.variable @tag : tensor<!train.string> = #train.strings<["new"]>
  func.func @set(%name: tensor<!train.string>) -> (tensor<!train.string> {train.name = "old"}, tensor<i1> {train.name = "isNew"}) {
    %old = train.read @tag : tensor<!train.string>
    %new = train.string_constant ["new"] : tensor<!train.string>
    %isNew = train.string_equal %old, %new : tensor<!train.string>
    train.assign @tag, %name : tensor<!train.string>
    return %old, %isNew : tensor<!train.string>, tensor<i1>
  }
}
