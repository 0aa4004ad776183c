// RUN: flywheel-opt %s --flywheel-widen-i1-tensors --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>

// A mask between two ops is bytes, in each of its shapes.
// CHECK-LABEL: func @mask
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?xi8>
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<?xf32>) outs(%[[E]] : tensor<?xi8>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i8):
// CHECK: %[[B:.*]] = arith.cmpf
// CHECK-NEXT: %[[U:.*]] = arith.extui %[[B]] : i1 to i8
// CHECK-NEXT: linalg.yield %[[U]] : i8
// CHECK: %[[X:.*]] = tensor.expand_shape %[[M]] {{.*}} : tensor<?xi8> into tensor<?x2xi8>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<?x2xi8>, tensor<?x2xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: i8, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: %[[S:.*]] = arith.cmpi ne, %[[A]], %{{.*}} : i8
// CHECK: arith.select %[[S]]
// EXAMPLE: --flywheel-widen-i1-tensors
func.func @mask(%n: index, %m: index, %x: tensor<?xf32>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xi1>
  %f = tensor.empty(%m) : tensor<?x2xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xi1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %c : i1
  } -> tensor<?xi1>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [%m, 2] : tensor<?xi1> into tensor<?x2xi1>
  %2 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%1, %y : tensor<?x2xi1>, tensor<?x2xf32>) outs(%f : tensor<?x2xf32>) {
  ^bb0(%a: i1, %b: f32, %o: f32):
    %c = arith.select %a, %b, %zero : f32
    linalg.yield %c : f32
  } -> tensor<?x2xf32>
  return %2 : tensor<?x2xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>

// A result keeps its type, and so does what another op reads.
// CHECK: #[[$MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @result(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[D:[^:]*]]: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, i1)
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<4xi1>
// CHECK-NEXT: %[[GENERIC:.*]]:2 = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[X]] : tensor<4xf32>) outs(%[[EMPTY]], %[[D]] : tensor<4xi1>, tensor<4xi1>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: i1, %{{.*}}: i1):
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf ogt, %[[ELEMENT]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[CMPF]], %[[CMPF]] : i1, i1
// CHECK-NEXT: } -> (tensor<4xi1>, tensor<4xi1>)
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[X]] : tensor<4xf32>) outs(%[[EMPTY]] : tensor<4xi1>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_4:.*]]: f32, %{{.*}}: i1):
// CHECK-NEXT: %[[CMPF_2:.*]] = arith.cmpf olt, %[[ELEMENT_4]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[CMPF_2]] : i1
// CHECK-NEXT: } -> tensor<4xi1>
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %[[GENERIC_2]][%[[C0]]] : tensor<4xi1>
// CHECK-NEXT: return %[[GENERIC]]#0, %[[GENERIC]]#1, %[[EXTRACT]] : tensor<4xi1>, tensor<4xi1>, i1
func.func @result(%x: tensor<4xf32>, %d: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, i1) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xi1>
  %0:2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e, %d : tensor<4xi1>, tensor<4xi1>) {
  ^bb0(%a: f32, %o: i1, %p: i1):
    %c = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %c, %c : i1, i1
  } -> (tensor<4xi1>, tensor<4xi1>)
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xi1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.cmpf olt, %a, %zero : f32
    linalg.yield %c : i1
  } -> tensor<4xi1>
  %first = tensor.extract %1[%c0] : tensor<4xi1>
  return %0#0, %0#1, %first : tensor<4xi1>, tensor<4xi1>, i1
}

// -----

#map = affine_map<(d0) -> (d0)>
#none = affine_map<() -> ()>

// So do a single one, and what another op starts from.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT: i8
// CHECK: return
func.func @kept(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xi1>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xi1>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xi1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %c : i1
  } -> tensor<4xi1>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%0 : tensor<4xi1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.cmpf une, %a, %zero : f32
    %d = arith.andi %c, %o : i1
    linalg.yield %d : i1
  } -> tensor<4xi1>
  %f = tensor.empty() : tensor<i1>
  %2 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%s : tensor<f32>) outs(%f : tensor<i1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %c : i1
  } -> tensor<i1>
  %g = tensor.empty() : tensor<f32>
  %3 = linalg.generic {indexing_maps = [#none, #none, #none], iterator_types = []}
      ins(%2, %s : tensor<i1>, tensor<f32>) outs(%g : tensor<f32>) {
  ^bb0(%a: i1, %b: f32, %o: f32):
    %c = arith.select %a, %b, %zero : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %1, %3 : tensor<4xi1>, tensor<f32>
}
