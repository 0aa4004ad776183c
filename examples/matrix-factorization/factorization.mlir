// Matrix factorisation, the model of recommenders (Koren, Bell and Volinsky, 2009):
// the rating of a column by a row is
//
//   mean + row_bias[row] + column_bias[column] + <row_factors[row], column_factors[column]>
//
// with 16 factors; squared error plus an l2 penalty, Adam. The matrix has 1797 rows
// and 64 columns and is never there as a whole: an example is one of its entries.

module @factorization {

// The mean of the ratings to train on: assigned by the caller, not trained.
train.variable @mean : tensor<f32> = #train.zeros {trainable = false}
train.variable @row_bias : tensor<1797x1xf32> = #train.zeros
train.variable @column_bias : tensor<64x1xf32> = #train.zeros
train.variable @row_factors : tensor<1797x16xf32> = #train.random_normal<stddev = 0.1>
train.variable @column_factors : tensor<64x16xf32> = #train.random_normal<stddev = 0.1>

// The ratings of pairs, and what they are computed from: the bias and the factors
// of each row and column of the batch. An index out of range is an error of the step.
func.func private @rate(%row: tensor<?xi32>, %column: tensor<?xi32>)
    -> (tensor<?xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %row_biases = train.read @row_bias : tensor<1797x1xf32>
  %column_biases = train.read @column_bias : tensor<64x1xf32>
  %row_table = train.read @row_factors : tensor<1797x16xf32>
  %column_table = train.read @column_factors : tensor<64x16xf32>
  %b = nn.gather %row_biases, %row axis 0
      : (tensor<1797x1xf32>, tensor<?xi32>) -> tensor<?x1xf32>
  %c = nn.gather %column_biases, %column axis 0
      : (tensor<64x1xf32>, tensor<?xi32>) -> tensor<?x1xf32>
  %u = nn.gather %row_table, %row axis 0
      : (tensor<1797x16xf32>, tensor<?xi32>) -> tensor<?x16xf32>
  %v = nn.gather %column_table, %column axis 0
      : (tensor<64x16xf32>, tensor<?xi32>) -> tensor<?x16xf32>
  %products = arith.mulf %u, %v : tensor<?x16xf32>
  %affinity = nn.reduce sum %products axes [1] keepdims : tensor<?x16xf32> -> tensor<?x1xf32>
  %mean = train.read @mean : tensor<f32>
  %means = nn.broadcast %mean dims [] like %b : (tensor<f32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %0 = arith.addf %means, %b : tensor<?x1xf32>
  %1 = arith.addf %0, %c : tensor<?x1xf32>
  %2 = arith.addf %1, %affinity : tensor<?x1xf32>
  %rating = tensor.collapse_shape %2 [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  return %rating, %b, %c, %u, %v
      : tensor<?xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}

// The ratings of pairs of a row and a column.
func.func @predict(%row: tensor<?xi32>, %column: tensor<?xi32>) -> tensor<?xf32> {
  %rating, %b, %c, %u, %v = call @rate(%row, %column)
      : (tensor<?xi32>, tensor<?xi32>)
      -> (tensor<?xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
  return %rating : tensor<?xf32>
}

// One step of training on a batch of entries of the matrix; returns their mean
// squared error before the update. The penalty is on what the batch has looked up,
// so that a row is drawn to zero as often as it is learned from.
func.func @train_step(%row: tensor<?xi32>, %column: tensor<?xi32>, %rating: tensor<?xf32>)
    -> tensor<f32> {
  %rated, %b, %c, %u, %v = call @rate(%row, %column)
      : (tensor<?xi32>, tensor<?xi32>)
      -> (tensor<?xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
  %error = nn.mean_squared_error %rated, %rating
      : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
  %l2_b = nn.l2_loss %b : tensor<?x1xf32> -> tensor<f32>
  %l2_c = nn.l2_loss %c : tensor<?x1xf32> -> tensor<f32>
  %l2_u = nn.l2_loss %u : tensor<?x16xf32> -> tensor<f32>
  %l2_v = nn.l2_loss %v : tensor<?x16xf32> -> tensor<f32>
  %l2_0 = arith.addf %l2_b, %l2_c : tensor<f32>
  %l2_1 = arith.addf %l2_0, %l2_u : tensor<f32>
  %l2_2 = arith.addf %l2_1, %l2_v : tensor<f32>
  // 0.3 a pair, in a mean over the batch as the error is.
  %c0 = arith.constant 0 : index
  %count = tensor.dim %row, %c0 : tensor<?xi32>
  %count_i = arith.index_cast %count : index to i32
  %count_f = arith.sitofp %count_i : i32 to f32
  %weight = arith.constant 0.3 : f32
  %scale = arith.divf %weight, %count_f : f32
  %scales = tensor.from_elements %scale : tensor<f32>
  %penalty = arith.mulf %scales, %l2_2 : tensor<f32>
  %loss = arith.addf %error, %penalty : tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.02>
  return %error : tensor<f32>
}

}
