func.func @negate(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = arith.negf %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
