// RUN: flywheel-compile %s --emit=flywheel-bufferize -o - | FileCheck %s
// RUN: flywheel-compile %s --emit=flywheel-bufferize --lowering=reference -o - | FileCheck %s

// V13, A10: an update and its projection write the variable and nothing else:
// no copy, and no buffer of the variable's size.
// CHECK-LABEL: func.func @step.kernel
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.alloc()
// CHECK: return
train.variable @w : tensor<512x256xf32> {constraint = #train.max_norm<max = 2.0>}
train.variable @v : tensor<512x256xf32> {constraint = #train.non_neg}
func.func @step(%x: tensor<512x256xf32>) {
  %w = train.read @w : tensor<512x256xf32>
  %v = train.read @v : tensor<512x256xf32>
  %vx = arith.mulf %v, %x : tensor<512x256xf32>
  %loss = arith.mulf %w, %vx : tensor<512x256xf32>
  train.minimize %loss : tensor<512x256xf32> with #train.sgd<lr = 0.1, momentum = 0.9>
  return
}
