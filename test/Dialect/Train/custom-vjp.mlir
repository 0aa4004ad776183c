// RUN: flywheel-opt %s --train-expand-custom-vjps | FileCheck %s --check-prefix=EXPAND
// RUN: flywheel-opt %s --train-expand-custom-vjps --inline --train-autodiff | FileCheck %s

// G15: the bodies of the function and its rule take the place of the call; a
// result or an input that is not floating-point has no cotangent.
// EXPAND-LABEL: func.func private @f
// EXPAND-NOT: train.vjp
// EXPAND-LABEL: func.func @caller
// EXPAND-SAME: (%[[X:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<4xi32>, %[[G:.*]]: tensor<4xf32>)
// EXPAND: %[[Y:.*]]:2 = train.custom_vjp %[[X]], %[[N]] : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
// EXPAND: math.floor
// EXPAND: train.vjp_yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi32>
// EXPAND: } vjp {
// EXPAND: ^bb0(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xi32>, %[[DY:.*]]: tensor<4xf32>):
// EXPAND: train.vjp_yield %[[DY]] : tensor<4xf32>

// CHECK-LABEL: func.func @caller
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xi32>, %[[G:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.*]] = math.floor %[[X]]
// CHECK-NEXT: return %[[Y]], %[[G]]
// EXAMPLE: --train-expand-custom-vjps
func.func private @f(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    attributes {train.vjp = @f_vjp} {
  %y = math.floor %x : tensor<4xf32>
  return %y, %n : tensor<4xf32>, tensor<4xi32>
}
func.func private @f_vjp(%x: tensor<4xf32>, %n: tensor<4xi32>, %dy: tensor<4xf32>) -> tensor<4xf32> {
  return %dy : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>, %n: tensor<4xi32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = call @f(%x, %n) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %d = train.gradient %y#0 wrt %x grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y#0, %d : tensor<4xf32>, tensor<4xf32>
}
