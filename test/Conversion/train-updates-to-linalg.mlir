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
  %0:2 = train.update %p, %a along %g with %lr, %m
      : (tensor<64x10xf32>, tensor<64x10xf32>, tensor<64x10xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x10xf32>, tensor<64x10xf32>) by #train.momentum<lr = 0.1>
  return %0#0, %0#1 : tensor<64x10xf32>, tensor<64x10xf32>
}

// CHECK-LABEL: func @scalar_parameter
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = []
// CHECK-SAME: outs(%arg0, %arg1 : tensor<f64>, tensor<f64>)
func.func @scalar_parameter(%p: tensor<f64>, %v: tensor<f64>, %s: tensor<f64>) -> tensor<f64> {
  %0:2 = train.update %p, %v along %p with %s, %s
      : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>) by #train.sgd<nesterov = true>
  return %0#0 : tensor<f64>
}

// O6: amsgrad has four destinations; the larger second moment is under the root.
// Elements of bf16 are computed in f32.
// CHECK-LABEL: func @amsgrad
// CHECK: linalg.generic
// CHECK-SAME: outs(%arg0, %arg1, %arg1, %arg1 :
// CHECK-COUNT-5: arith.extf {{.*}} : bf16 to f32
// CHECK: arith.maximumf {{.*}} : f32
// CHECK: math.sqrt {{.*}} : f32
// CHECK-COUNT-4: arith.truncf {{.*}} : f32 to bf16
// CHECK: linalg.yield {{.*}} : bf16, bf16, bf16, bf16
func.func @amsgrad(%p: tensor<5xbf16>, %z: tensor<5xbf16>, %s: tensor<f32>) -> tensor<5xbf16> {
  %0:4 = train.update %p, %z, %z, %z along %p with %s, %s, %s
      : (tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>) by #train.adam<amsgrad = true>
  return %0#0 : tensor<5xbf16>
}

// CHECK-LABEL: func @empty_parameter
// CHECK: linalg.generic
// CHECK-SAME: outs(%arg0, %arg0 : tensor<0x3xf32>, tensor<0x3xf32>)
func.func @empty_parameter(%p: tensor<0x3xf32>, %s: tensor<f32>) -> tensor<0x3xf32> {
  %0:2 = train.update %p, %p along %p with %s, %s
      : (tensor<0x3xf32>, tensor<0x3xf32>, tensor<0x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<0x3xf32>, tensor<0x3xf32>) by #train.sgd
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
  %0:2 = train.update %p, %v along %p with %s, %s
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) by #train.momentum<lr = 0.1>
  %1 = train.project %0#0 : tensor<4xf32> by #train.non_neg
  return %1, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// The decay of weights is in the loop of the update, before the projection.
// CHECK-LABEL: func @decay
// CHECK: linalg.generic
// CHECK: ^bb0(%[[g:.*]]: f32, %[[lr:.*]]: f32, %[[d:.*]]: f32, %[[p:.*]]: f32):
// CHECK: %[[NEW:.*]] = arith.subf %[[p]]
// CHECK: %[[LESS:.*]] = arith.mulf %[[d]], %[[p]] : f32
// CHECK: %[[DECAYED:.*]] = arith.subf %[[NEW]], %[[LESS]] : f32
// CHECK: %[[PROJECTED:.*]] = arith.maximumf %[[DECAYED]]
// CHECK: linalg.yield %[[PROJECTED]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @decay(%p: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %0 = train.update %p along %p with %s decay %s : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>)
      -> tensor<4xf32> by #train.gradient_descent<lr = 0.1>
  %1 = train.project %0 : tensor<4xf32> by #train.non_neg
  return %1 : tensor<4xf32>
}

// Norms are sums along the axis, in f32 at least; the parameter is scaled in
// place.
// CHECK-LABEL: func.func @max_norm(
// CHECK-SAME: %[[P:[^:]*]]: tensor<8x4xbf16>) -> tensor<8x4xbf16>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["reduction", "parallel"]} ins(%[[P]] : tensor<8x4xbf16>) outs(%[[FILL]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: bf16, %[[ELEMENT_2:.*]]: f32):
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[ELEMENT]] : bf16 to f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[EXTF]], %[[EXTF]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_2]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel"]} ins(%[[GENERIC]] : tensor<4xf32>) outs(%[[EMPTY_2]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_3:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SQRT:.*]] = math.sqrt %[[ELEMENT_3]] : f32
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %[[MINIMUMF:.*]] = arith.minimumf %[[SQRT]], %[[CST_2]] : f32
// CHECK-NEXT: %[[CST_3:.*]] = arith.constant 1.000000e-07 : f32
// CHECK-NEXT: %[[ADDF_2:.*]] = arith.addf %[[CST_3]], %[[SQRT]] : f32
// CHECK-NEXT: %[[DIVF:.*]] = arith.divf %[[MINIMUMF]], %[[ADDF_2]] : f32
// CHECK-NEXT: linalg.yield %[[DIVF]] : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: %[[GENERIC_3:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel", "parallel"]} ins(%[[GENERIC_2]] : tensor<4xf32>) outs(%[[P]] : tensor<8x4xbf16>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_5:.*]]: f32, %[[ELEMENT_6:.*]]: bf16):
// CHECK-NEXT: %[[EXTF_2:.*]] = arith.extf %[[ELEMENT_6]] : bf16 to f32
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[EXTF_2]], %[[ELEMENT_5]] : f32
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[MULF_2]] : f32 to bf16
// CHECK-NEXT: linalg.yield %[[TRUNCF]] : bf16
// CHECK-NEXT: } -> tensor<8x4xbf16>
// CHECK-NEXT: return %[[GENERIC_3]] : tensor<8x4xbf16>
func.func @max_norm(%p: tensor<8x4xbf16>) -> tensor<8x4xbf16> {
  %0 = train.project %p : tensor<8x4xbf16> by #train.max_norm<max = 2.0>
  return %0 : tensor<8x4xbf16>
}

// CHECK-LABEL: func.func @one_axis(
// CHECK-SAME: %[[P:[^:]*]]: tensor<8xf64>) -> tensor<8xf64>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<f64>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f64) outs(%[[EMPTY]] : tensor<f64>) -> tensor<f64>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["reduction"]} ins(%[[P]] : tensor<8xf64>) outs(%[[FILL]] : tensor<f64>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f64, %[[ELEMENT_2:.*]]: f64):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ELEMENT]], %[[ELEMENT]] : f64
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_2]], %[[MULF]] : f64
// CHECK-NEXT: linalg.yield %[[ADDF]] : f64
// CHECK-NEXT: } -> tensor<f64>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<f64>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = []} ins(%[[GENERIC]] : tensor<f64>) outs(%[[EMPTY_2]] : tensor<f64>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_3:.*]]: f64, %{{.*}}: f64):
// CHECK-NEXT: %[[SQRT:.*]] = math.sqrt %[[ELEMENT_3]] : f64
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[CST_3:.*]] = arith.constant 9.9999999999999995E-8 : f64
// CHECK-NEXT: %[[ADDF_2:.*]] = arith.addf %[[CST_3]], %[[SQRT]] : f64
// CHECK-NEXT: %[[DIVF:.*]] = arith.divf %[[CST_2]], %[[ADDF_2]] : f64
// CHECK-NEXT: linalg.yield %[[DIVF]] : f64
// CHECK-NEXT: } -> tensor<f64>
// CHECK-NEXT: %[[GENERIC_3:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel"]} ins(%[[GENERIC_2]] : tensor<f64>) outs(%[[P]] : tensor<8xf64>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_5:.*]]: f64, %[[ELEMENT_6:.*]]: f64):
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[ELEMENT_6]], %[[ELEMENT_5]] : f64
// CHECK-NEXT: linalg.yield %[[MULF_2]] : f64
// CHECK-NEXT: } -> tensor<8xf64>
// CHECK-NEXT: return %[[GENERIC_3]] : tensor<8xf64>
func.func @one_axis(%p: tensor<8xf64>) -> tensor<8xf64> {
  %0 = train.project %p : tensor<8xf64> by #train.unit_norm
  return %0 : tensor<8xf64>
}
