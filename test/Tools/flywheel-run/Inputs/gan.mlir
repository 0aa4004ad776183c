// Two losses, two optimizers, each with variables of its own.
module @gan {
train.variable @d : tensor<3xf64> = #train.zeros
train.variable @g : tensor<2xf64> = #train.zeros

func.func @d_step(%target: tensor<3xf64>) -> tensor<f64> {
  %d = train.read @d : tensor<3xf64>
  %away = arith.subf %d, %target : tensor<3xf64>
  %squares = arith.mulf %away, %away : tensor<3xf64>
  %loss = nn.reduce sum %squares axes [0] : tensor<3xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.1> var_list [@d]
  return %loss : tensor<f64>
}

func.func @g_step(%target: tensor<3xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %d = train.read @d : tensor<3xf64>
  %g = train.read @g : tensor<2xf64>
  %weighted = arith.mulf %d, %target : tensor<3xf64>
  %sum = nn.reduce sum %weighted axes [0] : tensor<3xf64> -> tensor<f64>
  %goal = nn.broadcast %sum dims [] like %g : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  %away = arith.subf %g, %goal : tensor<2xf64>
  %squares = arith.mulf %away, %away : tensor<2xf64>
  %loss = nn.reduce sum %squares axes [0] : tensor<2xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.1> var_list [@g]
  return %loss, %away : tensor<f64>, tensor<2xf64>
}
}
