// T33: where the last tile of a product starts within the one before: it has no kernel of its own.
// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-tile-and-fuse --canonicalize --cse --split-input-file | FileCheck %s
// With five workers, each of which would have less than two tiles, it does not.
// RUN: flywheel-opt %s --pass-pipeline='builtin.module(flywheel-attach-target{cpu=x86-64-v4},func.func(flywheel-choose-schedules,flywheel-tile-and-fuse{workers=5}))' --split-input-file | FileCheck %s --check-prefix=WORKERS

// WORKERS-NOT: codegen.overlap

#id = affine_map<(d0, d1) -> (d0, d1)>

// Rows and columns: 98 instead of 97, and 256 instead of 255, are computed.
// CHECK-LABEL: func.func @forward(
// CHECK: scf.forall (%{{.*}}) = (0) to (255) step (32)
// CHECK: scf.forall (%{{.*}}) = (0) to (97) step (14)
// CHECK-COUNT-2: {codegen.overlap = array<i64: 0>}
func.func @forward(%x: tensor<97x48xf32>, %y: tensor<48x255xf32>) -> tensor<97x255xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<97x255xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<97x255xf32>) -> tensor<97x255xf32>
  %g = linalg.matmul ins(%x, %y : tensor<97x48xf32>, tensor<48x255xf32>) outs(%f : tensor<97x255xf32>) -> tensor<97x255xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<97x255xf32>) outs(%e : tensor<97x255xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<97x255xf32>
  return %0 : tensor<97x255xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// An op that updates its destination overlaps along vectors only.
// CHECK-LABEL: func.func @update(
// CHECK: scf.forall (%{{.*}}) = (0) to (255) step (32)
// CHECK: scf.forall (%{{.*}}) = (0) to (97) step (14)
// CHECK-COUNT-1: codegen.overlap = array<i64: 0>
// CHECK-NOT: codegen.overlap
func.func @update(%x: tensor<97x48xf32>, %y: tensor<48x255xf32>, %w: tensor<97x255xf32>) -> tensor<97x255xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<97x255xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<97x255xf32>) -> tensor<97x255xf32>
  %g = linalg.matmul ins(%x, %y : tensor<97x48xf32>, tensor<48x255xf32>) outs(%f : tensor<97x255xf32>) -> tensor<97x255xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<97x255xf32>) outs(%w : tensor<97x255xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %b, %a : f32
    linalg.yield %1 : f32
  } -> tensor<97x255xf32>
  return %0 : tensor<97x255xf32>
}

// -----

// A sum that goes on from its old value has no overlap: it would be added twice.
// CHECK-LABEL: func.func @sum(
// CHECK-COUNT-2: scf.forall
// CHECK-NOT: codegen.overlap
func.func @sum(%x: tensor<97x48xf32>, %y: tensor<48x255xf32>, %w: tensor<97x255xf32>) -> tensor<97x255xf32> {
  %g = linalg.matmul ins(%x, %y : tensor<97x48xf32>, tensor<48x255xf32>) outs(%w : tensor<97x255xf32>) -> tensor<97x255xf32>
  return %g : tensor<97x255xf32>
}

// -----

// Nor has what would be computed twice to a larger part than a 64th: 29 rows would be
// 30, and 225 columns 256.
// CHECK-LABEL: func.func @much(
// CHECK: scf.forall (%{{.*}}) = (0) to (225) step (32)
// CHECK: scf.forall (%{{.*}}) = (0) to (29) step (10)
// CHECK-NOT: codegen.overlap
func.func @much(%x: tensor<29x48xf32>, %y: tensor<48x225xf32>) -> tensor<29x225xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<29x225xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<29x225xf32>) -> tensor<29x225xf32>
  %g = linalg.matmul ins(%x, %y : tensor<29x48xf32>, tensor<48x225xf32>) outs(%f : tensor<29x225xf32>) -> tensor<29x225xf32>
  return %g : tensor<29x225xf32>
}

// -----

// Lanes that are not in use otherwise cost nothing: 81 columns are three tiles, the last of 17.
// CHECK-LABEL: func.func @lanes(
// CHECK: scf.forall (%{{.*}}) = (0) to (81) step (32)
// CHECK: codegen.overlap = array<i64: 0>
func.func @lanes(%x: tensor<28x48xf32>, %y: tensor<48x81xf32>) -> tensor<28x81xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<28x81xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<28x81xf32>) -> tensor<28x81xf32>
  %g = linalg.matmul ins(%x, %y : tensor<28x48xf32>, tensor<48x81xf32>) outs(%f : tensor<28x81xf32>) -> tensor<28x81xf32>
  return %g : tensor<28x81xf32>
}
