// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of a warp, which upstream distributes over lanes.

#a = affine_map<(i, j, k) -> (i, k)>
#transposed_b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#transpose = affine_map<(i, j) -> (j, i)>

gpu.module @kernels {
  // TF32 from global memory.
  gpu.func @tf32(%a: memref<16x8xf32>, %b: memref<8x8xf32>, %c: memref<16x8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
    %y = vector.transfer_read %b[%c0, %c0], %zero {permutation_map = #transpose, in_bounds = [true, true]}
      : memref<8x8xf32>, vector<8x8xf32>
    %z = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
    %d = vector.contract {indexing_maps = [#a, #transposed_b, #c], iterator_types = ["parallel", "parallel", "reduction"],
                          kind = #vector.kind<add>} %x, %y, %z : vector<16x8xf32>, vector<8x8xf32> into vector<16x8xf32>
    vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
    gpu.return
  }
}
