// Variables of every kind of collection and device.
train.variable @plain : tensor<f32> = #train.ones
train.variable @frozen : tensor<f32> = #train.ones {trainable = false}
train.variable @local : tensor<f32> = #train.ones {collections = ["LOCAL", "metrics"]}
train.variable @remote : tensor<f32> = #train.ones {device = "/gpu:1"}
func.func @step() {
  %w = train.read @plain : tensor<f32>
  %f = train.read @frozen : tensor<f32>
  %loss = arith.mulf %w, %f : tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd
  return
}
func.func @get() -> tensor<f32> {
  %r = train.read @remote : tensor<f32>
  return %r : tensor<f32>
}
