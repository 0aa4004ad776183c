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

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Nor where a loop on the way to the epilogue overwrites what the product reads.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @loop_between(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x64xf32>, %[[W:[^:]*]]: tensor<64x64xf32>, %[[N:[^:]*]]: index) -> (tensor<64x64xf32>, tensor<64x32xf32>)
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C32:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<64x64xf32>
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[C64]] step %[[C32]] iter_args(%[[ITER_2:.*]] = %[[EMPTY]]) -> (tensor<64x64xf32>) {
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[Y]][0, %[[ITER]]] [32, 32] [1, 1] : tensor<32x64xf32> to tensor<32x32xf32>
// CHECK-NEXT: %[[FOR_2:.*]] = scf.for %[[ITER_3:.*]] = %[[C0]] to %[[C64]] step %[[C8]] iter_args(%[[ITER_4:.*]] = %[[ITER_2]]) -> (tensor<64x64xf32>) {
// CHECK-NEXT: %[[EXTRACT_SLICE_2:.*]] = tensor.extract_slice %[[X]][%[[ITER_3]], 0] [8, 32] [1, 1] : tensor<64x32xf32> to tensor<8x32xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_3:.*]] = tensor.extract_slice %[[ITER_4]][%[[ITER_3]], %[[ITER]]] [8, 32] [1, 1] : tensor<64x64xf32> to tensor<8x32xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EXTRACT_SLICE_3]] : tensor<8x32xf32>) -> tensor<8x32xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%[[EXTRACT_SLICE_2]], %[[EXTRACT_SLICE]] : tensor<8x32xf32>, tensor<32x32xf32>) outs(%[[FILL]] : tensor<8x32xf32>) -> tensor<8x32xf32>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[MATMUL]] into %[[ITER_4]][%[[ITER_3]], %[[ITER]]] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<64x64xf32>
// CHECK-NEXT: scf.yield %[[INSERT_SLICE]] : tensor<64x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[FOR_2]] : tensor<64x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[FOR_3:.*]] = scf.for %{{.*}} = %[[C0]] to %[[N]] step %[[C1]] iter_args(%[[ITER_6:.*]] = %[[X]]) -> (tensor<64x32xf32>) {
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[ITER_6]] : tensor<64x32xf32>) outs(%[[ITER_6]] : tensor<64x32xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: scf.yield %[[EXP]] : tensor<64x32xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[FOR]] : tensor<64x64xf32>) outs(%[[W]] : tensor<64x64xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %[[ELEMENT_2:.*]]: f32):
// CHECK-NEXT: %[[SUBF:.*]] = arith.subf %[[ELEMENT_2]], %[[ELEMENT]] : f32
// CHECK-NEXT: linalg.yield %[[SUBF]] : f32
// CHECK-NEXT: } -> tensor<64x64xf32>
// CHECK-NEXT: return %[[GENERIC]], %[[FOR_3]] : tensor<64x64xf32>, tensor<64x32xf32>
func.func @loop_between(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>, %w: tensor<64x64xf32>, %n: index) -> (tensor<64x64xf32>, tensor<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<64x32xf32> {
    %s = linalg.exp ins(%a : tensor<64x32xf32>) outs(%a : tensor<64x32xf32>) -> tensor<64x32xf32>
    scf.yield %s : tensor<64x32xf32>
  }
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %b, %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %0, %l : tensor<64x64xf32>, tensor<64x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// What overwrites it behind the epilogue does no harm; of a tensor whose rows
// are far apart, a column of tiles is packed once for all rows.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x2048xf32>, %[[W:[^:]*]]: tensor<64x2048xf32>) -> (tensor<64x2048xf32>, tensor<64x32xf32>)
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C32:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[C2048:.*]] = arith.constant 2048 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[C2048]] step %[[C32]] iter_args(%[[ITER_2:.*]] = %[[W]]) -> (tensor<64x2048xf32>) {
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[Y]][0, %[[ITER]]] [32, 32] [1, 1] : tensor<32x2048xf32> to tensor<32x32xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<32x32xf32>
// CHECK-NEXT: %[[COPY:.*]] = linalg.copy ins(%[[EXTRACT_SLICE]] : tensor<32x32xf32>) outs(%[[EMPTY]] : tensor<32x32xf32>) -> tensor<32x32xf32>
// CHECK-NEXT: %[[FOR_2:.*]] = scf.for %[[ITER_3:.*]] = %[[C0]] to %[[C64]] step %[[C8]] iter_args(%[[ITER_4:.*]] = %[[ITER_2]]) -> (tensor<64x2048xf32>) {
// CHECK-NEXT: %[[EXTRACT_SLICE_2:.*]] = tensor.extract_slice %[[X]][%[[ITER_3]], 0] [8, 32] [1, 1] : tensor<64x32xf32> to tensor<8x32xf32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<8x32xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY_2]] : tensor<8x32xf32>) -> tensor<8x32xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%[[EXTRACT_SLICE_2]], %[[COPY]] : tensor<8x32xf32>, tensor<32x32xf32>) outs(%[[FILL]] : tensor<8x32xf32>) -> tensor<8x32xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_3:.*]] = tensor.extract_slice %[[ITER_4]][%[[ITER_3]], %[[ITER]]] [8, 32] [1, 1] : tensor<64x2048xf32> to tensor<8x32xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[MATMUL]] : tensor<8x32xf32>) outs(%[[EXTRACT_SLICE_3]] : tensor<8x32xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %[[ELEMENT_2:.*]]: f32):
// CHECK-NEXT: %[[SUBF:.*]] = arith.subf %[[ELEMENT_2]], %[[ELEMENT]] : f32
// CHECK-NEXT: linalg.yield %[[SUBF]] : f32
// CHECK-NEXT: } -> tensor<8x32xf32>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[GENERIC]] into %[[ITER_4]][%[[ITER_3]], %[[ITER]]] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<64x2048xf32>
// CHECK-NEXT: scf.yield %[[INSERT_SLICE]] : tensor<64x2048xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[FOR_2]] : tensor<64x2048xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<64x32xf32>) outs(%[[X]] : tensor<64x32xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: return %[[FOR]], %[[EXP]] : tensor<64x2048xf32>, tensor<64x32xf32>
func.func @packed(%x: tensor<64x32xf32>, %y: tensor<32x2048xf32>, %w: tensor<64x2048xf32>) -> (tensor<64x2048xf32>, tensor<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x2048xf32>) -> tensor<64x2048xf32>
  %g = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x2048xf32>) outs(%f : tensor<64x2048xf32>) -> tensor<64x2048xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<64x2048xf32>) outs(%w : tensor<64x2048xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %b, %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x2048xf32>
  %s = linalg.exp ins(%x : tensor<64x32xf32>) outs(%x : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0, %s : tensor<64x2048xf32>, tensor<64x32xf32>
}

// -----

// Not where only two rows of tiles would share the copy.
// CHECK-LABEL: func.func @few_rows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x32xf32>, %[[Y:[^:]*]]: tensor<32x2048xf32>, %[[W:[^:]*]]: tensor<16x2048xf32>) -> tensor<16x2048xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C2048:.*]] = arith.constant 2048 : index
// CHECK-NEXT: %[[C16:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[C32:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[C2048]] step %[[C32]] iter_args(%[[ITER_2:.*]] = %[[W]]) -> (tensor<16x2048xf32>) {
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[Y]][0, %[[ITER]]] [32, 32] [1, 1] : tensor<32x2048xf32> to tensor<32x32xf32>
// CHECK-NEXT: %[[FOR_2:.*]] = scf.for %[[ITER_3:.*]] = %[[C0]] to %[[C16]] step %[[C8]] iter_args(%[[ITER_4:.*]] = %[[ITER_2]]) -> (tensor<16x2048xf32>) {
// CHECK-NEXT: %[[EXTRACT_SLICE_2:.*]] = tensor.extract_slice %[[X]][%[[ITER_3]], 0] [8, 32] [1, 1] : tensor<16x32xf32> to tensor<8x32xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_3:.*]] = tensor.extract_slice %[[ITER_4]][%[[ITER_3]], %[[ITER]]] [8, 32] [1, 1] : tensor<16x2048xf32> to tensor<8x32xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%[[EXTRACT_SLICE_2]], %[[EXTRACT_SLICE]] : tensor<8x32xf32>, tensor<32x32xf32>) outs(%[[EXTRACT_SLICE_3]] : tensor<8x32xf32>) -> tensor<8x32xf32>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[MATMUL]] into %[[ITER_4]][%[[ITER_3]], %[[ITER]]] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<16x2048xf32>
// CHECK-NEXT: scf.yield %[[INSERT_SLICE]] : tensor<16x2048xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[FOR_2]] : tensor<16x2048xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : tensor<16x2048xf32>
func.func @few_rows(%x: tensor<16x32xf32>, %y: tensor<32x2048xf32>, %w: tensor<16x2048xf32>) -> tensor<16x2048xf32> {
  %g = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x2048xf32>) outs(%w : tensor<16x2048xf32>) -> tensor<16x2048xf32>
  return %g : tensor<16x2048xf32>
}

// -----

#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// A weight that the product narrows is narrowed a tile at a time, in front of
// the kernel.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @narrowed(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xbf16>, %[[W:[^:]*]]: tensor<32x64xf32>, %[[Y:[^:]*]]: tensor<64x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<32x64xbf16>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[W]] : tensor<32x64xf32>) outs(%[[EMPTY]] : tensor<32x64xbf16>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: bf16):
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[ELEMENT]] : f32 to bf16
// CHECK-NEXT: linalg.yield %[[TRUNCF]] : bf16
// CHECK-NEXT: } -> tensor<32x64xbf16>
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[C64]] step %[[C8]] iter_args(%[[ITER_2:.*]] = %[[Y]]) -> (tensor<64x64xbf16>) {
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[X]][%[[ITER]], 0] [8, 32] [1, 1] : tensor<64x32xbf16> to tensor<8x32xbf16>
// CHECK-NEXT: %[[EXTRACT_SLICE_2:.*]] = tensor.extract_slice %[[ITER_2]][%[[ITER]], 0] [8, 64] [1, 1] : tensor<64x64xbf16> to tensor<8x64xbf16>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[EXTRACT_SLICE]], %[[GENERIC]] : tensor<8x32xbf16>, tensor<32x64xbf16>) outs(%[[EXTRACT_SLICE_2]] : tensor<8x64xbf16>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_3:.*]]: bf16, %[[ELEMENT_4:.*]]: bf16, %[[ELEMENT_5:.*]]: bf16):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ELEMENT_3]], %[[ELEMENT_4]] : bf16
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_5]], %[[MULF]] : bf16
// CHECK-NEXT: linalg.yield %[[ADDF]] : bf16
// CHECK-NEXT: } -> tensor<8x64xbf16>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[GENERIC_2]] into %[[ITER_2]][%[[ITER]], 0] [8, 64] [1, 1] : tensor<8x64xbf16> into tensor<64x64xbf16>
// CHECK-NEXT: scf.yield %[[INSERT_SLICE]] : tensor<64x64xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : tensor<64x64xbf16>
func.func @narrowed(%x: tensor<64x32xbf16>, %w: tensor<32x64xf32>, %y: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x32xbf16>, tensor<32x64xf32>) outs(%y : tensor<64x64xbf16>) {
  ^bb0(%a: bf16, %b: f32, %c: bf16):
    %narrow = arith.truncf %b : f32 to bf16
    %p = arith.mulf %a, %narrow : bf16
    %s = arith.addf %c, %p : bf16
    linalg.yield %s : bf16
  } -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
