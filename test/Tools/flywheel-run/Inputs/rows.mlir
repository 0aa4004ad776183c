// Variables whose checkpoint is a data set: y = 3 x0 - 2 x1 + 1.
module @rows {
train.variable @points : tensor<6x2xf32> = dense<[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0, 2.0]]> : tensor<6x2xf32>
train.variable @values : tensor<6x1xf32> = dense<[[1.0], [4.0], [-1.0], [2.0], [5.0], [-3.0]]> : tensor<6x1xf32>
}
