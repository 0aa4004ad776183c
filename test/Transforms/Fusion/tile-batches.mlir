// RUN: flywheel-opt %s --split-input-file --flywheel-tile-batches=min-bytes=0 --canonicalize --cse | FileCheck %s
// RUN: flywheel-opt %s --split-input-file --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64-v4 l2-bytes=1048576" --flywheel-tile-batches --canonicalize --cse | FileCheck %s --check-prefix=SMALL

#lhs = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#rhs = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#out = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#mul = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>

// The consumers of the scores are computed one batch at a time. All scores fit
// the cache: by default they are stored.
// CHECK-LABEL: func @forward
// CHECK-NOT: tensor.empty() : tensor<6x64x64xf32>
// CHECK: %[[OUT:.*]] = scf.forall (%[[I:.*]]) in (6) shared_outs(%[[INTO:.*]] = %{{.*}}) -> (tensor<6x64x8xf32>)
// CHECK: tensor.extract_slice %arg0[%[[I]], 0, 0] [1, 64, 8]
// CHECK: linalg.contract {{.*}} -> tensor<1x64x64xf32>
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}}"parallel", "parallel", "parallel"]
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"]
// CHECK: linalg.generic {{.*}}ins(%[[EXP]], %[[SUM]] :
// CHECK: linalg.contract {{.*}} -> tensor<1x64x8xf32>
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[INTO]][%[[I]], 0, 0] [1, 64, 8]
// CHECK: return %[[OUT]]
// SMALL-LABEL: func @forward
// SMALL-NOT: scf.forall
func.func @forward(%q: tensor<6x64x8xf32>, %k: tensor<6x64x8xf32>, %v: tensor<6x64x8xf32>) -> tensor<6x64x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
  %s = linalg.contract indexing_maps = [#lhs, #rhs, #out] ins(%q, %k : tensor<6x64x8xf32>, tensor<6x64x8xf32>) outs(%z : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
  %x = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<6x64x64xf32>) outs(%e : tensor<6x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<6x64x64xf32>
  %er = tensor.empty() : tensor<6x64xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<6x64xf32>) -> tensor<6x64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<6x64x64xf32>) outs(%zr : tensor<6x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x64xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %sum : tensor<6x64x64xf32>, tensor<6x64xf32>) outs(%e : tensor<6x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x64x64xf32>
  %ey = tensor.empty() : tensor<6x64x8xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<6x64x8xf32>) -> tensor<6x64x8xf32>
  %y = linalg.contract indexing_maps = [#lhs, #mul, #out] ins(%w, %v : tensor<6x64x64xf32>, tensor<6x64x8xf32>) outs(%zy : tensor<6x64x8xf32>) -> tensor<6x64x8xf32>
  return %y : tensor<6x64x8xf32>
}

// -----

#lhs = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#rhs = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#out = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#mul = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// An op that needs a result which depends on the first loop is in a loop of its own,
// which computes the scores once more. The size of the batch is read from the values
// that are left. It is not known: it counts as a large one.
// CHECK-LABEL: func @backward
// CHECK: %[[Y:.*]] = scf.forall (%{{.*}}) in (%{{.*}}) shared_outs(
// CHECK: linalg.contract {{.*}} -> tensor<1x64x64xf32>
// CHECK: math.exp
// CHECK: linalg.contract {{.*}} -> tensor<1x64x8xf32>
// CHECK: scf.forall.in_parallel
// CHECK: %[[T:.*]] = linalg.generic {{.*}}"reduction"{{.*}}ins(%[[Y]] :
// CHECK: scf.forall (%[[J:.*]]) in (%{{.*}}) shared_outs(
// CHECK: tensor.extract_slice %[[Y]][%[[J]], 0, 0] [1, 64, 8]
// CHECK: linalg.generic {{.*}}, %[[T]] :
// CHECK: linalg.contract {{.*}} -> tensor<1x64x64xf32>
// CHECK: math.exp
// CHECK: linalg.contract {{.*}} -> tensor<1x64x8xf32>
// SMALL-LABEL: func @backward
// SMALL: scf.forall
func.func @backward(%q: tensor<?x64x8xf32>, %k: tensor<?x64x8xf32>, %v: tensor<?x64x8xf32>) -> (tensor<?x64x8xf32>, index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %q, %c0 : tensor<?x64x8xf32>
  %e = tensor.empty(%n) : tensor<?x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.contract indexing_maps = [#lhs, #rhs, #out] ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%z : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %size = tensor.dim %s, %c0 : tensor<?x64x64xf32>
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x64x64xf32>) outs(%e : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<?x64x64xf32>
  %ey = tensor.empty(%size) : tensor<?x64x8xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x64x8xf32>) -> tensor<?x64x8xf32>
  %y = linalg.contract indexing_maps = [#lhs, #mul, #out] ins(%w, %v : tensor<?x64x64xf32>, tensor<?x64x8xf32>) outs(%zy : tensor<?x64x8xf32>) -> tensor<?x64x8xf32>
  %et = tensor.empty() : tensor<64x8xf32>
  %zt = linalg.fill ins(%zero : f32) outs(%et : tensor<64x8xf32>) -> tensor<64x8xf32>
  %t = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1, d2) -> (d1, d2)>], iterator_types = ["reduction", "parallel", "parallel"]} ins(%y : tensor<?x64x8xf32>) outs(%zt : tensor<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<64x8xf32>
  %u = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1, d2) -> (d1, d2)>, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %t : tensor<?x64x8xf32>, tensor<64x8xf32>) outs(%ey : tensor<?x64x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x64x8xf32>
  %d = linalg.contract indexing_maps = [#mul, affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d1)>] ins(%w, %u : tensor<?x64x64xf32>, tensor<?x64x8xf32>) outs(%zy : tensor<?x64x8xf32>) -> tensor<?x64x8xf32>
  return %d, %size : tensor<?x64x8xf32>, index
}

// -----

#lhs = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#rhs = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#out = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#mul = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// The weights are a result: they are stored anyway.
// CHECK-LABEL: func @result
// CHECK-NOT: scf.forall
func.func @result(%q: tensor<6x64x8xf32>, %k: tensor<6x64x8xf32>, %v: tensor<6x64x8xf32>) -> (tensor<6x64x8xf32>, tensor<6x64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
  %s = linalg.contract indexing_maps = [#lhs, #rhs, #out] ins(%q, %k : tensor<6x64x8xf32>, tensor<6x64x8xf32>) outs(%z : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<6x64x64xf32>) outs(%e : tensor<6x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<6x64x64xf32>
  %ey = tensor.empty() : tensor<6x64x8xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<6x64x8xf32>) -> tensor<6x64x8xf32>
  %y = linalg.contract indexing_maps = [#lhs, #mul, #out] ins(%w, %v : tensor<6x64x64xf32>, tensor<6x64x8xf32>) outs(%zy : tensor<6x64x8xf32>) -> tensor<6x64x8xf32>
  return %y, %w : tensor<6x64x8xf32>, tensor<6x64x64xf32>
}

// -----

#lhs = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#rhs = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#out = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#mul = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// The body of an op reads an element of another batch of the scores.
// CHECK-LABEL: func @element
// CHECK-NOT: scf.forall
func.func @element(%q: tensor<6x64x8xf32>, %k: tensor<6x64x8xf32>, %v: tensor<6x64x8xf32>) -> tensor<6x64x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<6x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
  %s = linalg.contract indexing_maps = [#lhs, #rhs, #out] ins(%q, %k : tensor<6x64x8xf32>, tensor<6x64x8xf32>) outs(%z : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<6x64x64xf32>) outs(%e : tensor<6x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %f = tensor.extract %s[%c0, %c0, %c0] : tensor<6x64x64xf32>
    %r = arith.subf %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x64x64xf32>
  %ey = tensor.empty() : tensor<6x64x8xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<6x64x8xf32>) -> tensor<6x64x8xf32>
  %y = linalg.contract indexing_maps = [#lhs, #mul, #out] ins(%w, %v : tensor<6x64x64xf32>, tensor<6x64x8xf32>) outs(%zy : tensor<6x64x8xf32>) -> tensor<6x64x8xf32>
  return %y : tensor<6x64x8xf32>
}
