// A convolutional step trains in place and copies nothing but its feeds: padded
// images are computed inside of their borders, and the phases of gradients inside
// of what they are parts of.
// A10, X2, X8:
// RUN: sed -e 's/OPTIMIZER/momentum<lr = 0.1, momentum = 0.9>/' %s > %t.momentum.mlir
// RUN: flywheel-opt %t.momentum.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize | FileCheck %s
// RUN: sed -e 's/OPTIMIZER/adam/' %s > %t.adam.mlir
// RUN: flywheel-opt %t.adam.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize | FileCheck %s
// RUN: flywheel-opt %t.adam.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg=lowering=reference --flywheel-fuse=lowering=reference --flywheel-bufferize=lowering=reference | FileCheck %s

// Every product is one of vectors.
// RUN: flywheel-opt %t.momentum.mlir --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops | FileCheck %s --check-prefix=LOOPS
// LOOPS-NOT: arith.mulf {{.*}} : f32
// LOOPS: vector.fma
// LOOPS-NOT: arith.mulf {{.*}} : f32

// CHECK-LABEL: func.func @step.kernel(
// CHECK-NOT: memref.alloc(
// CHECK-NOT: {{(linalg|memref).copy}}
// CHECK: memref.copy %{{[a-z0-9]+}}, %{{.*}} : memref<?x16x16x1xf32> to memref<?x16x16x1xf32, strided<[324, 18, 1, 1], offset: 19>>
// CHECK-NOT: memref.alloc(
// CHECK-NOT: {{(linalg|memref).copy}}
// CHECK: return %{{.*}} : i32
// CHECK-LABEL: func.func @init.kernel(

train.variable @w1 : tensor<3x3x1x8xf32> = #train.zeros
train.variable @b1 : tensor<8xf32> = #train.zeros
train.variable @w2 : tensor<3x3x8x16xf32> = #train.zeros

func.func @step(%x: tensor<?x16x16x1xf32>) -> tensor<f32> {
  %w1 = train.read @w1 : tensor<3x3x1x8xf32>
  %b1 = train.read @b1 : tensor<8xf32>
  %w2 = train.read @w2 : tensor<3x3x8x16xf32>
  %c1 = nn.conv2d %x, %w1 padding same : (tensor<?x16x16x1xf32>, tensor<3x3x1x8xf32>) -> tensor<?x16x16x8xf32>
  %v1 = nn.broadcast %b1 dims [3] like %c1 : (tensor<8xf32>, tensor<?x16x16x8xf32>) -> tensor<?x16x16x8xf32>
  %s1 = arith.addf %c1, %v1 : tensor<?x16x16x8xf32>
  %r1 = nn.relu %s1 : tensor<?x16x16x8xf32>
  %p1 = nn.max_pool2d %r1 window [2, 2] : (tensor<?x16x16x8xf32>) -> tensor<?x8x8x8xf32>
  %c2 = nn.conv2d %p1, %w2 strides [2, 2] padding same : (tensor<?x8x8x8xf32>, tensor<3x3x8x16xf32>) -> tensor<?x4x4x16xf32>
  %r2 = nn.relu %c2 : tensor<?x4x4x16xf32>
  %p2 = nn.max_pool2d %r2 window [3, 3] strides [2, 2] padding same : (tensor<?x4x4x16xf32>) -> tensor<?x2x2x16xf32>
  %y = nn.reduce sum %p2 axes [0, 1, 2, 3] : tensor<?x2x2x16xf32> -> tensor<f32>
  train.minimize %y : tensor<f32> with #train.OPTIMIZER
  return %y : tensor<f32>
}
