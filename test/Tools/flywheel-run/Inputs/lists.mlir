// Gives back what it is fed.
train.variable @v : tensor<2x2xf32>
func.func @echo(%x: tensor<?xf32>, %m: tensor<2x2xf64>, %b: tensor<?xi1>, %i: tensor<?xi64>)
    -> (tensor<?xf32> {train.name = "x.out"}, tensor<2x2xf64> {train.name = "m.out"},
        tensor<?xi1> {train.name = "b.out"}, tensor<?xi64> {train.name = "i.out"}) {
  return %x, %m, %b, %i : tensor<?xf32>, tensor<2x2xf64>, tensor<?xi1>, tensor<?xi64>
}
