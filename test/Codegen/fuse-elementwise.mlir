// RUN: flywheel-opt %s --flywheel-fuse-elementwise --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>

// A chain is one op; a change of shape on the way moves out of it.
// CHECK-LABEL: func @chain
// CHECK: %[[E:.*]] = tensor.expand_shape
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<3x2xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.exp
// CHECK-NEXT: math.tanh
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]
func.func @chain(%x: tensor<6xf32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %f = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %2 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<3x2xf32>) outs(%f : tensor<3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  } -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>

// What updates a variable keeps the variable's shape.
// CHECK-LABEL: func @update
// CHECK-SAME: %{{.*}}: tensor<3x2xf32>, %[[W:.*]]: tensor<6xf32>
// CHECK: linalg.generic {{.*}} outs(%[[W]] : tensor<6xf32>)
func.func @update(%x: tensor<3x2xf32>, %w: tensor<6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<3x2xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%1 : tensor<6xf32>) outs(%w : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.subf %o, %a : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>

// The old value of what is updated is read where it is.
// CHECK-LABEL: func @old_value
// CHECK-SAME: (%[[X:.*]]: tensor<6xf32>, %[[W:.*]]: tensor<6xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<6xf32>) outs(%[[W]] : tensor<6xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[OUT]], %[[IN]]
// CHECK-NEXT: arith.subf %[[OUT]], %[[P]]
func.func @old_value(%x: tensor<6xf32>, %w: tensor<6xf32>) -> tensor<6xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%w, %x : tensor<6xf32>, tensor<6xf32>) outs(%w : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %y = arith.subf %o, %p : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
