// RUN: flywheel-opt %s --flywheel-tile-and-fuse --canonicalize --cse --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// The product is a tile inside the loops of its epilogue: no buffer of its size.
// CHECK-LABEL: func.func @fused(
// CHECK-NOT: tensor<64x128xf32>{{$}}
// CHECK-NOT: tensor.empty() : tensor<64x128xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK: scf.yield
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
// CHECK: scf.for
// CHECK: linalg.matmul
// CHECK: scf.yield
// CHECK: }
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<64x64xf32>)
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

// One op is the epilogue of one product.
// CHECK-LABEL: func.func @sum(
// CHECK-COUNT-2: linalg.matmul
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
// CHECK-NOT: scf.for
// CHECK: return
func.func @empty(%x: tensor<?x0xf32>, %y: tensor<0x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %g = linalg.matmul ins(%x, %y : tensor<?x0xf32>, tensor<0x64xf32>) outs(%r : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %g : tensor<?x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// What is overwritten is read tile by tile from where it is written, so that a
// loop can carry it in one buffer.
// CHECK-LABEL: func.func @accumulated(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x64xf32>, %[[W:[^:]*]]: tensor<64x64xf32>
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: linalg.generic {{.*}} ins(%{{[^,]*}} : tensor<{{[^,]*}}>) outs(
// CHECK: arith.addf
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: return
func.func @accumulated(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %g : tensor<64x64xf32>, tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
