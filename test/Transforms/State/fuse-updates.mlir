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

// An op that reads one new value and the other's old one is computed with both.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @reader(
// CHECK-SAME: %[[R:[^:]*]]: tensor<8xf32> {train.result = 0 : i64}, %[[A:[^:]*]]: tensor<8xf32> {{[^%]*}}%[[B:[^:]*]]: tensor<8xf32>
// CHECK: %[[NEW:.*]]:3 = linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[OLDA:.*]]: f32, %[[OLDB:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[NEWA:.*]] = arith.mulf %[[OLDA]], %[[OLDA]]
// CHECK-NEXT: %[[NEWB:.*]] = arith.addf %[[OLDB]], %[[OLDA]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.subf %[[NEWB]], %[[OLDA]]
// CHECK-NEXT: linalg.yield %[[NEWA]], %[[NEWB]], %[[BOTH]]
// CHECK-NOT: linalg.generic
// CHECK: linalg_ext.store %[[NEW]]#2 in %[[R]]
// CHECK: linalg_ext.store %[[NEW]]#0 in %[[A]]
// CHECK: linalg_ext.store %[[NEW]]#1 in %[[B]]
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

// -----

// An op that reads one new value in another order also reads the other's old
// one: it would have to run both before and after the fused op.
#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @reader_elsewhere(
// CHECK-SAME: %[[R:[^:]*]]: tensor<8x8xf32> {train.result = 0 : i64}, %[[A:[^:]*]]: tensor<8x8xf32> {{[^%]*}}%[[B:[^:]*]]: tensor<8x8xf32>
// CHECK: %[[NEWA:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<8x8xf32>)
// CHECK: %[[NEWB:.*]] = linalg.generic {{.*}} ins(%[[B]], %[[A]] : tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK: %[[BOTH:.*]] = linalg.generic {{.*}} ins(%[[NEWB]], %[[A]] : tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK: linalg_ext.store %[[BOTH]] in %[[R]]
// CHECK: linalg_ext.store %[[NEWA]] in %[[A]]
// CHECK: linalg_ext.store %[[NEWB]] in %[[B]]
func.func @reader_elsewhere(%r: tensor<8x8xf32> {train.result = 0 : i64},
                  %a: tensor<8x8xf32> {train.variable = @a, train.reads, train.writes},
                  %b: tensor<8x8xf32> {train.variable = @b, train.reads, train.writes})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %both = linalg.generic {indexing_maps = [#transposed, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%newb, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.subf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %mr = linalg_ext.store %both in %r : tensor<8x8xf32> in tensor<8x8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8x8xf32> in tensor<8x8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8x8xf32> in tensor<8x8xf32>
  return %mr, %ma, %mb : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// LAMB's direction, whose norm is needed before it is taken, reads two new
// values: it is computed with them.
#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @direction(
// CHECK-SAME: %[[G:[^:]*]]: tensor<8xf32>, %[[ZERO:[^:]*]]: tensor<f32>, %[[M:[^:]*]]: tensor<8xf32> {{[^%]*}}%[[V:[^:]*]]: tensor<8xf32> {{[^%]*}}%[[W:[^:]*]]: tensor<8xf32>
// CHECK: %[[NEW:.*]]:3 = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[M]], %[[G]], %[[V]] :
// CHECK: %[[NORM:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[NEW]]#2 : tensor<8xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[W]], %[[NEW]]#2, %[[NORM]] :
// CHECK-NOT: linalg.generic
func.func @direction(%g: tensor<8xf32>, %zero: tensor<f32>,
                     %m: tensor<8xf32> {train.variable = @m, train.reads, train.writes},
                     %v: tensor<8xf32> {train.variable = @v, train.reads, train.writes},
                     %w: tensor<8xf32> {train.variable = @w, train.reads, train.writes})
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %newm = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%m, %g : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newv = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%v, %g : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %direction = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newm, %newv : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.divf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %norm = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%direction : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %neww = linalg.generic {indexing_maps = [#id, #id, #scalar, #id], iterator_types = ["parallel"]}
      ins(%w, %direction, %norm : tensor<8xf32>, tensor<8xf32>, tensor<f32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32, %out: f32):
    %0 = arith.mulf %y, %s : f32
    %1 = arith.subf %x, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %sm = linalg_ext.store %newm in %m : tensor<8xf32> in tensor<8xf32>
  %sv = linalg_ext.store %newv in %v : tensor<8xf32> in tensor<8xf32>
  %sw = linalg_ext.store %neww in %w : tensor<8xf32> in tensor<8xf32>
  return %sm, %sv, %sw : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// One that reads the new value of the other; flywheel-clone-shared-inits gives each a
// place of its own.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @new(
// CHECK: %[[E:.*]] = tensor.empty()
// CHECK: linalg.generic {{.*}} ins(%{{[^,]*}} : {{.*}} outs(%[[E]], %[[E]] :
// CHECK-NOT: linalg.generic
// EXAMPLE: --flywheel-fuse-updates
func.func @new(%a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
               %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%newa : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

// One that reads the old value of the other.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @old(
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT: linalg.generic
func.func @old(%a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
               %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

// A value that was stored in a variable is a version of it as well.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @stored(
// CHECK: %[[STORED:.*]] = linalg_ext.store
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT: linalg.generic
func.func @stored(%g: tensor<8xf32>, %a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                  %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %stored = linalg_ext.store %g in %a : tensor<8xf32> in tensor<8xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%stored, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newa, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %stored : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

// Dimension sizes that are not known may differ.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @dynamic(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<?xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<?xf32>)
func.func @dynamic(%e: tensor<?xf32>, %f: tensor<?xf32>, %a: tensor<?xf32> {train.variable = @a, train.reads, train.writes},
                   %b: tensor<?xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<?xf32>, tensor<?xf32>) {
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newa, %b : tensor<?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %ma = linalg_ext.store %newa in %a : tensor<?xf32> in tensor<?xf32>
  %mb = linalg_ext.store %newb in %b : tensor<?xf32> in tensor<?xf32>
  return %ma, %mb : tensor<?xf32>, tensor<?xf32>
}

// -----

// The other one writes its elements in another order, or is read in another one.
#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @written(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8x8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8x8xf32>)
func.func @written(%a: tensor<8x8xf32> {train.variable = @a, train.reads, train.writes},
                   %b: tensor<8x8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #transposed], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%newa, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8x8xf32> in tensor<8x8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8x8xf32> in tensor<8x8xf32>
  return %ma, %mb : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK-LABEL: func.func @read(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8x8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8x8xf32>)
func.func @read(%a: tensor<8x8xf32> {train.variable = @a, train.reads, train.writes},
                %b: tensor<8x8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %newb = linalg.generic {indexing_maps = [#transposed, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%newa, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8x8xf32> in tensor<8x8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8x8xf32> in tensor<8x8xf32>
  return %ma, %mb : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// One has more elements than the others, which are fused without it.
#id = affine_map<(d0) -> (d0)>
#wide = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @wider(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8x4xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
func.func @wider(%a: tensor<8x4xf32> {train.variable = @a, train.reads, train.writes},
                 %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes},
                 %c: tensor<8xf32> {train.variable = @c, train.reads, train.writes})
    -> (tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %wide = tensor.empty() : tensor<8x4xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#wide, #row, #wide], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<8x4xf32>, tensor<8xf32>) outs(%wide : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%b, %c : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%newb : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8x4xf32> in tensor<8x4xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  %mc = linalg_ext.store %newc in %c : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb, %mc : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// S3: operands of a check are computed before it, the other after it; also if the
// check is in a branch between them.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @checked(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8xf32>)
func.func @checked(%a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                   %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newa, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %e = tensor.extract %newa[%c0] : tensor<8xf32>
  %ok = arith.cmpf olt, %e, %zero : f32
  linalg_ext.check data %ok, "no"
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: func.func @effect(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8xf32>)
// CHECK: linalg_ext.check
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8xf32>)
func.func @effect(%a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                  %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %e = tensor.extract %newa[%c0] : tensor<8xf32>
  %ok = arith.cmpf olt, %e, %zero : f32
  scf.if %ok {
    linalg_ext.check data %ok, "no"
  }
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newa, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

// An op that both use stays outside if one starts from its result, or reads it
// at other indices; they are fused all the same.
#id = affine_map<(d0) -> (d0)>
#reversed = affine_map<(d0) -> (7 - d0)>
// CHECK-LABEL: func.func @started(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT: linalg.generic
func.func @started(%g: tensor<8xf32>, %a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                   %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %shared = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%g : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%shared : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %o : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newa, %shared : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: func.func @turned(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT: linalg.generic
func.func @turned(%g: tensor<8xf32>, %a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                  %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %shared = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%g : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #reversed, #id], iterator_types = ["parallel"]}
      ins(%a, %shared : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newa, %shared : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two results cannot be made in the place of one value.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @place(
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8xf32>)
func.func @place(%a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                 %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %newa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<8xf32>) outs(%a : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %o : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<8xf32>) outs(%a : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %o : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

// One op reads one product: with each it can be computed a tile at a time.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @products(
// CHECK-COUNT-2: linalg.matmul
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8x8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{[^,]*}} : tensor<8x8xf32>)
func.func @products(%g: tensor<8x8xf32>, %a: tensor<8x8xf32> {train.variable = @a, train.reads, train.writes},
                    %b: tensor<8x8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %g : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%p, %g : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8x8xf32> in tensor<8x8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8x8xf32> in tensor<8x8xf32>
  return %ma, %mb : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// An op that only they use may start from a tensor that it reads; and the users
// of the first result come after the fused op, in its order.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @order(
// CHECK-SAME: %[[G:[^:]*]]: tensor<8xf32>, %[[S:[^:]*]]: tensor<8xf32>
// CHECK: %[[NEW:.*]]:3 = linalg.generic {{.*}} outs(%[[S]],
// CHECK: %[[ONE:.*]] = math.exp %[[NEW]]#1
// CHECK-NEXT: %[[TWO:.*]] = math.log %[[ONE]]
// CHECK-NEXT: %[[THREE:.*]] = math.sin %[[TWO]]
// CHECK-NOT: linalg.generic
// CHECK: return %{{.*}}, %{{.*}}, %[[THREE]]
func.func @order(%g: tensor<8xf32>, %s: tensor<8xf32>, %a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                 %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %shared = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%g : tensor<8xf32>) outs(%s : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %o : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %shared : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %one = math.exp %newa : tensor<8xf32>
  %two = math.log %one : tensor<8xf32>
  %three = math.sin %two : tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%newa, %shared : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb, %three : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// The second update captures a number that needs the first: between the two.
// CHECK-LABEL: func @captured_number
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[A]] :
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[SUM]][]
// CHECK: linalg.generic {{.*}} ins(%[[A]], %arg1 :
// CHECK: arith.mulf %{{.*}}, %[[NUMBER]]
func.func @captured_number(%a: tensor<8xf32> {train.writes}, %b: tensor<8xf32> {train.writes}) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%newa : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %number = tensor.extract %sum[] : tensor<f32>
  %newb = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%newa, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %y, %number : f32
    %1 = arith.addf %x, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// One that has a schedule is computed as that says, by itself.
// CHECK-LABEL: func.func @scheduled(
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.loops
// CHECK: linalg.generic
func.func @scheduled(%a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                     %b: tensor<8xf32> {train.variable = @b, train.reads, train.writes})
    -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %newa = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"], codegen.schedule = #codegen.loops}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ma = linalg_ext.store %newa in %a : tensor<8xf32> in tensor<8xf32>
  %newb = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.subf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %mb = linalg_ext.store %newb in %b : tensor<8xf32> in tensor<8xf32>
  return %ma, %mb : tensor<8xf32>, tensor<8xf32>
}
