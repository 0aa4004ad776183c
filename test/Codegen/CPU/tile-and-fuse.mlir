// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-tile-and-fuse --canonicalize --cse --split-input-file | FileCheck %s

// Ops that are tiled are not tiled again.
// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-tile-and-fuse --split-input-file > %t.once
// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-tile-and-fuse --flywheel-tile-and-fuse --split-input-file | diff %t.once -

#id = affine_map<(d0, d1) -> (d0, d1)>

// The product is a tile inside the loops of its epilogue: no buffer of its size.
// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x128xf32>, %[[W:[^:]*]]: tensor<64x128xf32>) -> tensor<64x128xf32>
// CHECK-NOT: tensor.empty() : tensor<64x128xf32>
// CHECK: %[[TILES:.*]] = scf.forall (%[[J:.*]]) = (0) to (128) step (32) shared_outs(%{{.*}} = %[[W]])
// CHECK: scf.forall (%[[I:.*]]) = (0) to (64) step (8)
// CHECK: %[[PRODUCT:.*]] = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32]>}
// CHECK-SAME: -> tensor<8x32xf32>
// CHECK: %[[OLD:.*]] = tensor.extract_slice %{{.*}}[%[[I]], 0] [8, 32]
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]] : tensor<8x32xf32>) outs(%[[OLD]] : tensor<8x32xf32>)
// CHECK: return %[[TILES]]
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
// CHECK-SAME: %[[W:[^:]*]]: tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: %[[TILES:.*]] = scf.forall
// CHECK: scf.forall
// CHECK: linalg.matmul
// CHECK-NOT: linalg.generic
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}} : tensor<64x32xf32> into tensor<64x64xf32>
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[TILES]] : tensor<64x64xf32>) outs(%[[W]] : tensor<64x64xf32>)
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

// One op is the epilogue of one product: the other one is computed before
// its loops, which read it tile by tile.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x64xf32>) -> tensor<64x64xf32>
// CHECK: %[[OTHER:.*]] = scf.forall
// CHECK: linalg.matmul
// CHECK-NOT: linalg.generic
// CHECK: %[[TILES:.*]] = scf.forall
// CHECK: %[[COLUMN:.*]] = tensor.extract_slice %[[OTHER]]
// CHECK: %[[PRODUCT:.*]] = linalg.matmul
// CHECK: %[[TERM:.*]] = tensor.extract_slice %[[COLUMN]]
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]], %[[TERM]] : tensor<8x32xf32>, tensor<8x32xf32>)
// CHECK: return %[[TILES]]
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
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x0xf32>, %[[Y:[^:]*]]: tensor<0x64xf32>, %[[R:[^:]*]]: tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK-NEXT: %[[PRODUCT:.*]] = linalg.matmul {codegen.schedule = #codegen.fma<{{.*}}>} ins(%[[X]], %[[Y]] : tensor<?x0xf32>, tensor<0x64xf32>) outs(%[[R]] : tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK-NEXT: return %[[PRODUCT]] : tensor<?x64xf32>
func.func @empty(%x: tensor<?x0xf32>, %y: tensor<0x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %g = linalg.matmul ins(%x, %y : tensor<?x0xf32>, tensor<0x64xf32>) outs(%r : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %g : tensor<?x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// An epilogue that reads the old value of its destination reads it tile by
// tile, from the destination: a tile of an input would be overwritten already.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[V:[^:]*]]: tensor<64x128xf32>, %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x128xf32>) -> tensor<64x128xf32>
// CHECK: scf.forall {{.*}} shared_outs(%[[COLUMN:.*]] = %[[V]])
// CHECK: %[[OLDS:.*]] = tensor.extract_slice %[[COLUMN]]
// CHECK: scf.forall {{.*}} shared_outs(%[[OUT:.*]] = %[[OLDS]])
// CHECK: %[[PRODUCT:.*]] = linalg.matmul
// CHECK: %[[OLD:.*]] = tensor.extract_slice %[[OUT]]
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]] : tensor<8x32xf32>) outs(%[[OLD]] : tensor<8x32xf32>)
// CHECK-NEXT: ^bb0(%[[TERM:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: arith.addf %[[B]], %[[TERM]] : f32
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
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @old_value(
// CHECK-SAME: %[[X:[^:]*]]: tensor<6xf32>, %[[W:[^:]*]]: tensor<6xf32>) -> tensor<6xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[X]] : tensor<6xf32>) outs(%[[W]] : tensor<6xf32>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[E_2:.*]]: f32):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[E_2]], %[[E]] : f32
// CHECK-NEXT: %[[SUBF:.*]] = arith.subf %[[E_2]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[SUBF]] : f32
// CHECK-NEXT: } -> tensor<6xf32>
// CHECK-NEXT: return %[[GENERIC]] : tensor<6xf32>
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
// CHECK-LABEL: func.func @loop_between(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x64xf32>, %[[W:[^:]*]]: tensor<64x64xf32>, %[[N:[^:]*]]: index) -> (tensor<64x64xf32>, tensor<64x32xf32>)
// CHECK: %[[TILES:.*]] = scf.forall
// CHECK-NOT: linalg.generic
// CHECK: scf.for
// CHECK: linalg.exp
// CHECK: linalg.generic {{.*}} ins(%[[TILES]] : tensor<64x64xf32>) outs(%[[W]] : tensor<64x64xf32>)
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

// Overwriting the input after the epilogue is allowed; a tensor whose rows are
// far apart is packed once for all rows, a column of tiles at a time.
// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x2048xf32>, %[[W:[^:]*]]: tensor<64x2048xf32>) -> (tensor<64x2048xf32>, tensor<64x32xf32>)
// CHECK: scf.forall (%[[J:.*]]) = (0) to (2048) step (32)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[Y]][0, %[[J]]] [32, 32]
// CHECK: %[[PANEL:.*]] = linalg.copy {codegen.panel} ins(%[[PART]] : tensor<32x32xf32>)
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (8)
// CHECK: %[[PRODUCT:.*]] = linalg.matmul {{.*}} ins(%{{.*}}, %[[PANEL]] : tensor<8x32xf32>, tensor<32x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]]
// CHECK: linalg.exp ins(%[[X]]
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
// CHECK: scf.forall
// CHECK-NOT: linalg.copy
// CHECK: scf.forall (%{{.*}}) = (0) to (16) step (8)
// CHECK: linalg.matmul
// EXAMPLE: --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules
func.func @few_rows(%x: tensor<16x32xf32>, %y: tensor<32x2048xf32>, %w: tensor<16x2048xf32>) -> tensor<16x2048xf32> {
  %g = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x2048xf32>) outs(%w : tensor<16x2048xf32>) -> tensor<16x2048xf32>
  return %g : tensor<16x2048xf32>
}

// -----

#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// A weight that the product narrows is narrowed a panel at a time, for all rows
// of tiles, before the kernel, and widened again there; tiles of the left
// side are widened one by one.
// CHECK-LABEL: func.func @narrowed(
// CHECK-SAME: %[[X:[^:]*]]: tensor<128x32xbf16>, %[[W:[^:]*]]: tensor<32x64xf32>, %[[Y:[^:]*]]: tensor<128x64xf32>) -> tensor<128x64xf32>
// CHECK: scf.forall (%[[J:.*]]) = (0) to (64) step (32)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[W]][0, %[[J]]] [32, 32]
// CHECK: %[[PANEL:.*]] = linalg.generic {{.*}} ins(%[[PART]] : tensor<32x32xf32>) outs(%{{.*}} : tensor<32x32xbf16>)
// CHECK: arith.truncf
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[PANEL]] : tensor<32x32xbf16>) outs(%{{.*}} : tensor<32x32xf32>)
// CHECK: arith.extf
// CHECK: scf.forall (%{{.*}}) = (0) to (128) step (8)
// CHECK: %[[LEFT:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x32xbf16>) outs(%{{.*}} : tensor<8x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[LEFT]], %[[WIDE]] : tensor<8x32xf32>, tensor<32x32xf32>)
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @narrowed(%x: tensor<128x32xbf16>, %w: tensor<32x64xf32>, %y: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<128x32xbf16>, tensor<32x64xf32>) outs(%y : tensor<128x64xf32>) {
  ^bb0(%a: bf16, %b: f32, %c: f32):
    %narrow = arith.truncf %b : f32 to bf16
    %wide_a = arith.extf %a : bf16 to f32
    %wide_b = arith.extf %narrow : bf16 to f32
    %p = arith.mulf %wide_a, %wide_b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// -----

#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// The op that narrows the left side is computed for each tile: no two tiles of
// one column share it.
// CHECK-LABEL: func.func @narrowed_left(
// CHECK-SAME: %[[X:[^:]*]]: tensor<128x32xf32>, %[[W:[^:]*]]: tensor<32x64xbf16>, %[[Y:[^:]*]]: tensor<128x64xf32>) -> tensor<128x64xf32>
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (32)
// CHECK-NOT: arith.truncf
// CHECK: scf.forall (%[[I:.*]]) = (0) to (128) step (8)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [8, 32]
// CHECK: %[[NARROW:.*]] = linalg.generic {{.*}} ins(%[[PART]] : tensor<8x32xf32>) outs(%{{.*}} : tensor<8x32xbf16>)
// CHECK: arith.truncf
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[NARROW]] : tensor<8x32xbf16>) outs(%{{.*}} : tensor<8x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[WIDE]], %{{.*}} : tensor<8x32xf32>, tensor<32x32xf32>)
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @narrowed_left(%x: tensor<128x32xf32>, %w: tensor<32x64xbf16>, %y: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<128x32xf32>, tensor<32x64xbf16>) outs(%y : tensor<128x64xf32>) {
  ^bb0(%a: f32, %b: bf16, %c: f32):
    %narrow = arith.truncf %a : f32 to bf16
    %wide_a = arith.extf %narrow : bf16 to f32
    %wide_b = arith.extf %b : bf16 to f32
    %p = arith.mulf %wide_a, %wide_b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// -----

#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// V3: a panel of a long reduction with few columns stays narrow: widened, it
// would be as large as both inputs. Tiles of the left side are small.
// CHECK-LABEL: func.func @long(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x1024xbf16>, %[[W:[^:]*]]: tensor<1024x64xbf16>
// CHECK: scf.forall (%[[J:.*]]) = (0) to (64) step (32)
// CHECK: %[[PANEL:.*]] = tensor.extract_slice %[[W]][0, %[[J]]] [1024, 32]
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (8)
// CHECK: %[[LEFT:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x1024xbf16>) outs(%{{.*}} : tensor<8x1024xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[LEFT]], %[[PANEL]] : tensor<8x1024xf32>, tensor<1024x32xbf16>)
func.func @long(%x: tensor<64x1024xbf16>, %w: tensor<1024x64xbf16>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x1024xbf16>, tensor<1024x64xbf16>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %wide_a = arith.extf %a : bf16 to f32
    %wide_b = arith.extf %b : bf16 to f32
    %p = arith.mulf %wide_a, %wide_b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// Sums of narrow numbers have no kernel: the product stays whole.
// CHECK-LABEL: func.func @narrow_sums(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xbf16>, %[[W:[^:]*]]: tensor<32x64xbf16>, %[[Y:[^:]*]]: tensor<64x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT: %[[PRODUCT:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%[[Y]] : tensor<64x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT: return %[[PRODUCT]] : tensor<64x64xbf16>
func.func @narrow_sums(%x: tensor<64x32xbf16>, %w: tensor<32x64xbf16>, %y: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = linalg.matmul ins(%x, %w : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%y : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// -----

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// A convolution and its activation are computed row of the image by row, so that
// no more than one row of the sums is in memory.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x30x30x16xf32>, %[[F:[^:]*]]: tensor<3x3x16x32xf32>, %[[Y:[^:]*]]: tensor<2x28x28x32xf32>) -> tensor<2x28x28x32xf32>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[TILES:.*]] = scf.forall (%[[I:[a-z0-9]+]], %[[I_2:[a-z0-9]+]]) in (2, 28) shared_outs(%[[OUT:.*]] = %[[Y]]) -> (tensor<2x28x28x32xf32>) {
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[I_2]], 0, 0] [1, 3, 30, 16] [1, 1, 1, 1] : tensor<2x30x30x16xf32> to tensor<1x3x30x16xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<1x1x28x32xf32>
// CHECK-NEXT: %[[FILLED:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]] : tensor<1x1x28x32xf32>) -> tensor<1x1x28x32xf32>
// CHECK-NEXT: %[[CONV_2D_NHWC_HWCF:.*]] = linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<{{.*}}>} ins(%[[PART]], %[[F]] : tensor<1x3x30x16xf32>, tensor<3x3x16x32xf32>) outs(%[[FILLED]] : tensor<1x1x28x32xf32>) -> tensor<1x1x28x32xf32>
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[OUT]][%[[I]], %[[I_2]], 0, 0] [1, 1, 28, 32] [1, 1, 1, 1] : tensor<2x28x28x32xf32> to tensor<1x1x28x32xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[CONV_2D_NHWC_HWCF]] : tensor<1x1x28x32xf32>) outs(%[[PART_2]] : tensor<1x1x28x32xf32>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[E_2:.*]]: f32):
// CHECK-NEXT: %[[MAXIMUMF:.*]] = arith.maximumf %[[E]], %[[ZERO]] : f32
// CHECK-NEXT: linalg.yield %[[MAXIMUMF]] : f32
// CHECK-NEXT: } -> tensor<1x1x28x32xf32>
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[GENERIC]] into %[[OUT]][%[[I]], %[[I_2]], 0, 0] [1, 1, 28, 32] [1, 1, 1, 1] : tensor<1x1x28x32xf32> into tensor<2x28x28x32xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return %[[TILES]] : tensor<2x28x28x32xf32>
func.func @convolution(%x: tensor<2x30x30x16xf32>, %f: tensor<3x3x16x32xf32>, %y: tensor<2x28x28x32xf32>) -> tensor<2x28x28x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x28x28x32xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x28x28x32xf32>) -> tensor<2x28x28x32xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<2x30x30x16xf32>, tensor<3x3x16x32xf32>) outs(%0 : tensor<2x28x28x32xf32>) -> tensor<2x28x28x32xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1 : tensor<2x28x28x32xf32>) outs(%y : tensor<2x28x28x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %3 = arith.maximumf %a, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<2x28x28x32xf32>
  return %2 : tensor<2x28x28x32xf32>
}

// -----

#lhs = affine_map<(b, m, n, k) -> (b, m, k)>
#rhs = affine_map<(b, m, n, k) -> (b, n, k)>
#out = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// For each batch, 32 rows of a transposed right side at a time are packed into a
// panel, which all rows of tiles read. The scale of the result is computed with
// it.
// F7: the op that reads the panel is still the one that was counted.
// CHECK-LABEL: func.func @batched(
// CHECK-SAME: %[[Q:[^:]*]]: tensor<4x64x16xf32>, %[[K:[^:]*]]: tensor<4x64x16xf32>, %[[S:[^:]*]]: tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
// CHECK: scf.forall (%[[B:.*]], %[[J:.*]]) = (0, 0) to (4, 64) step (1, 32)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[K]][%[[B]], %[[J]], 0] [1, 32, 16]
// CHECK: %[[PANEL:.*]] = linalg.transpose ins(%[[PART]] : tensor<1x32x16xf32>) {{.*}} permutation = [0, 2, 1]
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (8)
// CHECK: %[[PRODUCT:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[PANEL]] : tensor<1x8x16xf32>, tensor<1x16x32xf32>){{.*}}codegen.schedule = #codegen.fma<tiles = [], rows = [1], columns = 2, registers = [8, 32]>, codegen.work = 5 : i64
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]] : tensor<1x8x32xf32>)
// CHECK: arith.mulf
func.func @batched(%q: tensor<4x64x16xf32>, %k: tensor<4x64x16xf32>, %s: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<4x64x64xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %1 = linalg.batch_matmul indexing_maps = [#lhs, #rhs, #out] {codegen.work = 5 : i64}
      ins(%q, %k : tensor<4x64x16xf32>, tensor<4x64x16xf32>) outs(%0 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1 : tensor<4x64x64xf32>) outs(%s : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %3 = arith.mulf %a, %scale : f32
    linalg.yield %3 : f32
  } -> tensor<4x64x64xf32>
  return %2 : tensor<4x64x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A person's schedule is obeyed: other tiles, one level of them. The last tiles
// of 48 rows and of 40 columns are partial.
// CHECK-DAG: #[[$COLUMNS:.*]] = affine_map<(d0) -> (-d0 + 128, 40)>
// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0) -> (-d0 + 64, 48)>
// CHECK-LABEL: func.func @given(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x128xf32>, %[[W:[^:]*]]: tensor<64x128xf32>) -> tensor<64x128xf32>
// CHECK: scf.forall (%[[J:.*]], %[[I:.*]]) = (0, 0) to (128, 64) step (40, 48)
// CHECK-DAG: %[[COLUMNS:.*]] = affine.min #[[$COLUMNS]](%[[J]])
// CHECK-DAG: %[[ROWS:.*]] = affine.min #[[$ROWS]](%[[I]])
// CHECK: %[[PRODUCT:.*]] = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4, 16]>}
// CHECK: tensor.extract_slice %{{.*}}[%[[I]], %[[J]]] [%[[ROWS]], %[[COLUMNS]]]
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]] : tensor<?x?xf32>)
func.func @given(%x: tensor<64x32xf32>, %y: tensor<32x128xf32>, %w: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %g = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[48, 40, 0]], rows = [0], columns = 1, registers = [4, 16]>}
      ins(%x, %y : tensor<64x32xf32>, tensor<32x128xf32>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<64x128xf32>) outs(%w : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %b, %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// A schedule on the epilogue, or on the fill, is not that of the contraction.
// CHECK-LABEL: func.func @scheduled_neighbours(
// CHECK: scf.forall
// CHECK: linalg.fill {codegen.schedule = #codegen.loops}
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.loops
// CHECK: tensor.parallel_insert_slice
func.func @scheduled_neighbours(%x: tensor<64x32xf32>, %y: tensor<32x128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill {codegen.schedule = #codegen.loops} ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %g = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x128xf32>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"], codegen.schedule = #codegen.loops}
      ins(%g : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// A tile of rows does not read one slice of these: the op is after the tiles.
// CHECK-LABEL: func.func @rows_modulo(
// CHECK: scf.forall
// CHECK: tensor.parallel_insert_slice
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %arg2 : tensor<64x128xf32>, tensor<5x128xf32>)
func.func @rows_modulo(%x: tensor<64x32xf32>, %y: tensor<32x128xf32>, %w: tensor<5x128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %g = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x128xf32>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i mod 5, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%g, %w : tensor<64x128xf32>, tensor<5x128xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.subf %q, %p : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// Nor of a contraction that runs backwards along an operand: it has no tiles.
// CHECK-LABEL: func.func @backwards(
// CHECK-NOT: scf.forall
// CHECK: return
func.func @backwards(%x: tensor<66xf32>, %y: tensor<3x128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m - k + 2)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<66xf32>, tensor<3x128xf32>) outs(%f : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  return %g : tensor<64x128xf32>
}

// -----

// Unrolled rows are those of a tile: of 32 x 32 no kernel could be made.
// CHECK-LABEL: func.func @rows_of_tile(
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (2, 32, 32) step (1, 2, 4)
// CHECK: linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<tiles = [], rows = [1, 2], columns = 3, registers = [8, 16]>}
// CHECK-SAME: -> tensor<1x2x4x16xf32>
func.func @rows_of_tile(%x: tensor<2x34x34x4xf32>, %f: tensor<3x3x4x16xf32>, %y: tensor<2x32x32x16xf32>) -> tensor<2x32x32x16xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<tiles = [[1, 2, 4, 0, 0, 0, 0]], rows = [1, 2], columns = 3, registers = [8, 16]>}
      ins(%x, %f : tensor<2x34x34x4xf32>, tensor<3x3x4x16xf32>) outs(%y : tensor<2x32x32x16xf32>) -> tensor<2x32x32x16xf32>
  return %0 : tensor<2x32x32x16xf32>
}

// -----

// A panel of all columns is copied as the schedule asks.
// CHECK-LABEL: func.func @whole_panel(
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x32xf32>, %[[W:[^:]*]]: tensor<32x64xf32>
// CHECK: %[[PANEL:.*]] = linalg.copy {codegen.panel} ins(%[[W]] : tensor<32x64xf32>)
// CHECK: scf.forall (%{{.*}}) = (0) to (16) step (8)
// CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %[[PANEL]] : tensor<8x32xf32>, tensor<32x64xf32>)
// EXAMPLE: --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-tile-and-fuse --canonicalize --cse
func.func @whole_panel(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %y: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 0, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], pack = true>}
      ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%y : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// L14: An epilogue that keeps a triangle is in the tiles, and those outside of it are not computed: the
// first column is at most the last row, shifted by 2.
// CHECK: #[[$BEHIND:.*]] = affine_map<()[s0] -> (s0 + 10)>
// CHECK-LABEL: func.func @lower(
// CHECK: scf.forall (%[[J:.*]]) = (0) to (128) step (32)
// CHECK: scf.forall (%[[I:.*]]) = (0) to (128) step (8)
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<8x32xf32>
// CHECK: %[[END:.*]] = affine.apply #[[$BEHIND]]()[%[[I]]]
// CHECK: %[[KEPT:.*]] = arith.cmpi slt, %[[J]], %[[END]] : index
// CHECK: %[[PRODUCT:.*]] = scf.if %[[KEPT]] -> (tensor<8x32xf32>) {
// CHECK:   linalg.fill
// CHECK:   linalg.matmul
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[EMPTY]] : tensor<8x32xf32>
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]] : tensor<8x32xf32>)
func.func @lower(%x: tensor<128x64xf32>, %y: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %g = linalg.matmul ins(%x, %y : tensor<128x64xf32>, tensor<64x128xf32>) outs(%f : tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<128x128xf32>) outs(%w : tensor<128x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %edge = arith.addi %i, %c3 : index
    %column = arith.addi %j, %c1 : index
    %kept = arith.cmpi sle, %column, %edge : index
    %sum = arith.addf %a, %b : f32
    %1 = arith.select %kept, %sum, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The other triangle, by the other operand of a select.
// CHECK: #[[$BEHIND:.*]] = affine_map<()[s0] -> (s0 + 32)>
// CHECK-LABEL: func.func @upper(
// CHECK: scf.forall (%[[J:.*]]) = (0) to (128) step (32)
// CHECK: scf.forall (%[[I:.*]]) = (0) to (128) step (8)
// CHECK: %[[END:.*]] = affine.apply #[[$BEHIND]]()[%[[J]]]
// CHECK: %[[KEPT:.*]] = arith.cmpi slt, %[[I]], %[[END]] : index
// CHECK: scf.if %[[KEPT]]
func.func @upper(%x: tensor<128x64xf32>, %y: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %g = linalg.matmul ins(%x, %y : tensor<128x64xf32>, tensor<64x128xf32>) outs(%f : tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<128x128xf32>) outs(%w : tensor<128x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %dropped = arith.cmpi slt, %j, %i : index
    %1 = arith.select %dropped, %b, %a : f32
    linalg.yield %1 : f32
  } -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Elements above the diagonal are used as well: all tiles are computed. The epilogue depends
// on the position of an element, and is after them.
// CHECK-LABEL: func.func @all(
// CHECK: scf.forall
// CHECK-NOT: scf.if
// CHECK: linalg.matmul
// CHECK-NOT: linalg.generic
// CHECK: tensor.parallel_insert_slice
// CHECK: tensor.parallel_insert_slice
// CHECK: linalg.generic
func.func @all(%x: tensor<128x64xf32>, %y: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %g = linalg.matmul ins(%x, %y : tensor<128x64xf32>, tensor<64x128xf32>) outs(%f : tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<128x128xf32>) outs(%w : tensor<128x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %kept = arith.cmpi sle, %j, %i : index
    %half = arith.mulf %a, %b : f32
    %1 = arith.select %kept, %a, %half : f32
    linalg.yield %1 : f32
  } -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// A short reduction: a tile costs less than an epilogue that is not in the loops of what follows.
// CHECK-LABEL: func.func @short(
// CHECK: scf.forall
// CHECK: linalg.batch_matmul
// CHECK-NOT: linalg.generic
// CHECK: tensor.parallel_insert_slice
// CHECK: linalg.generic
// CHECK: return
func.func @short(%x: tensor<4x64x16xf32>, %y: tensor<4x16x64xf32>, %w: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %g = linalg.batch_matmul ins(%x, %y : tensor<4x64x16xf32>, tensor<4x16x64xf32>) outs(%f : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g : tensor<4x64x64xf32>) outs(%w : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %kept = arith.cmpi sle, %j, %i : index
    %1 = arith.select %kept, %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x64xf32>
  return %0 : tensor<4x64x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// V16: weights with a scale are decoded for a part of each sum, in the tile
// that reads them, and the rest of the terms after it.
// CHECK-LABEL: func.func @decoded(
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x200xf32>, %[[W:[^:]*]]: tensor<200x96xi8>, %[[S:[^:]*]]: tensor<96xf32>, %[[Y:[^:]*]]: tensor<16x96xf32>)
// CHECK-NOT: tensor<200x96xf32>
// CHECK: scf.forall (%[[J:.*]]) = (0) to (96) step (32)
// CHECK: %[[SUMS:.*]] = scf.for %[[K:.*]] = %{{.*}} to %c192 step %c32
// CHECK-DAG: %[[PART:.*]] = tensor.extract_slice %[[W]][%[[K]], %[[J]]] [32, 32]
// CHECK-DAG: %[[SCALES:.*]] = tensor.extract_slice %[[S]][%[[J]]] [32]
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[PART]], %[[SCALES]] : tensor<32x32xi8>, tensor<32xf32>)
// CHECK: scf.forall {{.*}} step (8)
// CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x32xf32>, tensor<32x32xf32>)
// CHECK: tensor.extract_slice %[[W]][192, %[[J]]] [8, 32]
// CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x8xf32>, tensor<8x32xf32>)
// CHECK: return
func.func @decoded(%x: tensor<16x200xf32>, %w: tensor<200x96xi8>, %s: tensor<96xf32>, %y: tensor<16x96xf32>) -> tensor<16x96xf32> {
  %e = tensor.empty() : tensor<200x96xf32>
  %q = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<200x96xi8>, tensor<96xf32>) outs(%e : tensor<200x96xf32>) {
  ^bb0(%a: i8, %b: f32, %c: f32):
    %1 = arith.sitofp %a : i8 to f32
    %2 = arith.mulf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<200x96xf32>
  %0 = linalg.matmul ins(%x, %q : tensor<16x200xf32>, tensor<200x96xf32>) outs(%y : tensor<16x96xf32>) -> tensor<16x96xf32>
  return %0 : tensor<16x96xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A variable that is overwritten before the product reads it is decoded whole,
// while it has the old values.
// CHECK-LABEL: func.func @overwritten_weights(
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<200x96xf32>)
func.func @overwritten_weights(%x: tensor<16x200xf32>, %w: tensor<200x96xf16>, %s: tensor<f32>, %new: tensor<200x96xf16>, %y: tensor<16x96xf32>)
    -> (tensor<16x96xf32>, tensor<200x96xf16>) {
  %e = tensor.empty() : tensor<200x96xf32>
  %q = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<200x96xf16>, tensor<f32>) outs(%e : tensor<200x96xf32>) {
  ^bb0(%a: f16, %b: f32, %c: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.mulf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<200x96xf32>
  %v = linalg.copy ins(%new : tensor<200x96xf16>) outs(%w : tensor<200x96xf16>) -> tensor<200x96xf16>
  %0 = linalg.matmul ins(%x, %q : tensor<16x200xf32>, tensor<200x96xf32>) outs(%y : tensor<16x96xf32>) -> tensor<16x96xf32>
  return %0, %v : tensor<16x96xf32>, tensor<200x96xf16>
}
