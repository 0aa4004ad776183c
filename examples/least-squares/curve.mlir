// Three bells on a base line, 10 parameters, through a curve of any number of points:
//
//   y(t) = base + sum over k of height[k] exp(-((t - center[k]) / width[k])^2)
//
// The parameters are values of the call, and come back as results.

module @curve {

func.func @fit(%heights0: tensor<3xf64>, %centers0: tensor<3xf64>, %widths0: tensor<3xf64>, %base0: tensor<f64>,
               %t: tensor<?xf64>, %y: tensor<?xf64>)
    -> (tensor<f64> {train.name = "objective"}, tensor<3xf64> {train.name = "heights"},
        tensor<3xf64> {train.name = "centers"}, tensor<3xf64> {train.name = "widths"},
        tensor<f64> {train.name = "base"}) {
  %objective, %p:4 = train.least_squares %heights0, %centers0, %widths0, %base0
      max_iterations 12 regularizer 1.0e-3 jacobian forward
      : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>)
      -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>) {
  ^bb0(%heights: tensor<3xf64>, %centers: tensor<3xf64>, %widths: tensor<3xf64>, %base: tensor<f64>):
    %bases = nn.broadcast %base dims [] like %t : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
    %below = arith.subf %bases, %y : tensor<?xf64>
    %r = linalg.generic {
        indexing_maps = [affine_map<(k, i) -> (i)>, affine_map<(k, i) -> (k)>, affine_map<(k, i) -> (k)>,
                         affine_map<(k, i) -> (k)>, affine_map<(k, i) -> (i)>],
        iterator_types = ["reduction", "parallel"]}
        ins(%t, %heights, %centers, %widths : tensor<?xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
        outs(%below : tensor<?xf64>) {
    ^bb0(%time: f64, %height: f64, %center: f64, %width: f64, %sum: f64):
      %0 = arith.subf %time, %center : f64
      %1 = arith.divf %0, %width : f64
      %2 = arith.mulf %1, %1 : f64
      %3 = arith.negf %2 : f64
      %4 = math.exp %3 : f64
      %5 = arith.mulf %height, %4 : f64
      %6 = arith.addf %sum, %5 : f64
      linalg.yield %6 : f64
    } -> tensor<?xf64>
    train.residuals %r : tensor<?xf64>
  }
  return %objective, %p#0, %p#1, %p#2, %p#3
      : tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>
}

}
