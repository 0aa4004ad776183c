// RUN: flywheel-opt %s --flywheel-fuse-updates --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Each reads what the other overwrites, and both something that only they use:
// one op reads it all before it writes.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[G:[^:]*]]: tensor<8xf32>, %[[A:[^:]*]]: tensor<8xf32>{{[^%]*}}%[[B:[^:]*]]: tensor<8xf32>
// CHECK: %[[NEW:.*]]:2 = linalg.generic {{.*}} ins(%[[A]], %[[G]], %[[B]] : {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[OLDA:.*]]: f32, %[[GRAD:.*]]: f32, %[[OLDB:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SHARED:.*]] = arith.mulf %[[OLDA]], %[[GRAD]]
// CHECK-NEXT: %[[NEWA:.*]] = arith.addf %[[SHARED]], %[[OLDB]]
// CHECK-NEXT: %[[NEWB:.*]] = arith.subf %[[SHARED]], %[[NEWA]]
// CHECK-NEXT: linalg.yield %[[NEWA]], %[[NEWB]]
// CHECK-NOT: linalg.generic
// CHECK: linalg_ext.store %[[NEW]]#0 in %[[A]]
// CHECK: linalg_ext.store %[[NEW]]#1 in %[[B]]
func.func @update(%g: tensor<8xf32>,
                  %a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                  %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes})
    -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %shared = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %g : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%shared, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%shared, %newa : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.subf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

// The second update needs the norm of the first one's result, a whole tensor.
#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
// CHECK: #[[$MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @between(
// CHECK-SAME: %[[G:[^:]*]]: tensor<8xf32>, %[[ZERO:[^:]*]]: tensor<f32>, %[[A:[^:]*]]: tensor<8xf32> {train.reads, train.variable = @a, train.writes}, %[[B:[^:]*]]: tensor<8xf32> {train.reads, train.variable = @b, train.writes}) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[A]], %[[G]] : tensor<8xf32>, tensor<8xf32>) outs(%[[EMPTY]] : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %[[ELEMENT_2:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ELEMENT]], %[[ELEMENT_2]] : f32
// CHECK-NEXT: linalg.yield %[[MULF]] : f32
// CHECK-NEXT: } -> tensor<8xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]]], iterator_types = ["reduction"]} ins(%[[GENERIC]] : tensor<8xf32>) outs(%[[ZERO]] : tensor<f32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_4:.*]]: f32, %[[ELEMENT_5:.*]]: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_4]], %[[ELEMENT_5]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<f32>
// CHECK-NEXT: %[[GENERIC_3:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP1]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[GENERIC]], %[[B]], %[[GENERIC_2]] : tensor<8xf32>, tensor<8xf32>, tensor<f32>) outs(%[[EMPTY]] : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_6:.*]]: f32, %[[ELEMENT_7:.*]]: f32, %[[ELEMENT_8:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[ADDF_2:.*]] = arith.addf %[[ELEMENT_6]], %[[ELEMENT_7]] : f32
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[ADDF_2]], %[[ELEMENT_8]] : f32
// CHECK-NEXT: linalg.yield %[[MULF_2]] : f32
// CHECK-NEXT: } -> tensor<8xf32>
// CHECK-NEXT: %[[MATERIALIZE_IN_DESTINATION:.*]] = linalg_ext.store %[[GENERIC]] in %[[A]] : tensor<8xf32> in tensor<8xf32>
// CHECK-NEXT: %[[MATERIALIZE_IN_DESTINATION_2:.*]] = linalg_ext.store %[[GENERIC_3]] in %[[B]] : tensor<8xf32> in tensor<8xf32>
// CHECK-NEXT: return %[[MATERIALIZE_IN_DESTINATION]], %[[MATERIALIZE_IN_DESTINATION_2]] : tensor<8xf32>, tensor<8xf32>
func.func @between(%g: tensor<8xf32>, %zero: tensor<f32>,
                   %a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                   %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes})
    -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %g : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%newa : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #scalar, #id], iterator_types = ["parallel"]}
      ins(%newa, %b, %sum : tensor<8xf32>, tensor<8xf32>, tensor<f32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

// One reads the old value of the other elsewhere than it is written: together
// they would take a copy that the right order saves.
#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME: %[[A:[^:]*]]: tensor<8x8xf32> {train.reads, train.variable = @a, train.writes}, %[[B:[^:]*]]: tensor<8x8xf32> {train.reads, train.variable = @b, train.writes}) -> (tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8x8xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[A]] : tensor<8x8xf32>) outs(%[[EMPTY]] : tensor<8x8xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ELEMENT]], %[[ELEMENT]] : f32
// CHECK-NEXT: linalg.yield %[[MULF]] : f32
// CHECK-NEXT: } -> tensor<8x8xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[B]], %[[A]] : tensor<8x8xf32>, tensor<8x8xf32>) outs(%[[EMPTY]] : tensor<8x8xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_3:.*]]: f32, %[[ELEMENT_4:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_3]], %[[ELEMENT_4]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<8x8xf32>
// CHECK-NEXT: %[[MATERIALIZE_IN_DESTINATION:.*]] = linalg_ext.store %[[GENERIC]] in %[[A]] : tensor<8x8xf32> in tensor<8x8xf32>
// CHECK-NEXT: %[[MATERIALIZE_IN_DESTINATION_2:.*]] = linalg_ext.store %[[GENERIC_2]] in %[[B]] : tensor<8x8xf32> in tensor<8x8xf32>
// CHECK-NEXT: return %[[MATERIALIZE_IN_DESTINATION]], %[[MATERIALIZE_IN_DESTINATION_2]] : tensor<8x8xf32>, tensor<8x8xf32>
func.func @elsewhere(%a: tensor<8x8xf32> {train.variable = @a, train.reads, train.writes},
                     %b: tensor<8x8xf32> {train.variable = @b, train.reads, train.writes})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8x8xf32> in tensor<8x8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8x8xf32> in tensor<8x8xf32>
  return %ma, %mb : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// What is made of one new value reads the other's old one: it would have to come
// both before and behind the one op.
#id = affine_map<(d0) -> (d0)>
// CHECK: #[[$MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @reader(
// CHECK-SAME: %[[R:[^:]*]]: tensor<8xf32> {train.result = 0 : i64}, %[[A:[^:]*]]: tensor<8xf32> {train.reads, train.variable = @a, train.writes}, %[[B:[^:]*]]: tensor<8xf32> {train.reads, train.variable = @b, train.writes}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[A]] : tensor<8xf32>) outs(%[[EMPTY]] : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ELEMENT]], %[[ELEMENT]] : f32
// CHECK-NEXT: linalg.yield %[[MULF]] : f32
// CHECK-NEXT: } -> tensor<8xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[B]], %[[A]] : tensor<8xf32>, tensor<8xf32>) outs(%[[EMPTY]] : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_3:.*]]: f32, %[[ELEMENT_4:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_3]], %[[ELEMENT_4]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<8xf32>
// CHECK-NEXT: %[[GENERIC_3:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[GENERIC_2]], %[[A]] : tensor<8xf32>, tensor<8xf32>) outs(%[[EMPTY]] : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_6:.*]]: f32, %[[ELEMENT_7:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SUBF:.*]] = arith.subf %[[ELEMENT_6]], %[[ELEMENT_7]] : f32
// CHECK-NEXT: linalg.yield %[[SUBF]] : f32
// CHECK-NEXT: } -> tensor<8xf32>
// CHECK-NEXT: %[[MATERIALIZE_IN_DESTINATION:.*]] = linalg_ext.store %[[GENERIC_3]] in %[[R]] : tensor<8xf32> in tensor<8xf32>
// CHECK-NEXT: %[[MATERIALIZE_IN_DESTINATION_2:.*]] = linalg_ext.store %[[GENERIC]] in %[[A]] : tensor<8xf32> in tensor<8xf32>
// CHECK-NEXT: %[[MATERIALIZE_IN_DESTINATION_3:.*]] = linalg_ext.store %[[GENERIC_2]] in %[[B]] : tensor<8xf32> in tensor<8xf32>
// CHECK-NEXT: return %[[MATERIALIZE_IN_DESTINATION]], %[[MATERIALIZE_IN_DESTINATION_2]], %[[MATERIALIZE_IN_DESTINATION_3]] : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
func.func @reader(%r: tensor<8xf32> {train.result = 0 : i64},
                  %a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                  %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes})
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%b, %a : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %both = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newb, %a : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.subf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %mr = linalg_ext.store %both in %r : tensor<8xf32> in tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %mr, %ma, %mb : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
