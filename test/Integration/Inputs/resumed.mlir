// Half the square of x, with momentum: .9, .72, .486, .2268 from 1.
train.variable @x : tensor<f64> = #train.ones

func.func @step() {
  %x = train.read @x : tensor<f64>
  %half = arith.constant dense<0.5> : tensor<f64>
  %square = arith.mulf %x, %x : tensor<f64>
  %loss = arith.mulf %square, %half : tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.1, momentum = 0.9>
  return
}
