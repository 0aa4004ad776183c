// RUN: flywheel-opt %s --flywheel-tile-and-fuse --canonicalize --cse --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// The product is a tile inside the loops of its epilogue: no buffer of its size.
// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %[[X:.*]]: tensor<64x32xf32>, %[[Y:.*]]: tensor<32x128xf32>, %[[W:.*]]: tensor<64x128xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[ALL:.*]] = scf.for %[[J:.*]] = %[[C0]] to %[[C128]] step %[[C32]] iter_args(%[[W1:.*]] = %[[W]])
// CHECK-NEXT: %[[YJ:.*]] = tensor.extract_slice %[[Y]][0, %[[J]]] [32, 32] [1, 1]
// CHECK-NEXT: %[[ROWS:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C64]] step %[[C8]] iter_args(%[[W2:.*]] = %[[W1]])
// CHECK-NEXT: %[[XI:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [8, 32] [1, 1]
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<8x32xf32>
// CHECK-NEXT: %[[F:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]] : tensor<8x32xf32>)
// CHECK-NEXT: %[[G:.*]] = linalg.matmul ins(%[[XI]], %[[YJ]] : tensor<8x32xf32>, tensor<32x32xf32>) outs(%[[F]] : tensor<8x32xf32>)
// CHECK-NEXT: %[[WIJ:.*]] = tensor.extract_slice %[[W2]][%[[I]], %[[J]]] [8, 32] [1, 1]
// CHECK-NEXT: %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[G]] : tensor<8x32xf32>) outs(%[[WIJ]] : tensor<8x32xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: arith.subf %[[B]], %[[A]]
// CHECK: %[[DONE:.*]] = tensor.insert_slice %[[NEW]] into %[[W2]][%[[I]], %[[J]]] [8, 32] [1, 1]
// CHECK-NEXT: scf.yield %[[DONE]]
// CHECK: scf.yield %[[ROWS]]
// CHECK: return %[[ALL]]
func.func @fused(%x: tensor<64x32xf32>, %y: tensor<32x128xf32>, %w: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %g = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x128xf32>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<64x128xf32>) outs(%w : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %b, %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Not where the epilogue overwrites what the product still reads.
// CHECK-LABEL: func.func @overwritten(
// CHECK-SAME: %[[W:.*]]: tensor<64x64xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<64x64xf32>
// CHECK-NEXT: %[[G:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[E]])
// CHECK: %[[ROWS:.*]] = scf.for
// CHECK: linalg.matmul
// CHECK-NOT: linalg.generic
// CHECK: scf.yield %[[ROWS]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[G]] : tensor<64x64xf32>) outs(%[[W]] : tensor<64x64xf32>)
// CHECK: return %[[NEW]]
func.func @overwritten(%w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = linalg.matmul ins(%w, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %b, %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// One op is the epilogue of one product: the other one is computed in front of
// its loops, which read it tile by tile.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:.*]]: tensor<64x32xf32>, %[[Y:.*]]: tensor<32x64xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<64x64xf32>
// CHECK-NEXT: %[[H:.*]] = scf.for %[[J:.*]] = {{.*}} iter_args(%[[H1:.*]] = %[[E]])
// CHECK-NEXT: %[[YJ:.*]] = tensor.extract_slice %[[Y]][0, %[[J]]] [32, 32] [1, 1]
// CHECK-NEXT: %[[HROWS:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[H2:.*]] = %[[H1]])
// CHECK-NEXT: %[[XI:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [8, 32] [1, 1]
// CHECK-NEXT: %[[HIJ:.*]] = tensor.extract_slice %[[H2]][%[[I]], %[[J]]] [8, 32] [1, 1]
// CHECK-NEXT: %[[HF:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[HIJ]] : tensor<8x32xf32>)
// CHECK-NEXT: %[[HP:.*]] = linalg.matmul ins(%[[XI]], %[[YJ]] : {{.*}}) outs(%[[HF]] : tensor<8x32xf32>)
// CHECK-NEXT: %[[HI:.*]] = tensor.insert_slice %[[HP]] into %[[H2]][%[[I]], %[[J]]] [8, 32] [1, 1]
// CHECK-NEXT: scf.yield %[[HI]]
// CHECK: scf.yield %[[HROWS]]
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = {{.*}} iter_args(%[[S1:.*]] = %[[E]])
// CHECK-NEXT: %[[YJ:.*]] = tensor.extract_slice %[[Y]][0, %[[J]]] [32, 32] [1, 1]
// CHECK-NEXT: %[[SROWS:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[S2:.*]] = %[[S1]])
// CHECK-NEXT: %[[XI:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [8, 32] [1, 1]
// CHECK-NEXT: %[[TILE:.*]] = tensor.empty() : tensor<8x32xf32>
// CHECK-NEXT: %[[GF:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[TILE]] : tensor<8x32xf32>)
// CHECK-NEXT: %[[GP:.*]] = linalg.matmul ins(%[[XI]], %[[YJ]] : {{.*}}) outs(%[[GF]] : tensor<8x32xf32>)
// CHECK-NEXT: %[[HIJ:.*]] = tensor.extract_slice %[[H]][%[[I]], %[[J]]] [8, 32] [1, 1]
// CHECK-NEXT: %[[SIJ:.*]] = tensor.extract_slice %[[S2]][%[[I]], %[[J]]] [8, 32] [1, 1]
// CHECK-NEXT: %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[GP]], %[[HIJ]] : {{.*}}) outs(%[[SIJ]] : tensor<8x32xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[AB:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: linalg.yield %[[AB]]
// CHECK: %[[SI:.*]] = tensor.insert_slice %[[NEW]] into %[[S2]][%[[I]], %[[J]]] [8, 32] [1, 1]
// CHECK-NEXT: scf.yield %[[SI]]
// CHECK: scf.yield %[[SROWS]]
// CHECK: return %[[SUM]]
func.func @sum(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %h : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// An empty product stays as it is.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: %[[X:.*]]: tensor<?x0xf32>, %[[Y:.*]]: tensor<0x64xf32>, %[[R:.*]]: tensor<?x64xf32>
// CHECK-NEXT: %[[G:.*]] = linalg.matmul ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[R]] : tensor<?x64xf32>)
// CHECK-NEXT: return %[[G]]
func.func @empty(%x: tensor<?x0xf32>, %y: tensor<0x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %g = linalg.matmul ins(%x, %y : tensor<?x0xf32>, tensor<0x64xf32>) outs(%r : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %g : tensor<?x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// What an epilogue reads of the old value of its destination it reads tile by
// tile, from the destination: a tile of an input would be overwritten already.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[V:[^:]*]]: tensor<64x128xf32>
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x128xf32>
// CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%[[V1:.*]] = %[[V]])
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[V2:.*]] = %[[V1]])
// CHECK: %[[P:.*]] = linalg.matmul
// CHECK-NEXT: %[[VIJ:.*]] = tensor.extract_slice %[[V2]][%[[I]], %[[J]]] [8, 32] [1, 1]
// CHECK-NEXT: linalg.generic {indexing_maps = [#{{[a-z0-9]*}}, #{{[a-z0-9]*}}], {{.*}} ins(%[[P]] : tensor<8x32xf32>) outs(%[[VIJ]] : tensor<8x32xf32>)
// CHECK-NEXT: ^bb0(%[[PRODUCT:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-NEXT: arith.addf %[[OLD]], %[[PRODUCT]]
func.func @accumulate(%v: tensor<64x128xf32>, %x: tensor<64x32xf32>, %y: tensor<32x128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %g = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x128xf32>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v, %g : tensor<64x128xf32>, tensor<64x128xf32>) outs(%v : tensor<64x128xf32>) {
  ^bb0(%old: f32, %a: f32, %b: f32):
    %1 = arith.addf %old, %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>

// The old value of what is updated is read where it is.
// CHECK-LABEL: func @old_value
// CHECK-SAME: (%[[X:.*]]: tensor<6xf32>, %[[W:.*]]: tensor<6xf32>)
// CHECK-NEXT: %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<6xf32>) outs(%[[W]] : tensor<6xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[OUT]], %[[IN]]
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[OUT]], %[[P]]
// CHECK-NEXT: linalg.yield %[[D]]
// CHECK: return %[[NEW]]
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
