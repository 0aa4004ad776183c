// Variables of both collections, with initial values from each other, and a counter.
module @state {
train.variable @hits : tensor<i64> = #train.zeros {collections = ["LOCAL"], trainable = false}
train.variable @v : tensor<2xf32> = #train.random_normal
train.variable @w : tensor<2xf32> init {
  %v = train.read @v : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %sum = arith.addf %v, %one : tensor<2xf32>
  train.yield %sum : tensor<2xf32>
}
train.variable @x : tensor<2xf32> init {
  %v = train.initialized_value @v : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %sum = arith.addf %v, %one : tensor<2xf32>
  train.yield %sum : tensor<2xf32>
}
train.variable @count : tensor<i64> = #train.zeros {trainable = false}

func.func @tick(%by: tensor<i64>) -> tensor<i64> {
  %now = train.assign_add @count, %by : tensor<i64>
  return %now : tensor<i64>
}

func.func @hit() -> tensor<i64> {
  %one = arith.constant dense<1> : tensor<i64>
  %now = train.assign_add @hits, %one : tensor<i64>
  return %now : tensor<i64>
}

func.func @read_w() -> tensor<2xf32> {
  %w = train.read @w : tensor<2xf32>
  return %w : tensor<2xf32>
}
}
