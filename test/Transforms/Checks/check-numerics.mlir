// RUN: flywheel-opt %s --train-autodiff --flywheel-check-numerics | FileCheck %s

// Feeds, variables, and what an op passes on to others; of its gradient, too.
train.variable @w : tensor<3xf32> = #train.ones

// CHECK-LABEL: func @slope
// CHECK-SAME:    %[[X:.*]]: tensor<3xf32> {train.name = "x"}, %{{.*}}: tensor<3xi32>
// CHECK:       %[[Z:.*]] = arith.subf %[[X]], %[[X]]
// CHECK:       %[[S:.*]] = nn.reduce sum %[[Z]] axes [0]
// CHECK:       %[[E:.*]] = tensor.extract %[[S]][]
// CHECK:       %[[OK:.*]] = arith.cmpf oeq, %[[E]], %{{.*}} : f32
// CHECK:       linalg_ext.check numerics %[[OK]], "expected finite numbers in feed 'x', found NaN or infinity"
// CHECK:       train.read @w
// CHECK:       linalg_ext.check numerics %{{.*}}, "expected finite numbers, found NaN or infinity" in "train.read"
// CHECK:       math.log
// CHECK:       linalg_ext.check numerics %{{.*}}, "expected finite numbers, found NaN or infinity" in "math.log"
// CHECK:       linalg_ext.check numerics %{{.*}}, "expected finite numbers in the gradient, found NaN or infinity" in {{.*}}
// CHECK:       linalg_ext.check numerics %{{.*}}, "expected finite numbers, found NaN or infinity" in "arith.addf"
// CHECK-NOT:   linalg_ext.check
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
