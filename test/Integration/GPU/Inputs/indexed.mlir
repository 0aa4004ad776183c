// Ops that follow indices, or read their earlier results: as launches.
func.func @step(%a: tensor<3x40x40xf32>, %b: tensor<3x40x5xf32>, %x: tensor<7x300xf32>, %i: tensor<5000xi32>,
                %u: tensor<5000x300xf32>)
    -> (tensor<3x40x5xf32>, tensor<7x300xf32>, tensor<7x300xf32>, tensor<7x300xf32>, tensor<7x300xf32>) {
  %l = nn.cholesky %a : tensor<3x40x40xf32>
  %s = nn.triangular_solve lower %l, %b : (tensor<3x40x40xf32>, tensor<3x40x5xf32>) -> tensor<3x40x5xf32>
  %0 = nn.cumsum %x axis 0 : tensor<7x300xf32> -> tensor<7x300xf32>
  %1 = nn.cumprod %x axis 1 : tensor<7x300xf32> -> tensor<7x300xf32>
  %2 = nn.scatter_add %x, %i, %u axis 0
      : (tensor<7x300xf32>, tensor<5000xi32>, tensor<5000x300xf32>) -> tensor<7x300xf32>
  %3 = nn.scatter %x, %i, %u axis 0
      : (tensor<7x300xf32>, tensor<5000xi32>, tensor<5000x300xf32>) -> tensor<7x300xf32>
  return %s, %0, %1, %2, %3 : tensor<3x40x5xf32>, tensor<7x300xf32>, tensor<7x300xf32>, tensor<7x300xf32>,
                              tensor<7x300xf32>
}
