// A loop without bound has no gradient.
train.variable @w : tensor<f32> = #train.ones

func.func @step() -> tensor<f32> {
  %limit = arith.constant 100.0 : f32
  %w = train.read @w : tensor<f32>
  %loss = scf.while (%a = %w) : (tensor<f32>) -> tensor<f32> {
    %s = tensor.extract %a[] : tensor<f32>
    %go = arith.cmpf olt, %s, %limit : f32
    scf.condition(%go) %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    %e = arith.addf %a, %a : tensor<f32>
    scf.yield %e : tensor<f32>
  }
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
