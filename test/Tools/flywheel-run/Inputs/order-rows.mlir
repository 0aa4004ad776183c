// Rows that are their numbers.
module @rows {
train.variable @x : tensor<6xf32> = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<6xf32>
}
