// Two entries on two variables, and a variable of one of them alone.
train.variable @w : tensor<2xf32> {collections = ["GLOBAL", "mine"], device = "/cpu:0"}
train.variable @offset : tensor<2xf32> = #train.ones
train.variable @count : tensor<i32> = #train.zeros
func.func @set(%x: tensor<2xf32>) {
  train.assign @w, %x : tensor<2xf32>
  %one = arith.constant dense<1> : tensor<i32>
  train.assign_add @count, %one : tensor<i32>
  return
}
func.func @predict(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = train.read @w : tensor<2xf32>
  %offset = train.read @offset : tensor<2xf32>
  %wx = arith.mulf %w, %x : tensor<2xf32>
  %y = arith.addf %wx, %offset : tensor<2xf32>
  return %y : tensor<2xf32>
}
