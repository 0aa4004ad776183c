// RUN: flywheel-opt %s --train-autodiff --flywheel-check-numerics | FileCheck %s

// Feeds, variables, and what an op passes on to others; of its gradient, too.
train.variable @w : tensor<3xf32> = #train.ones

// CHECK-LABEL: func @slope
// CHECK-SAME:    %[[X:.*]]: tensor<3xf32> {train.name = "x"}, %{{.*}}: tensor<3xi32>
// CHECK:       %[[Z:.*]] = arith.subf %[[X]], %[[X]]
// CHECK:       %[[S:.*]] = nn.reduce sum %[[Z]] axes [0]
// CHECK:       %[[E:.*]] = tensor.extract %[[S]][]
// CHECK:       %[[OK:.*]] = arith.cmpf oeq, %[[E]], %{{.*}} : f32
// CHECK:       cf.assert %[[OK]], "expected finite numbers in feed 'x', found NaN or infinity"
// CHECK:       train.read @w
// CHECK:       cf.assert %{{.*}}, "expected finite numbers, found NaN or infinity in 'train.read' at {{.*}}check-numerics.mlir:[[@LINE+11]]:8"
// CHECK:       math.log
// CHECK:       cf.assert %{{.*}}, "expected finite numbers, found NaN or infinity in 'math.log' at {{.*}}check-numerics.mlir:[[@LINE+13]]:8"
// CHECK:       cf.assert %{{.*}}, "expected finite numbers in the gradient, found NaN or infinity in '{{.*}}' at {{.*}}check-numerics.mlir:[[@LINE+12]]:8"
// CHECK:       cf.assert %{{.*}}, "expected finite numbers, found NaN or infinity in 'arith.addf' at {{.*}}check-numerics.mlir:[[@LINE+13]]:8"
// CHECK-NOT:   cf.assert
// CHECK:       return
func.func @slope(%x: tensor<3xf32> {train.name = "x"}, %n: tensor<3xi32>) -> tensor<3xf32> {


  // An op without other uses is not checked, nor is a constant.
  %w = train.read @w : tensor<3xf32>
  %a = arith.mulf %x, %w : tensor<3xf32>


  %y = math.log %x : tensor<3xf32>
  %dy = train.gradient %y wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %s = arith.addf %dy, %y : tensor<3xf32>
  %m = arith.muli %n, %n : tensor<3xi32>
  return %s : tensor<3xf32>
}
