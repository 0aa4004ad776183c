// A step of training keeps no gradient in memory (the promise of fused updates):
// the only buffers of the weights' size are the variables and slots themselves, and
// those are views of the state, argument 0.
// RUN: sed -e 's/OPTIMIZER/sgd<lr = 0.1, momentum = 0.9>/' %s > %t.sgd.mlir
// RUN: flywheel-opt %t.sgd.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize | FileCheck %s
// RUN: sed -e 's/OPTIMIZER/momentum<lr = 0.1, momentum = 0.9>/' %s > %t.momentum.mlir
// RUN: flywheel-opt %t.momentum.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize | FileCheck %s
// RUN: sed -e 's/OPTIMIZER/adam/' %s > %t.adam.mlir
// RUN: flywheel-opt %t.adam.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize | FileCheck %s

// No allocation and no library call for one is left either.
// RUN: flywheel-opt %t.adam.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops --flywheel-llvm | FileCheck %s --check-prefix=LLVM
// RUN: flywheel-opt %t.adam.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg=lowering=reference --flywheel-fuse=lowering=reference --flywheel-bufferize=lowering=reference --flywheel-loops=lowering=reference --flywheel-llvm=lowering=reference | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @step.kernel(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %[[WORKSPACE:[^:]*]]: memref<?xi8>
// CHECK-NOT: memref.alloc(
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.view %[[WORKSPACE]]{{.*}} to memref<64x128xf32>
// CHECK: memref.view %[[STATE]]{{.*}} to memref<64x128xf32>
// CHECK-NOT: memref.alloc(
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.alloca{{.*}} : memref<64x128xf32>
// CHECK-NOT: memref.view %[[WORKSPACE]]{{.*}} to memref<64x128xf32>
// CHECK: return %{{.*}} : i32
// CHECK-LABEL: func.func @init.kernel(

// LLVM-NOT: @malloc
// LLVM-NOT: @aligned_alloc
// LLVM-NOT: memref.alloc
// LLVM-NOT: @memrefCopy
// LLVM: llvm.func internal @step.kernel
// LLVM-NOT: @malloc
// LLVM-NOT: @aligned_alloc

module {
train.variable @w : tensor<64x128xf32>
train.variable @b : tensor<128xf32>
func.func @step(%x: tensor<?x64xf32>, %y: tensor<?x128xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<64x128xf32>
  %b = train.read @b : tensor<128xf32>
  %z = nn.dense %x, %w, %b : (tensor<?x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %d = arith.subf %z, %y : tensor<?x128xf32>
  %sq = arith.mulf %d, %d : tensor<?x128xf32>
  %loss = nn.reduce mean %sq axes [0, 1] : tensor<?x128xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.OPTIMIZER
  return %loss : tensor<f32>
}
}
