// Written for version 0.1.0, and never changed: later versions have to parse it.
module @thermostat {

train.variable @weights : tensor<4x1xf32> = #train.glorot_uniform
train.variable @bias : tensor<1xf32> = #train.zeros
train.variable @steps : tensor<i64> = dense<0> : tensor<i64> {trainable = false}

func.func private @forward(%past: tensor<?x4xf32>) -> tensor<?x1xf32> {
  %weights = train.read @weights : tensor<4x1xf32>
  %bias = train.read @bias : tensor<1xf32>
  %next = nn.dense %past, %weights, %bias
      : (tensor<?x4xf32>, tensor<4x1xf32>, tensor<1xf32>) -> tensor<?x1xf32>
  return %next : tensor<?x1xf32>
}

func.func @learn(%past: tensor<?x4xf32>, %next: tensor<?x1xf32>) -> tensor<f32> {
  %predicted = call @forward(%past) : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %loss = nn.mean_squared_error %predicted, %next : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.01>
  %one = arith.constant dense<1> : tensor<i64>
  %steps = train.assign_add @steps, %one : tensor<i64>
  return %loss : tensor<f32>
}

func.func @predict(%past: tensor<?x4xf32>) -> tensor<?x1xf32> {
  %next = call @forward(%past) : (tensor<?x4xf32>) -> tensor<?x1xf32>
  return %next : tensor<?x1xf32>
}

}
