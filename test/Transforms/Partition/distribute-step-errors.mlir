// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(flywheel-distribute-step{workers=2 min-work=1 min-loop-work=1}))'
// RUN: not flywheel-opt %s -pass-pipeline='builtin.module(func.func(flywheel-distribute-step{workers=0}))' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not flywheel-opt %s -pass-pipeline='builtin.module(func.func(flywheel-distribute-step{workers=257}))' 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: error: expected 1 to 256 'workers', found {{0|257}}

func.func private @other(memref<64x64xf32>)

func.func @unknown_effects(%x: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<64x64xf32>)
  // expected-remark @below {{one worker executes 'unknown_effects': it is not known what this touches}}
  call @other(%x) : (memref<64x64xf32>) -> ()
  return
}
