// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of a warp from matrices in workgroup memory.

#workgroup = #gpu.address_space<workgroup>

gpu.module @kernels {
  // F16 through workgroup memory, from where matrices are loaded, the second one transposed.
  gpu.func @f16(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>)
      workgroup(%aw: memref<16x16xf16, #workgroup>, %bw: memref<16x8xf16, #workgroup>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %row = arith.remui %t, %c16 : index
    %half = arith.divui %t, %c16 : index
    %column = arith.muli %half, %c8 : index
    %p = vector.load %a[%row, %column] : memref<16x16xf16>, vector<8xf16>
    vector.store %p, %aw[%row, %column] : memref<16x16xf16, #workgroup>, vector<8xf16>
    %is_first = arith.cmpi ult, %t, %c16 : index
    cf.cond_br %is_first, ^copy, ^done
  ^copy:
    %q = vector.load %b[%t, %c0] : memref<16x8xf16>, vector<8xf16>
    vector.store %q, %bw[%t, %c0] : memref<16x8xf16, #workgroup>, vector<8xf16>
    cf.br ^done
  ^done:
    gpu.barrier
    %x = nvgpu.ldmatrix %aw[%row, %column] {numTiles = 4 : i32, transpose = false}
      : memref<16x16xf16, #workgroup> -> vector<4x2xf16>
    %y = nvgpu.ldmatrix %bw[%row, %c0] {numTiles = 2 : i32, transpose = true}
      : memref<16x8xf16, #workgroup> -> vector<2x2xf16>
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %d = nvgpu.mma.sync(%x, %y, %zero) {mmaShape = [16, 8, 16]}
      : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %i = arith.divui %t, %c4 : index
    %quarter = arith.remui %t, %c4 : index
    %j = arith.muli %quarter, %c2 : index
    %low = arith.addi %i, %c8 : index
    %upper = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    %lower = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %upper, %c[%i, %j] : memref<16x8xf32>, vector<2xf32>
    vector.store %lower, %c[%low, %j] : memref<16x8xf32>, vector<2xf32>
    gpu.return
  }
}
