func.func @f(%x: tensor<f64>) -> tensor<f64> {
  // By pairs of numbers.
  %y = math.asin %x : tensor<f64>
  return %y : tensor<f64>
}
