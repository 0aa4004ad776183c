// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(flywheel-distribute-step{workers=2 min-work=10000 min-loop-work=1000 report=true}))'

// Rows do not cross; %y, whose columns are read, crosses once, although two ops read
// them. So does %x: what is transposed has larger blocks.
// expected-remark @below {{up to 2 workers execute 'columns', with about 2 barriers and 32768 bytes that one worker reads and another wrote}}
func.func @columns(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
  linalg.exp ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  linalg.exp ins(%y : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  linalg.transpose ins(%y : memref<64x64xf32>) outs(%z : memref<64x64xf32>) permutation = [1, 0]
  linalg.transpose ins(%y : memref<64x64xf32>) outs(%x : memref<64x64xf32>) permutation = [1, 0]
  linalg.exp ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  return
}

// -----

// Each of eight iterations waits twice, and reads %y; all but the first one read %x,
// which was written in the one before.
// expected-remark @below {{up to 2 workers execute 'loop', with about 16 barriers and 245760 bytes that one worker reads and another wrote}}
func.func @loop(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.exp ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
    linalg.transpose ins(%y : memref<64x64xf32>) outs(%x : memref<64x64xf32>) permutation = [1, 0]
  }
  return
}

// -----

// expected-remark @below {{one worker executes 'small': about 4096 operations, and 10000 are worth sharing}}
func.func @small(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  memref.copy %x, %y : memref<64x64xf32> to memref<64x64xf32>
  return
}

// -----

// It takes no team.
func.func @init(%x: memref<512x64xf32>, %y: memref<512x64xf32>) {
  linalg.exp ins(%x : memref<512x64xf32>) outs(%y : memref<512x64xf32>)
  return
}
