// RUN: flywheel-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(flywheel-recompute-scores))' | FileCheck %s
// D9: scores of attention are not kept for gradients.

#q = affine_map<(b, t, s, d) -> (b, t, d)>
#k = affine_map<(b, t, s, d) -> (b, s, d)>
#scores = affine_map<(b, t, s, d) -> (b, t, s)>
#all = affine_map<(b, t, s) -> (b, t, s)>
#row = affine_map<(b, t, s) -> (b, t)>
#weights = affine_map<(b, t, d, s) -> (b, t, s)>
#values = affine_map<(b, t, d, s) -> (b, s, d)>
#result = affine_map<(b, t, d, s) -> (b, t, d)>
#columns = affine_map<(b, s, d, t) -> (b, t, s)>
#rows = affine_map<(b, s, d, t) -> (b, t, d)>
#gradient = affine_map<(b, s, d, t) -> (b, s, d)>

// The gradient of the values adds up rows of the weights: these are there once
// more, transposed, of a product whose factors have changed places. The result is
// of the first ones.
// CHECK-DAG: #[[$Q:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$K:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[$TRANSPOSED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1)>
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[QUERIES:[^:]*]]: tensor<?x64x8xf32>, %[[KEYS:[^:]*]]: tensor<?x64x8xf32>, %[[STATS:[^:]*]]: tensor<?x64xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[QUERIES]], %[[KEYS]] :
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[STATS]] :
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[P]], %{{.*}} :
// CHECK: %[[ST:.*]] = linalg.generic {indexing_maps = [#[[$K]], #[[$Q]], #[[$TRANSPOSED]]]{{.*}} ins(%[[KEYS]], %[[QUERIES]] : {{.*}}) outs(%{{.*}} : tensor<?x64x64xf32>) attrs = {codegen.set = 0 : i64}
// CHECK: %[[PT:.*]] = linalg.generic {{.*}} ins(%[[ST]], %[[STATS]] :
// CHECK: %[[DV:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}]{{.*}} ins(%[[PT]], %{{.*}} :
// CHECK: return %[[Y]], %[[DV]]
func.func @attention(%q: tensor<?x64x8xf32>, %k: tensor<?x64x8xf32>, %stats: tensor<?x64xf32>,
                     %v: tensor<?x64x8xf32>, %u: tensor<?x64x8xf32>, %b: index)
    -> (tensor<?x64x8xf32>, tensor<?x64x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%b) : tensor<?x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f : tensor<?x64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %stats : tensor<?x64x64xf32>, tensor<?x64xf32>) outs(%e2 : tensor<?x64x64xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %0 = arith.subf %x, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %e3 = tensor.empty(%b) : tensor<?x64x8xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x64x8xf32>) -> tensor<?x64x8xf32>
  %y = linalg.generic {indexing_maps = [#weights, #values, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x64x64xf32>, tensor<?x64x8xf32>) outs(%f3 : tensor<?x64x8xf32>) {
  ^bb0(%x: f32, %z: f32, %out: f32):
    %0 = arith.mulf %x, %z : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %d = linalg.generic {indexing_maps = [#columns, #rows, #gradient], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %u : tensor<?x64x64xf32>, tensor<?x64x8xf32>) outs(%f3 : tensor<?x64x8xf32>) {
  ^bb0(%x: f32, %z: f32, %out: f32):
    %0 = arith.mulf %x, %z : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  return %y, %d : tensor<?x64x8xf32>, tensor<?x64x8xf32>
}

// -----

#q = affine_map<(b, t, s, d) -> (b, t, d)>
#k = affine_map<(b, t, s, d) -> (b, s, d)>
#scores = affine_map<(b, t, s, d) -> (b, t, s)>
#all = affine_map<(b, t, s) -> (b, t, s)>
#row = affine_map<(b, t, s) -> (b, t)>
#weights = affine_map<(b, t, d, s) -> (b, t, s)>
#values = affine_map<(b, t, d, s) -> (b, s, d)>
#result = affine_map<(b, t, d, s) -> (b, t, d)>
#columns = affine_map<(b, s, d, t) -> (b, t, s)>
#rows = affine_map<(b, s, d, t) -> (b, t, d)>
#gradient = affine_map<(b, s, d, t) -> (b, s, d)>

// So are they where the call chooses the length.
// CHECK-LABEL: func.func @dynamic_length(
// CHECK-COUNT-2: outs(%{{.*}} : tensor<?x?x?xf32>)
// CHECK: outs(%{{.*}} : tensor<?x?x8xf32>)
// CHECK-COUNT-2: outs(%{{.*}} : tensor<?x?x?xf32>) attrs = {codegen.set = 0 : i64}
// CHECK: outs(%{{.*}} : tensor<?x?x8xf32>) attrs = {codegen.set = 0 : i64}
func.func @dynamic_length(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %stats: tensor<?x?xf32>,
                     %v: tensor<?x?x8xf32>, %u: tensor<?x?x8xf32>, %b: index, %t: index)
    -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%b, %t, %t) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x8xf32>, tensor<?x?x8xf32>) outs(%f : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?xf32>
  %e2 = tensor.empty(%b, %t, %t) : tensor<?x?x?xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %stats : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%e2 : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %0 = arith.subf %x, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?xf32>
  %e3 = tensor.empty(%b, %t) : tensor<?x?x8xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %y = linalg.generic {indexing_maps = [#weights, #values, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x8xf32>) outs(%f3 : tensor<?x?x8xf32>) {
  ^bb0(%x: f32, %z: f32, %out: f32):
    %0 = arith.mulf %x, %z : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x8xf32>
  %d = linalg.generic {indexing_maps = [#columns, #rows, #gradient], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %u : tensor<?x?x?xf32>, tensor<?x?x8xf32>) outs(%f3 : tensor<?x?x8xf32>) {
  ^bb0(%x: f32, %z: f32, %out: f32):
    %0 = arith.mulf %x, %z : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x8xf32>
  return %y, %d : tensor<?x?x8xf32>, tensor<?x?x8xf32>
}

// -----

#q = affine_map<(b, t, s, d) -> (b, t, d)>
#k = affine_map<(b, t, s, d) -> (b, s, d)>
#scores = affine_map<(b, t, s, d) -> (b, t, s)>
#all = affine_map<(b, t, s) -> (b, t, s)>
#row = affine_map<(b, t, s) -> (b, t)>
#weights = affine_map<(b, t, d, s) -> (b, t, s)>
#values = affine_map<(b, t, d, s) -> (b, s, d)>
#result = affine_map<(b, t, d, s) -> (b, t, d)>
#columns = affine_map<(b, s, d, t) -> (b, t, s)>
#rows = affine_map<(b, s, d, t) -> (b, t, d)>
#gradient = affine_map<(b, s, d, t) -> (b, s, d)>

// Few rows are kept: most of the device would wait for those that compute them again, and caches have them.
// CHECK-LABEL: func.func @few_rows(
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @few_rows(%q: tensor<8x64x8xf32>, %k: tensor<8x64x8xf32>, %stats: tensor<8x64xf32>,
                     %v: tensor<8x64x8xf32>, %u: tensor<8x64x8xf32>, %b: index)
    -> (tensor<8x64x8xf32>, tensor<8x64x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x64x8xf32>, tensor<8x64x8xf32>) outs(%f : tensor<8x64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x64x64xf32>
  %e2 = tensor.empty() : tensor<8x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %stats : tensor<8x64x64xf32>, tensor<8x64xf32>) outs(%e2 : tensor<8x64x64xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %0 = arith.subf %x, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x64x64xf32>
  %e3 = tensor.empty() : tensor<8x64x8xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %y = linalg.generic {indexing_maps = [#weights, #values, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x64x64xf32>, tensor<8x64x8xf32>) outs(%f3 : tensor<8x64x8xf32>) {
  ^bb0(%x: f32, %z: f32, %out: f32):
    %0 = arith.mulf %x, %z : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x64x8xf32>
  %d = linalg.generic {indexing_maps = [#columns, #rows, #gradient], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %u : tensor<8x64x64xf32>, tensor<8x64x8xf32>) outs(%f3 : tensor<8x64x8xf32>) {
  ^bb0(%x: f32, %z: f32, %out: f32):
    %0 = arith.mulf %x, %z : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x64x8xf32>
  return %y, %d : tensor<8x64x8xf32>, tensor<8x64x8xf32>
}

// -----

// A product that is not larger than its factors is kept.
// CHECK-LABEL: func.func @small(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
func.func @small(%q: tensor<4x8x64xf32>, %k: tensor<4x8x64xf32>, %u: tensor<4x8x64xf32>) -> tensor<4x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, t, s, d) -> (b, t, d)>, affine_map<(b, t, s, d) -> (b, s, d)>, affine_map<(b, t, s, d) -> (b, t, s)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x8x64xf32>, tensor<4x8x64xf32>) outs(%f : tensor<4x8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  %e3 = tensor.empty() : tensor<4x8x64xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<4x8x64xf32>) -> tensor<4x8x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(b, s, d, t) -> (b, t, s)>, affine_map<(b, s, d, t) -> (b, t, d)>, affine_map<(b, s, d, t) -> (b, s, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %u : tensor<4x8x8xf32>, tensor<4x8x64xf32>) outs(%f3 : tensor<4x8x64xf32>) {
  ^bb0(%x: f32, %z: f32, %out: f32):
    %0 = arith.mulf %x, %z : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x64xf32>
  return %d : tensor<4x8x64xf32>
}
