// The weights of a small network as the x of least squares: 2 inputs, 8 hidden units, one
// output, 33 weights in four variables.

module @network {

train.variable @w1 : tensor<2x8xf64> = #train.random_normal<stddev = 1.0, seed = 1>
train.variable @b1 : tensor<8xf64> = #train.zeros
train.variable @w2 : tensor<8x1xf64> = #train.random_normal<stddev = 1.0, seed = 2>
train.variable @b2 : tensor<1xf64> = #train.zeros

func.func @predict(%x: tensor<?x2xf64>) -> tensor<?x1xf64> {
  %w1 = train.read @w1 : tensor<2x8xf64>
  %b1 = train.read @b1 : tensor<8xf64>
  %w2 = train.read @w2 : tensor<8x1xf64>
  %b2 = train.read @b2 : tensor<1xf64>
  %z = nn.dense %x, %w1, %b1 : (tensor<?x2xf64>, tensor<2x8xf64>, tensor<8xf64>) -> tensor<?x8xf64>
  %h = math.tanh %z : tensor<?x8xf64>
  %y = nn.dense %h, %w2, %b2 : (tensor<?x8xf64>, tensor<8x1xf64>, tensor<1xf64>) -> tensor<?x1xf64>
  return %y : tensor<?x1xf64>
}

// All variables that the network reads are x. Every iteration is on the same examples;
// with `max_iterations 1` each call could bring others.
func.func @fit(%x: tensor<?x2xf64>, %y: tensor<?x1xf64>) -> (tensor<f64> {train.name = "objective"}) {
  %objective = train.least_squares over [@w1, @b1, @w2, @b2] max_iterations 20 regularizer 1.0e-3
      : () -> tensor<f64> {
    %predicted = func.call @predict(%x) : (tensor<?x2xf64>) -> tensor<?x1xf64>
    %r = arith.subf %predicted, %y : tensor<?x1xf64>
    train.residuals %r : tensor<?x1xf64>
  }
  return %objective : tensor<f64>
}

}
