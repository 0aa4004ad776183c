// RUN: flywheel-opt %s --convert-train-updates-to-linalg | FileCheck %s

// An update is one op whose destinations are the state (O28).
// CHECK-DAG: #[[$POINT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$SCALAR:.*]] = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func @momentum
// CHECK-SAME: (%[[P:.*]]: tensor<64x10xf32>, %[[A:.*]]: tensor<64x10xf32>, %[[G:.*]]: tensor<64x10xf32>, %[[LR:.*]]: tensor<f32>, %[[M:.*]]: tensor<f32>)
func.func @momentum(%p: tensor<64x10xf32>, %a: tensor<64x10xf32>, %g: tensor<64x10xf32>, %lr: tensor<f32>, %m: tensor<f32>)
    -> (tensor<64x10xf32>, tensor<64x10xf32>) {
  // CHECK-NOT: tensor.empty
  // CHECK: %[[NEW:.*]]:2 = linalg.generic
  // CHECK-SAME: indexing_maps = [#[[$POINT]], #[[$SCALAR]], #[[$SCALAR]], #[[$POINT]], #[[$POINT]]]
  // CHECK-SAME: iterator_types = ["parallel", "parallel"]
  // CHECK-SAME: ins(%[[G]], %[[LR]], %[[M]] :
  // CHECK-SAME: outs(%[[P]], %[[A]] :
  // CHECK-NEXT: ^bb0(%[[g:.*]]: f32, %[[lr:.*]]: f32, %[[m:.*]]: f32, %[[p:.*]]: f32, %[[a:.*]]: f32):
  // O22: CHECK-NEXT: %[[D:.*]] = arith.mulf %[[m]], %[[a]] : f32
  // CHECK-NEXT: %[[ACC:.*]] = arith.addf %[[D]], %[[g]] : f32
  // CHECK-NEXT: %[[S:.*]] = arith.mulf %[[lr]], %[[ACC]] : f32
  // CHECK-NEXT: %[[W:.*]] = arith.subf %[[p]], %[[S]] : f32
  // CHECK-NEXT: linalg.yield %[[W]], %[[ACC]] : f32, f32
  // CHECK: return %[[NEW]]#0, %[[NEW]]#1
  %0:2 = train.momentum %p, %a, %g lr %lr momentum %m
      : (tensor<64x10xf32>, tensor<64x10xf32>, tensor<64x10xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x10xf32>, tensor<64x10xf32>)
  return %0#0, %0#1 : tensor<64x10xf32>, tensor<64x10xf32>
}

// CHECK-LABEL: func @scalar_parameter
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = []
// CHECK-SAME: outs(%arg0, %arg1 : tensor<f64>, tensor<f64>)
func.func @scalar_parameter(%p: tensor<f64>, %v: tensor<f64>, %s: tensor<f64>) -> tensor<f64> {
  %0:2 = train.sgd %p, %v, %p lr %s momentum %s nesterov
      : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0 : tensor<f64>
}

// O6, amsgrad: four destinations; the larger second moment is under the root.
// CHECK-LABEL: func @amsgrad
// CHECK: linalg.generic
// CHECK-SAME: outs(%arg0, %arg1, %arg1, %arg1 :
// CHECK: arith.maximumf
// CHECK: math.sqrt
// CHECK: linalg.yield {{.*}} : bf16, bf16, bf16, bf16
func.func @amsgrad(%p: tensor<5xbf16>, %z: tensor<5xbf16>, %s: tensor<bf16>) -> tensor<5xbf16> {
  %0:4 = train.adam %p, %z, %z vhat %z, %p rate %s beta_1 %s beta_2 %s epsilon 1.0e-7
      : (tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>)
      -> (tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>)
  return %0#0 : tensor<5xbf16>
}

// CHECK-LABEL: func @empty_parameter
// CHECK: linalg.generic
// CHECK-SAME: outs(%arg0, %arg0 : tensor<0x3xf32>, tensor<0x3xf32>)
func.func @empty_parameter(%p: tensor<0x3xf32>, %s: tensor<f32>) -> tensor<0x3xf32> {
  %0:2 = train.sgd %p, %p, %p lr %s momentum %s
      : (tensor<0x3xf32>, tensor<0x3xf32>, tensor<0x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<0x3xf32>, tensor<0x3xf32>)
  return %0#0 : tensor<0x3xf32>
}

// V13: a projection element by element is in the loop of the update.
// CHECK-LABEL: func @non_neg
// CHECK: linalg.generic
// CHECK: %[[NEW:.*]] = arith.subf
// CHECK: %[[PROJECTED:.*]] = arith.maximumf %[[NEW]]
// CHECK: linalg.yield %[[PROJECTED]],
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @non_neg(%p: tensor<4xf32>, %v: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = train.momentum %p, %v, %p lr %s momentum %s
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1 = train.project %0#0 : tensor<4xf32> by #train.non_neg
  return %1, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Norms are sums along the axis, in f32 at least; the parameter is scaled in
// place.
// CHECK-LABEL: func @max_norm
// CHECK-SAME: (%[[P:.*]]: tensor<8x4xbf16>)
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel"]
// CHECK-SAME: ins(%[[P]] : tensor<8x4xbf16>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: %[[FACTOR:.*]] = linalg.generic
// CHECK-SAME: ins(%[[SUM]] : tensor<4xf32>)
// CHECK: math.sqrt
// CHECK: arith.minimumf
// CHECK: arith.divf
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: ins(%[[FACTOR]] : tensor<4xf32>) outs(%[[P]] : tensor<8x4xbf16>)
// CHECK: return %[[R]]
func.func @max_norm(%p: tensor<8x4xbf16>) -> tensor<8x4xbf16> {
  %0 = train.project %p : tensor<8x4xbf16> by #train.max_norm<max = 2.0>
  return %0 : tensor<8x4xbf16>
}

// CHECK-LABEL: func @one_axis
// CHECK: iterator_types = ["reduction"]
// CHECK-SAME: outs(%{{.*}} : tensor<f64>)
func.func @one_axis(%p: tensor<8xf64>) -> tensor<8xf64> {
  %0 = train.project %p : tensor<8xf64> by #train.unit_norm
  return %0 : tensor<8xf64>
}
