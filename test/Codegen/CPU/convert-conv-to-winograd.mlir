// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-convert-conv-to-winograd=report=true --canonicalize --cse --split-input-file 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-convert-conv-to-winograd=tile=2 --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=TWO
// RUN: not flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-convert-conv-to-winograd=tile=3 --split-input-file 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: expected tiles of 2 or 4 outputs, found 3

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>
#id = affine_map<(n, i, j, o) -> (n, i, j, o)>
#bias = affine_map<(n, i, j, o) -> (o)>

// T34: The filter is transformed once, before the loop; blocks of four rows of tiles are transformed,
// multiplied, transformed and given their bias where they are.
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x34x34x64xf32>
// CHECK: %[[FILTER:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] : tensor<6x6x64x64xf32> into tensor<36x64x64xf32>
// CHECK: scf.forall (%[[N:.*]], %[[I:.*]]) = (0, 0) to (8, 32) step (1, 16)
// CHECK: tensor.extract_slice %[[X]][%[[N]], %[[I]], 0, 0] [1, 18, 34, 64]
// CHECK: } -> tensor<6x1x4x2176xf32>
// CHECK: } -> tensor<6x6x1x4x8x64xf32>
// CHECK: linalg.batch_matmul ins(%{{.*}}, %[[FILTER]] : tensor<36x32x64xf32>, tensor<36x64x64xf32>)
// CHECK: } -> tensor<4x12288xf32>
// CHECK: } -> tensor<1x4x4x8x4x64xf32>
// CHECK: arith.maximumf
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[N]], %[[I]], 0, 0] [1, 16, 32, 64]
// REMARK: remark: is computed by Winograd's method, in tiles of 4 x 4 outputs, 32 at a time
// TWO-LABEL: func.func @layer(
// TWO: linalg.batch_matmul {{.*}} tensor<16x64x64xf32>
func.func @layer(%x: tensor<8x34x34x64xf32>, %w: tensor<3x3x64x64xf32>, %b: tensor<64xf32>) -> tensor<8x32x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32x32x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x34x34x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #bias, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %b : tensor<8x32x32x64xf32>, tensor<64xf32>) outs(%e : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.addf %i, %k : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  return %r : tensor<8x32x32x64xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// Images of any number, whose height and width are no multiples: zeros are read where there
// is no image, and what is computed of them is left out.
// CHECK-LABEL: func.func @rests(
// CHECK: scf.forall (%[[N:.*]]) = (0) to (%{{.*}}) step (2)
// CHECK: %[[COUNT:.*]] = affine.min
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[%[[N]], 0, 0, 0] [%[[COUNT]], 9, 9, 64]
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2x10x10x64xf32>
// CHECK: tensor.insert_slice %[[PART]] into %[[ZEROS]][0, 0, 0, 0] [%{{.*}}, 9, 9, 64]
// CHECK: %[[WHOLE:.*]] = tensor.collapse_shape {{.*}} into tensor<2x8x8x64xf32>
// CHECK: tensor.extract_slice %[[WHOLE]][0, 0, 0, 0] [%{{.*}}, 7, 7, 64]
// REMARK: remark: is computed by Winograd's method, in tiles of 4 x 4 outputs, 8 at a time
func.func @rests(%x: tensor<?x9x9x64xf32>, %w: tensor<3x3x64x64xf32>, %e: tensor<?x7x7x64xf32>) -> tensor<?x7x7x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7x7x64xf32>) -> tensor<?x7x7x64xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x9x9x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<?x7x7x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x7x7x64xf32>
  return %y : tensor<?x7x7x64xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// Three channels are transformed for too few multiplications.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: scf.forall
// CHECK: tensor<3x3x3x32xf32>)
// REMARK: remark: is computed directly: Winograd's method does not pay for it
func.func @few(%x: tensor<8x34x34x3xf32>, %w: tensor<3x3x3x32xf32>, %e: tensor<8x32x32x32xf32>) -> tensor<8x32x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x32x32xf32>) -> tensor<8x32x32x32xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x34x34x3xf32>, tensor<3x3x3x32xf32>) outs(%f : tensor<8x32x32x32xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x32xf32>
  return %y : tensor<8x32x32x32xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// A filter whose transform does not stay in a cache.
// CHECK-LABEL: func.func @large(
// CHECK-NOT: scf.forall
// CHECK: tensor<3x3x512x512xf32>)
// REMARK: remark: is computed directly: Winograd's method does not pay for it
func.func @large(%x: tensor<4x9x9x512xf32>, %w: tensor<3x3x512x512xf32>, %e: tensor<4x7x7x512xf32>) -> tensor<4x7x7x512xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x7x7x512xf32>) -> tensor<4x7x7x512xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x9x9x512xf32>, tensor<3x3x512x512xf32>) outs(%f : tensor<4x7x7x512xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x7x7x512xf32>
  return %y : tensor<4x7x7x512xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// A sum that starts from something else.
// CHECK-LABEL: func.func @added(
// CHECK-NOT: scf.forall
// TWO-LABEL: func.func @added(
// TWO-NOT: scf.forall
func.func @added(%x: tensor<8x34x34x64xf32>, %w: tensor<3x3x64x64xf32>, %e: tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32> {
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x34x34x64xf32>, tensor<3x3x64x64xf32>) outs(%e : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  return %y : tensor<8x32x32x64xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// Filters of other heights and widths are computed directly.
// CHECK-LABEL: func.func @lower(
// TWO-LABEL: func.func @lower(
// CHECK-NOT: linalg.batch_matmul
// CHECK: return
func.func @lower(%x: tensor<8x32x34x64xf32>, %w: tensor<1x3x64x64xf32>, %e: tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x32x34x64xf32>, tensor<1x3x64x64xf32>) outs(%f : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  return %y : tensor<8x32x32x64xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// CHECK-LABEL: func.func @higher(
// CHECK-NOT: linalg.batch_matmul
// CHECK: return
func.func @higher(%x: tensor<8x36x34x64xf32>, %w: tensor<5x3x64x64xf32>, %e: tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x36x34x64xf32>, tensor<5x3x64x64xf32>) outs(%f : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  return %y : tensor<8x32x32x64xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// CHECK-LABEL: func.func @wider(
// CHECK-NOT: linalg.batch_matmul
// CHECK: return
func.func @wider(%x: tensor<8x34x36x64xf32>, %w: tensor<3x5x64x64xf32>, %e: tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x34x36x64xf32>, tensor<3x5x64x64xf32>) outs(%f : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  return %y : tensor<8x32x32x64xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// Products of numbers that are rounded first are of those.
// CHECK-LABEL: func.func @narrowing(
// CHECK-NOT: linalg.batch_matmul
// CHECK: return
func.func @narrowing(%x: tensor<8x34x34x64xf32>, %w: tensor<3x3x64x64xf32>, %e: tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x34x34x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %short = arith.truncf %i : f32 to bf16
    %rounded = arith.extf %short : bf16 to f32
    %0 = arith.mulf %rounded, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  return %y : tensor<8x32x32x64xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// An op with a schedule keeps it.
// CHECK-LABEL: func.func @scheduled(
// CHECK-NOT: linalg.batch_matmul
// CHECK: codegen.schedule = #codegen.fma
func.func @scheduled(%x: tensor<8x34x34x64xf32>, %w: tensor<3x3x64x64xf32>, %e: tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x34x34x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<8x32x32x64xf32>) attrs = {codegen.schedule = #codegen.fma<tiles = [[1, 1, 0, 0, 0, 0, 0]], rows = [2], columns = 3, registers = [8, 32]>} {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  return %y : tensor<8x32x32x64xf32>
}

// -----

#image = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#filter = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#output = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>

// A consumer that depends on its position is after the loop.
// CHECK-LABEL: func.func @place(
// CHECK: scf.forall
// CHECK-NOT: linalg.index
// CHECK: tensor.parallel_insert_slice
// CHECK: linalg.index 3
func.func @place(%x: tensor<8x34x34x64xf32>, %w: tensor<3x3x64x64xf32>, %e: tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x32x64xf32>) -> tensor<8x32x32x64xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #output],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x34x34x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %0 = arith.mulf %i, %k : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x32x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, i, j, o) -> (n, i, j, o)>, affine_map<(n, i, j, o) -> (n, i, j, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<8x32x32x64xf32>) outs(%e : tensor<8x32x32x64xf32>) {
  ^bb0(%i: f32, %s: f32):
    %o = linalg.index 3 : index
    %integer = arith.index_cast %o : index to i32
    %number = arith.sitofp %integer : i32 to f32
    %0 = arith.addf %i, %number : f32
    linalg.yield %0 : f32
  } -> tensor<8x32x32x64xf32>
  return %r : tensor<8x32x32x64xf32>
}
