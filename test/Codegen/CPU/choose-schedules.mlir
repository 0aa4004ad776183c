// RUN: flywheel-opt %s --flywheel-choose-schedules --split-input-file --verify-diagnostics | FileCheck %s

module attributes {codegen.target = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = []>} {

//===----------------------------------------------------------------------===//
// Contractions on tensors: roles and tiles
//===----------------------------------------------------------------------===//

// A column of tiles of registers after the other.
// CHECK-LABEL: func.func @product(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>}
func.func @product(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// The kernel of a transposed A is the same.
// CHECK-LABEL: func.func @transposed_a(
// CHECK: linalg.matmul {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>
func.func @transposed_a(%a: tensor<32x64xf32>, %b: tensor<32x128xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<32x64xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// A transposed B is packed.
// CHECK-LABEL: func.func @transposed_b(
// CHECK: linalg.matmul {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], pack = true>
func.func @transposed_b(%a: tensor<64x32xf32>, %b: tensor<128x32xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<64x32xf32>, tensor<128x32xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// If C is written transposed, its rows are those of the other input, which is
// packed.
// CHECK-LABEL: func.func @turned(
// CHECK: linalg.contract {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}32, 0, 0], [0, 8, 0]], rows = [1], columns = 0, registers = [8, 32], pack = true>
func.func @turned(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>, %c: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>]
    ins(%a, %b : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// So is a B whose rows are 4096 bytes apart, where more than two rows of tiles share it.
// CHECK-LABEL: func.func @far_rows(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], pack = true>}
func.func @far_rows(%a: tensor<32x32xf32>, %b: tensor<32x1024xf32>, %c: tensor<32x1024xf32>) -> tensor<32x1024xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xf32>, tensor<32x1024xf32>) outs(%c : tensor<32x1024xf32>) -> tensor<32x1024xf32>
  return %0 : tensor<32x1024xf32>
}

// CHECK-LABEL: func.func @nearer_rows(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>}
func.func @nearer_rows(%a: tensor<64x32xf32>, %b: tensor<32x1008xf32>, %c: tensor<64x1008xf32>) -> tensor<64x1008xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x1008xf32>) outs(%c : tensor<64x1008xf32>) -> tensor<64x1008xf32>
  return %0 : tensor<64x1008xf32>
}

// CHECK-LABEL: func.func @shared_by_two(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>}
func.func @shared_by_two(%a: tensor<16x32xf32>, %b: tensor<32x1024xf32>, %c: tensor<16x1024xf32>) -> tensor<16x1024xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<16x32xf32>, tensor<32x1024xf32>) outs(%c : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  return %0 : tensor<16x1024xf32>
}

// Not the part that is read is what counts, but what it is part of.
// CHECK-LABEL: func.func @part_of_far_rows(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], pack = true>}
func.func @part_of_far_rows(%a: tensor<64x32xf32>, %b: tensor<32x1024xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %p = tensor.extract_slice %b[0, 64] [32, 64] [1, 1] : tensor<32x1024xf32> to tensor<32x64xf32>
  %0 = linalg.matmul ins(%a, %p : tensor<64x32xf32>, tensor<32x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// One batch after the other, each in tiles of C that fit the cache: 64x64
// floats do.
// CHECK-LABEL: func.func @batched(
// CHECK: linalg.batch_matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}1, 0, 0, 0]], rows = [1], columns = 2, registers = [8, 32]>}
func.func @batched(%a: tensor<4x64x32xf32>, %b: tensor<4x32x64xf32>, %c: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x64x32xf32>, tensor<4x32x64xf32>) outs(%c : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  return %0 : tensor<4x64x64xf32>
}

// 512 rows of 128 floats do not fit: 48 do.
// CHECK-LABEL: func.func @large_batches(
// CHECK: linalg.batch_matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}1, 48, 0, 0]], rows = [1], columns = 2, registers = [8, 32]>}
func.func @large_batches(%a: tensor<4x512x32xf32>, %b: tensor<4x32x128xf32>, %c: tensor<4x512x128xf32>) -> tensor<4x512x128xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x512x32xf32>, tensor<4x32x128xf32>) outs(%c : tensor<4x512x128xf32>) -> tensor<4x512x128xf32>
  return %0 : tensor<4x512x128xf32>
}

// Row of the image by row.
// CHECK-LABEL: func.func @convolution(
// CHECK: linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<tiles = {{\[\[}}1, 1, 0, 0, 0, 0, 0]], rows = [2], columns = 3, registers = [14, 32]>}
func.func @convolution(%x: tensor<2x30x30x16xf32>, %f: tensor<3x3x16x32xf32>, %y: tensor<2x28x28x32xf32>) -> tensor<2x28x28x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<2x30x30x16xf32>, tensor<3x3x16x32xf32>) outs(%y : tensor<2x28x28x32xf32>) -> tensor<2x28x28x32xf32>
  return %0 : tensor<2x28x28x32xf32>
}

// The gradient of a filter reads the images in passes. Each adds to the whole.
// CHECK-LABEL: func.func @filter_gradient(
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.fma<tiles = [], rows = [6], columns = 3, registers = [8, 32], passes = [0]>
func.func @filter_gradient(%x: tensor<32x30x30x64xf32>, %dy: tensor<32x28x28x64xf32>, %dw: tensor<3x3x64x64xf32>) -> tensor<3x3x64x64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>, affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>, affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>], iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %dy : tensor<32x30x30x64xf32>, tensor<32x28x28x64xf32>) outs(%dw : tensor<3x3x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<3x3x64x64xf32>
  return %0 : tensor<3x3x64x64xf32>
}

// A few short loops are rows together: a window of 25 elements.
// CHECK-LABEL: func.func @several_rows(
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 0, 0, 0, 0, 0, 1]], rows = [4, 5], columns = 3, registers = [13, 6]>
func.func @several_rows(%x: tensor<4x12x12x1xf32>, %dy: tensor<4x8x8x6xf32>, %dw: tensor<5x5x1x6xf32>) -> tensor<5x5x1x6xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>, affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>, affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>], iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %dy : tensor<4x12x12x1xf32>, tensor<4x8x8x6xf32>) outs(%dw : tensor<5x5x1x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<5x5x1x6xf32>
  return %0 : tensor<5x5x1x6xf32>
}

// Few rows do not pay for a transposition of B: lanes are along the reduction.
// CHECK-LABEL: func.func @few_rows_transposed_b(
// CHECK: linalg.matmul {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 64, 0]], rows = [0], columns = 1, registers = [2, 8], along = 2>
func.func @few_rows_transposed_b(%a: tensor<2x512xf32>, %b: tensor<128x512xf32>, %c: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<2x512xf32>, tensor<128x512xf32>) outs(%c : tensor<2x128xf32>) -> tensor<2x128xf32>
  return %0 : tensor<2x128xf32>
}

// So are those of a product with one column, whose rows are columns then.
// CHECK-LABEL: func.func @one_column(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}64, 0, 0]], rows = [1], columns = 0, registers = [1, 16], along = 2>}
func.func @one_column(%a: tensor<128x512xf32>, %b: tensor<512x1xf32>, %c: tensor<128x1xf32>) -> tensor<128x1xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<128x512xf32>, tensor<512x1xf32>) outs(%c : tensor<128x1xf32>) -> tensor<128x1xf32>
  return %0 : tensor<128x1xf32>
}

// And those of the gradient of an image with three channels: eight pixels in
// registers.
// CHECK-LABEL: func.func @three_channels(
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}1, 1, 0, 0, 0, 0, 0]], rows = [2], columns = 3, registers = [8, 3], along = 6>
func.func @three_channels(%dy: tensor<2x30x30x32xf32>, %w: tensor<3x3x3x32xf32>, %dx: tensor<2x28x28x3xf32>) -> tensor<2x28x28x3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, i, j, c, p, q, o) -> (n, i + p, j + q, o)>, affine_map<(n, i, j, c, p, q, o) -> (p, q, c, o)>, affine_map<(n, i, j, c, p, q, o) -> (n, i, j, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%dy, %w : tensor<2x30x30x32xf32>, tensor<3x3x3x32xf32>) outs(%dx : tensor<2x28x28x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x28x28x3xf32>
  return %0 : tensor<2x28x28x3xf32>
}

// Few rows read a large B in the order of memory, eight of its rows at a time.
// CHECK-LABEL: func.func @few_rows(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 0, 0]], rows = [0], columns = 1, registers = [2, 96], block = 8>}
func.func @few_rows(%a: tensor<2x512xf32>, %b: tensor<512x512xf32>, %c: tensor<2x512xf32>) -> tensor<2x512xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<2x512xf32>, tensor<512x512xf32>) outs(%c : tensor<2x512xf32>) -> tensor<2x512xf32>
  return %0 : tensor<2x512xf32>
}

// A sum of few terms writes C in the order of memory: its tiles are long.
// CHECK-LABEL: func.func @few_terms(
// CHECK: linalg.matmul {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}8, 768, 0]], rows = [0], columns = 1, registers = [8, 32]>
func.func @few_terms(%a: tensor<2x512xf32>, %b: tensor<2x1024xf32>, %c: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<2x512xf32>, tensor<2x1024xf32>) outs(%c : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}

// Many rows that are contiguous in A have tiles of twelve and a tail; the same rows of
// an A that is not transposed, and fewer of them, have tiles of a divisor.
// CHECK-LABEL: func.func @many_rows(
// CHECK: linalg.matmul {{.*}}registers = [12, 32]
// CHECK: linalg.matmul {{.*}}registers = [8, 32]
// CHECK: linalg.matmul {{.*}}registers = [8, 32]
func.func @many_rows(%at: tensor<64x1024xf32>, %a: tensor<1024x64xf32>, %few: tensor<64x256xf32>, %b: tensor<64x256xf32>,
    %c: tensor<1024x256xf32>, %d: tensor<256x256xf32>) -> (tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<256x256xf32>) {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%at, %b : tensor<64x1024xf32>, tensor<64x256xf32>) outs(%c : tensor<1024x256xf32>) -> tensor<1024x256xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<1024x64xf32>, tensor<64x256xf32>) outs(%c : tensor<1024x256xf32>) -> tensor<1024x256xf32>
  %2 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%few, %b : tensor<64x256xf32>, tensor<64x256xf32>) outs(%d : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0, %1, %2 : tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<256x256xf32>
}

// A gradient that the second cache does not hold: eight tiles of the same rows come
// one after the other. Not where a core has less than two shares of columns.
// CHECK-LABEL: func.func @streamed(
// CHECK: linalg.matmul {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 256, 0], [12, 0, 0], [0, 32, 0]], {{.*}}registers = [12, 32], pack = true>
// CHECK: linalg.matmul {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [12, 0, 0]], {{.*}}registers = [12, 32]>
func.func @streamed(%a: tensor<64x4096xf32>, %b: tensor<64x4096xf32>, %few: tensor<64x256xf32>, %c: tensor<4096x4096xf32>,
    %d: tensor<4096x256xf32>) -> (tensor<4096x4096xf32>, tensor<4096x256xf32>) {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<64x4096xf32>, tensor<64x4096xf32>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %few : tensor<64x4096xf32>, tensor<64x256xf32>) outs(%d : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  return %0, %1 : tensor<4096x4096xf32>, tensor<4096x256xf32>
}

// If there are ten columns, whose rows are contiguous in an input, the rows fill
// vectors: C is transposed as it is stored. Not if the rows are not contiguous
// (`narrow`).
// CHECK-LABEL: func.func @turned_narrow(
// CHECK: linalg.matmul {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}32, 0, 0], [0, 10, 0]], rows = [1], columns = 0, registers = [10, 32]>
func.func @turned_narrow(%a: tensor<64x128xf32>, %b: tensor<64x10xf32>, %c: tensor<128x10xf32>) -> tensor<128x10xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<64x128xf32>, tensor<64x10xf32>) outs(%c : tensor<128x10xf32>) -> tensor<128x10xf32>
  return %0 : tensor<128x10xf32>
}

// An input that is read once needs no tiles.
// CHECK-LABEL: func.func @matvec(
// CHECK: linalg.matvec ins
func.func @matvec(%a: tensor<64x32xf32>, %x: tensor<32xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.matvec ins(%a, %x : tensor<64x32xf32>, tensor<32xf32>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], pack = true>}
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32]>}
func.func @empty(%a: tensor<64x0xf32>, %b: tensor<0x128xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x0xf32>, tensor<0x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// Ten columns are one vector, and one column of tiles.
// CHECK-LABEL: func.func @narrow(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 0, 0], [16, 0, 0]], rows = [0], columns = 1, registers = [16, 10]>}
func.func @narrow(%a: tensor<64x32xf32>, %b: tensor<32x10xf32>, %c: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x10xf32>) outs(%c : tensor<64x10xf32>) -> tensor<64x10xf32>
  return %0 : tensor<64x10xf32>
}

// Sums of doubles have half as many columns; sums of halves have no kernel.
// CHECK-LABEL: func.func @doubles(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 16, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 16]>}
func.func @doubles(%a: tensor<64x32xf64>, %b: tensor<32x128xf64>, %c: tensor<64x128xf64>) -> tensor<64x128xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf64>, tensor<32x128xf64>) outs(%c : tensor<64x128xf64>) -> tensor<64x128xf64>
  return %0 : tensor<64x128xf64>
}

// CHECK-LABEL: func.func @halves(
// CHECK: linalg.matmul ins
func.func @halves(%a: tensor<64x32xf16>, %b: tensor<32x128xf16>, %c: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x128xf16>) outs(%c : tensor<64x128xf16>) -> tensor<64x128xf16>
  return %0 : tensor<64x128xf16>
}

// A schedule that a person chose stays.
// CHECK-LABEL: func.func @given(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}16, 0, 0]], rows = [0], columns = 1, registers = [2, 16]>}
func.func @given(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[16, 0, 0]], rows = [0], columns = 1, registers = [2, 16]>}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// An elementwise op on tensors is part of a group: it has no schedule.
// CHECK-LABEL: func.func @elementwise(
// CHECK: linalg.exp ins
func.func @elementwise(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.exp ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

//===----------------------------------------------------------------------===//
// Ops on buffers: every one has a schedule
//===----------------------------------------------------------------------===//

// No tiles: groups are formed already.
// CHECK-LABEL: func.func @product_on_buffers(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32]>}
func.func @product_on_buffers(%a: memref<64x32xf32>, %b: memref<32x128xf32>, %c: memref<64x128xf32>) {
  linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x128xf32>) outs(%c : memref<64x128xf32>)
  return
}

// CHECK-LABEL: func.func @gradient_on_buffers(
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.fma<tiles = [], rows = [6], columns = 3, registers = [8, 32], passes = [0]>
func.func @gradient_on_buffers(%x: memref<32x30x30x64xf32>, %dy: memref<32x28x28x64xf32>, %dw: memref<3x3x64x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>, affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>, affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>], iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %dy : memref<32x30x30x64xf32>, memref<32x28x28x64xf32>) outs(%dw : memref<3x3x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %c, %t : f32
    linalg.yield %u : f32
  }
  return
}

// Without rows that share the vectors, the order of the matrix counts.
// CHECK-LABEL: func.func @matvec_on_buffers(
// CHECK: linalg.matvec {codegen.schedule = #codegen.vector<along = 1, lanes = 16>}
func.func @matvec_on_buffers(%a: memref<64x32xf32>, %x: memref<32xf32>, %y: memref<64xf32>) {
  linalg.matvec ins(%a, %x : memref<64x32xf32>, memref<32xf32>) outs(%y : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @vecmat_on_buffers(
// CHECK: linalg.vecmat {codegen.schedule = #codegen.fma<tiles = [], rows = [], columns = 0, registers = [1, 32]>}
func.func @vecmat_on_buffers(%x: memref<64xf32>, %a: memref<64x32xf32>, %y: memref<32xf32>) {
  linalg.vecmat ins(%x, %a : memref<64xf32>, memref<64x32xf32>) outs(%y : memref<32xf32>)
  return
}

// The loop along which all is contiguous; of a sum, a reduction.
// CHECK-LABEL: func.func @elements_on_buffers(
// CHECK: linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 16>}
// CHECK: linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 8>}
// CHECK: linalg.add {codegen.schedule = #codegen.vector<along = 1, lanes = 64>}
// CHECK: linalg.reduce {{.*}}codegen.schedule = #codegen.vector<along = 1, lanes = 16>
func.func @elements_on_buffers(%x: memref<8x16xf32>, %y: memref<8xf32>, %d: memref<8x16xf64>, %i: memref<8x16xi8>) {
  linalg.exp ins(%x : memref<8x16xf32>) outs(%x : memref<8x16xf32>)
  linalg.exp ins(%d : memref<8x16xf64>) outs(%d : memref<8x16xf64>)
  linalg.add ins(%i, %i : memref<8x16xi8>, memref<8x16xi8>) outs(%i : memref<8x16xi8>)
  linalg.reduce ins(%x : memref<8x16xf32>) outs(%y : memref<8xf32>) dimensions = [1]
    (%a: f32, %s: f32) {
      %0 = arith.addf %a, %s : f32
      linalg.yield %0 : f32
    }
  return
}

// Along columns, in sums of whole rows.
// CHECK-LABEL: func.func @outer_reduction(
// CHECK: linalg.reduce {{.*}}codegen.schedule = #codegen.vector<along = 1, lanes = 16>
func.func @outer_reduction(%x: memref<8x16xf32>, %y: memref<16xf32>) {
  linalg.reduce ins(%x : memref<8x16xf32>) outs(%y : memref<16xf32>) dimensions = [0]
    (%a: f32, %s: f32) {
      %0 = arith.addf %a, %s : f32
      linalg.yield %0 : f32
    }
  return
}

// Many columns together, so that longer parts of rows are read: half of the
// registers, as far as there are as many columns, and not in sums of few terms.
// CHECK-LABEL: func.func @many_columns(
// CHECK: linalg.reduce {{.*}}codegen.schedule = #codegen.vector<along = 1, lanes = 16, interleave = 16>
// CHECK: linalg.reduce {{.*}}codegen.schedule = #codegen.vector<along = 1, lanes = 16, interleave = 8>
// CHECK: linalg.reduce {{.*}}codegen.schedule = #codegen.vector<along = 1, lanes = 16>
func.func @many_columns(%x: memref<64x?xf32>, %y: memref<?xf32>, %few: memref<64x128xf32>, %z: memref<128xf32>,
                        %short: memref<8x512xf32>, %u: memref<512xf32>) {
  linalg.reduce ins(%x : memref<64x?xf32>) outs(%y : memref<?xf32>) dimensions = [0]
    (%a: f32, %s: f32) {
      %0 = arith.addf %a, %s : f32
      linalg.yield %0 : f32
    }
  linalg.reduce ins(%few : memref<64x128xf32>) outs(%z : memref<128xf32>) dimensions = [0]
    (%a: f32, %s: f32) {
      %0 = arith.addf %a, %s : f32
      linalg.yield %0 : f32
    }
  linalg.reduce ins(%short : memref<8x512xf32>) outs(%u : memref<512xf32>) dimensions = [0]
    (%a: f32, %s: f32) {
      %0 = arith.addf %a, %s : f32
      linalg.yield %0 : f32
    }
  return
}

// Blocks are transposed in registers.
// CHECK-LABEL: func.func @transposition(
// CHECK: linalg.transpose {{.*}}codegen.schedule = #codegen.vector<along = 1, lanes = 16, transpose = 0>
func.func @transposition(%x: memref<32x64xf32>, %y: memref<64x32xf32>) {
  linalg.transpose ins(%x : memref<32x64xf32>) outs(%y : memref<64x32xf32>) permutation = [1, 0]
  return
}

// Control flow has no vector form.
// CHECK-LABEL: func.func @control_flow(
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.loops
func.func @control_flow(%x: memref<4xf32>, %c: memref<4xi1>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c : memref<4xi1>) outs(%x : memref<4xf32>) {
  ^bb0(%p: i1, %o: f32):
    %0 = scf.if %p -> f32 {
      %1 = arith.negf %o : f32
      scf.yield %1 : f32
    } else {
      scf.yield %o : f32
    }
    linalg.yield %0 : f32
  }
  return
}

// Halves are multiplied as vectors, and added in the order of the sum.
// CHECK-LABEL: func.func @halves_on_buffers(
// CHECK: linalg.matmul {codegen.schedule = #codegen.vector<along = 1, lanes = 32>}
func.func @halves_on_buffers(%a: memref<64x32xf16>, %b: memref<32x128xf16>, %c: memref<64x128xf16>) {
  // expected-remark @below {{is computed as #codegen.vector<along = 1, lanes = 32>, without its output in registers: expected C + A * B of f32 or f64, and a loop of several iterations along which C is contiguous and A or B constant, or a reduction along which A and B are contiguous}}
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x128xf16>) outs(%c : memref<64x128xf16>)
  return
}

// An input that the body narrows cannot be a vector of a kernel.
// CHECK-LABEL: func.func @narrowing_on_buffers(
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.vector<along = 1, lanes = 16, interleave = 8>
func.func @narrowing_on_buffers(%a: memref<64x32xf32>, %b: memref<32x128xbf16>, %c: memref<64x128xf32>) {
  // expected-remark @below {{is computed as #codegen.vector<along = 1, lanes = 16, interleave = 8>, without its output in registers: expected C + A * B of f32 or f64, and a loop of several iterations along which C is contiguous and A or B constant, or a reduction along which A and B are contiguous}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32xf32>, memref<32x128xbf16>) outs(%c : memref<64x128xf32>) {
  ^bb0(%x: f32, %y: bf16, %z: f32):
    %n = arith.truncf %x : f32 to bf16
    %v = arith.extf %n : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %v, %w : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @given_on_buffers(
// CHECK: linalg.exp {codegen.schedule = #codegen.loops}
// CHECK: linalg.exp {codegen.schedule = #codegen.vector<along = 0, lanes = 2>}
func.func @given_on_buffers(%x: memref<8x16xf32>) {
  linalg.exp {codegen.schedule = #codegen.loops} ins(%x : memref<8x16xf32>) outs(%x : memref<8x16xf32>)
  linalg.exp {codegen.schedule = #codegen.vector<along = 0, lanes = 2>} ins(%x : memref<8x16xf32>) outs(%x : memref<8x16xf32>)
  return
}

}

// -----

// Tiles for a cache of gigabytes are bounded by the range of a schedule.
module attributes {codegen.target = #codegen.cpu<vector_bits = 2048, vector_registers = 32, l1_bytes = 4294967296, l2_bytes = 4294967296, cores = 1, features = []>} {
  // CHECK-LABEL: func.func @huge_cache(
  // CHECK: tiles = {{\[\[}}1, 1, 16777216, 0, 0, 0, 0]], rows = [2], columns = 3
  func.func @huge_cache(%x: tensor<?x6x?x8xf32>, %f: tensor<3x3x8x16xf32>, %y: tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32> {
    %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<?x6x?x8xf32>, tensor<3x3x8x16xf32>) outs(%y : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
    return %0 : tensor<?x4x?x16xf32>
  }
  // The longest vectors are of 256 bytes.
  // CHECK-LABEL: func.func @longest_vectors(
  // CHECK: linalg.copy {codegen.schedule = #codegen.vector<along = 1, lanes = 256>}
  func.func @longest_vectors(%a: memref<?x?xi8>, %b: memref<?x?xi8>) {
    linalg.copy ins(%a : memref<?x?xi8>) outs(%b : memref<?x?xi8>)
    return
  }
}

// -----

module attributes {codegen.target = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = []>} {
  // With one channel, C is contiguous along the pixels of a row.
  // CHECK-LABEL: func.func @one_channel(
  // CHECK: codegen.schedule = #codegen.fma<tiles = [], rows = [3], columns = 2, registers = [1, 8]>
  func.func @one_channel(%x: memref<4x10x10x1xf32>, %f: memref<3x3x1x1xf32>, %y: memref<4x8x8x1xf32>) {
    linalg.conv_2d_nhwc_hwcf ins(%x, %f : memref<4x10x10x1xf32>, memref<3x3x1x1xf32>) outs(%y : memref<4x8x8x1xf32>)
    return
  }
  // A convolution by channel reads both inputs along the channels: output columns share the filter, three vectors of
  // which are in registers beside the sums.
  // CHECK-LABEL: func.func @by_channel(
  // CHECK: codegen.schedule = #codegen.fma<tiles = [], rows = [2], columns = 3, registers = [8, 16]>
  func.func @by_channel(%x: memref<4x10x10x32xf32>, %f: memref<3x3x32xf32>, %y: memref<4x8x8x32xf32>) {
    linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %f : memref<4x10x10x32xf32>, memref<3x3x32xf32>) outs(%y : memref<4x8x8x32xf32>)
    return
  }
  // The gradient of the filter reads all channels of a row before the next row, in the order of memory.
  // CHECK-LABEL: func.func @filter_by_channel(
  // CHECK: codegen.schedule = #codegen.fma<tiles = [], rows = [3, 4], columns = 5, registers = [9, 32], passes = [0, 1]>
  func.func @filter_by_channel(%x: memref<16x57x57x128xf32>, %dy: memref<16x28x28x128xf32>, %dw: memref<3x3x128xf32>) {
    linalg.generic {indexing_maps = [affine_map<(n, i, j, p, q, c) -> (n, 2 * i + p, 2 * j + q, c)>,
                                     affine_map<(n, i, j, p, q, c) -> (n, i, j, c)>,
                                     affine_map<(n, i, j, p, q, c) -> (p, q, c)>],
        iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel"]}
        ins(%x, %dy : memref<16x57x57x128xf32>, memref<16x28x28x128xf32>) outs(%dw : memref<3x3x128xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    }
    return
  }
  // Windows of neighbouring output columns share nothing.
  // CHECK-LABEL: func.func @apart(
  // CHECK: codegen.schedule = #codegen.fma<tiles = [], rows = [2], columns = 3, registers = [8, 32]>
  func.func @apart(%x: memref<4x24x24x32xf32>, %f: memref<3x3x32xf32>, %y: memref<4x8x8x32xf32>) {
    linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<3> : vector<2xi64>}
      ins(%x, %f : memref<4x24x24x32xf32>, memref<3x3x32xf32>) outs(%y : memref<4x8x8x32xf32>)
    return
  }
  // A sum of something else than products.
  // CHECK-LABEL: func.func @distances(
  // CHECK: codegen.schedule = #codegen.vector<
  func.func @distances(%x: memref<64x16xf32>, %f: memref<48x16xf32>, %y: memref<64x48xf32>) {
    // expected-remark @below {{without its output in registers: expected C + A * B of f32 or f64, and a loop of several iterations along which C is contiguous and A or B constant}}
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %f : memref<64x16xf32>, memref<48x16xf32>) outs(%y : memref<64x48xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.subf %a, %b : f32
      %1 = arith.mulf %0, %0 : f32
      %2 = arith.addf %c, %1 : f32
      linalg.yield %2 : f32
    }
    return
  }
  // A product with a vector reads the matrix once.
  // CHECK-LABEL: func.func @one_column(
  func.func @one_column(%a: memref<64x32xf32>, %b: memref<32x1xf32>, %c: memref<64x1xf32>) {
    linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x1xf32>) outs(%c : memref<64x1xf32>)
    return
  }
}

// -----

// Pairs of bf16 are multiplied where the machine can, narrowed or not; not those
// of other types, and not where sums are wider.
module attributes {codegen.target = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = ["avx512bf16"]>} {

// CHECK-LABEL: func.func @pairs(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 32, 0], [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], pairs = true>}
func.func @pairs(%a: tensor<64x32xbf16>, %b: tensor<32x128xbf16>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x128xbf16>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @pairs_along(
// CHECK: linalg.matmul {{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 64, 0]], rows = [0], columns = 1, registers = [4, 4], along = 2, pairs = true>
func.func @pairs_along(%a: tensor<16x1024xbf16>, %b: tensor<128x1024xbf16>, %c: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<16x1024xbf16>, tensor<128x1024xbf16>) outs(%c : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}

// CHECK-LABEL: func.func @pairs_of_others(
// CHECK-NOT: pairs
// CHECK: return
func.func @pairs_of_others(%a: tensor<64x32xf16>, %b: tensor<32x128xf16>, %c: tensor<64x128xf32>, %d: tensor<64x32xf32>, %e: tensor<32x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x128xf16>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = linalg.matmul ins(%d, %e : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0, %1 : tensor<64x128xf32>, tensor<64x128xf32>
}

}

// -----

// 16 registers have tiles of few rows: high ones and a tail where there are
// many rows, and panels of B that are copied where they are not contiguous.
module attributes {codegen.target = #codegen.cpu<vector_bits = 256, vector_registers = 16, l1_bytes = 32768, l2_bytes = 1048576, cores = 1, features = ["avx2", "fma"]>} {

// CHECK-LABEL: func.func @few_registers(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 16, 0], [6, 0, 0]], rows = [0], columns = 1, registers = [6, 16], pack = true>}
func.func @few_registers(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @few_rows(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 16, 0], [4, 0, 0]], rows = [0], columns = 1, registers = [4, 16]>}
func.func @few_rows(%a: tensor<8x32xf32>, %b: tensor<32x64xf32>, %c: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x64xf32>) outs(%c : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @near_columns(
// CHECK: linalg.matmul {codegen.schedule = #codegen.fma<tiles = {{\[\[}}0, 16, 0], [5, 0, 0]], rows = [0], columns = 1, registers = [5, 16]>}
func.func @near_columns(%a: tensor<100x32xf32>, %b: tensor<32x127xf32>, %c: tensor<100x127xf32>) -> tensor<100x127xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<100x32xf32>, tensor<32x127xf32>) outs(%c : tensor<100x127xf32>) -> tensor<100x127xf32>
  return %0 : tensor<100x127xf32>
}

}
