// RUN: flywheel-opt %s --nn-decompose --split-input-file | FileCheck %s

// X4: dynamic extents too; what it is made of has no composite op.
// CHECK-LABEL: func @gelu
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>)
func.func @gelu(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // CHECK-NOT: nn.gelu
  // CHECK: %[[S:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<?x3xf32>
  // CHECK: %[[E:.*]] = math.erf %[[S]] : tensor<?x3xf32>
  // CHECK: arith.addf %[[E]]
  // CHECK: %[[Y:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<?x3xf32>
  // CHECK: return %[[Y]]
  %y = nn.gelu %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func @gelu_approximate
func.func @gelu_approximate(%x: tensor<f64>) -> tensor<f64> {
  // CHECK-NOT: nn.gelu
  // CHECK: math.tanh
  %y = nn.gelu %x {approximate} : tensor<f64>
  return %y : tensor<f64>
}
