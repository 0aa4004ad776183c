// Each stage runs alone, and leaves what its description says.
// RUN: flywheel-opt %s --flywheel-expand | FileCheck %s --check-prefix=EXPAND
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff | FileCheck %s --check-prefix=AUTODIFF
// RUN: flywheel-compile %s --emit=flywheel-functionalize | FileCheck %s --check-prefix=FUNCTIONALIZE
// RUN: flywheel-compile %s --emit=flywheel-linalg | FileCheck %s --check-prefix=LINALG
// RUN: flywheel-compile %s --emit=flywheel-fuse | FileCheck %s --check-prefix=FUSE
// RUN: flywheel-compile %s --emit=flywheel-bufferize | FileCheck %s --check-prefix=BUFFERIZE
// RUN: flywheel-compile %s --emit=flywheel-loops | FileCheck %s --check-prefix=LOOPS
// RUN: flywheel-compile %s --emit=flywheel-loops --lowering=reference | FileCheck %s --check-prefix=REFERENCE
// RUN: flywheel-compile %s --emit=flywheel-llvm | FileCheck %s --check-prefix=LLVM
// RUN: not flywheel-compile %s --emit=flywheel-nothing 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not flywheel-opt %s --flywheel-fuse=lowering=fast 2>&1 | FileCheck %s --check-prefix=LOWERING

// EXPAND: train.gradient
// EXPAND-NOT: train.minimize
// EXPAND: func.func @init
// AUTODIFF: train.read
// AUTODIFF-NOT: train.gradient
// FUNCTIONALIZE-NOT: train.read @
// FUNCTIONALIZE: nn.matmul
// FUNCTIONALIZE: train.sgd
// LINALG-NOT: nn.
// LINALG: linalg.matmul
// FUSE: scf.for
// FUSE: linalg.matmul
// BUFFERIZE: train.manifest
// BUFFERIZE: func.func @step.kernel(
// BUFFERIZE-NOT: tensor.
// LOOPS-NOT: linalg.
// LOOPS: vector.
// REFERENCE-NOT: linalg.
// REFERENCE-NOT: vector.
// REFERENCE: memref.load
// LLVM: llvm.func internal @step.kernel
// LLVM: llvm.func @stages_step
// UNKNOWN: unknown kind of output 'flywheel-nothing'; expected one of: obj, asm, llvm-ir, flywheel-expand
// LOWERING: fast

module {
train.variable @w : tensor<64x32xf32>
func.func @step(%x: tensor<?x64xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<64x32xf32>
  %z = nn.matmul %x, %w : (tensor<?x64xf32>, tensor<64x32xf32>) -> tensor<?x32xf32>
  %sq = arith.mulf %z, %z : tensor<?x32xf32>
  %loss = nn.reduce mean %sq axes [0, 1] : tensor<?x32xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
}
