// Convolutions and pools: both syntaxes, and a fixpoint of print and parse.
// T1:
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s > %t.1 && flywheel-opt %t.1 > %t.2 && diff %t.1 %t.2

// X2, X3, X11:
// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%x: tensor<?x28x28x6xf32>, %w: tensor<5x5x6x16xf32>, %d: tensor<3x3x1x12xf32>, %y: tensor<?x?x?x16xf32>, %z: tensor<?x?x?x6xf32>) {
  // CHECK: nn.conv2d %arg0, %arg1 : (tensor<?x28x28x6xf32>, tensor<5x5x6x16xf32>) -> tensor<?x24x24x16xf32>
  %0 = nn.conv2d %x, %w strides [1, 1] padding valid dilations [1, 1] : (tensor<?x28x28x6xf32>, tensor<5x5x6x16xf32>) -> tensor<?x24x24x16xf32>
  // CHECK: nn.conv2d %arg0, %arg1 strides [2, 3] padding same :
  %1 = nn.conv2d %x, %w strides [2, 3] padding same : (tensor<?x28x28x6xf32>, tensor<5x5x6x16xf32>) -> tensor<?x14x10x16xf32>
  // Six groups, of two outputs each.
  // CHECK: nn.conv2d %arg0, %arg2 padding explicit {{\[\[}}1, 1], [0, 2]] dilations [1, 2] :
  %2 = nn.conv2d %x, %d padding explicit [[1, 1], [0, 2]] dilations [1, 2] : (tensor<?x28x28x6xf32>, tensor<3x3x1x12xf32>) -> tensor<?x28x26x12xf32>
  // CHECK: nn.conv2d_transpose %{{.*}}, %arg1 : (tensor<?x24x24x16xf32>, tensor<5x5x6x16xf32>) -> tensor<?x28x28x6xf32>
  %3 = nn.conv2d_transpose %0, %w : (tensor<?x24x24x16xf32>, tensor<5x5x6x16xf32>) -> tensor<?x28x28x6xf32>
  // CHECK: nn.conv2d_transpose %arg3, %arg1 like %arg4 strides [2, 2] padding same : (tensor<?x?x?x16xf32>, tensor<5x5x6x16xf32>, tensor<?x?x?x6xf32>) -> tensor<?x?x?x6xf32>
  %4 = nn.conv2d_transpose %y, %w like %z strides [2, 2] padding same : (tensor<?x?x?x16xf32>, tensor<5x5x6x16xf32>, tensor<?x?x?x6xf32>) -> tensor<?x?x?x6xf32>
  // CHECK: nn.conv2d_filter_grad %arg0, %{{.*}} strides [2, 3] padding same : (tensor<?x28x28x6xf32>, tensor<?x14x10x16xf32>) -> tensor<5x5x6x16xf32>
  %5 = nn.conv2d_filter_grad %x, %1 strides [2, 3] padding same : (tensor<?x28x28x6xf32>, tensor<?x14x10x16xf32>) -> tensor<5x5x6x16xf32>
  return
}

// In any order.
// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<?x28x28x6xf32>, %w: tensor<5x5x6x16xf32>) {
  // CHECK: nn.conv2d %arg0, %arg1 strides [2, 3] padding same dilations [2, 1] :
  %0 = nn.conv2d %x, %w padding same dilations [2, 1] strides [2, 3] : (tensor<?x28x28x6xf32>, tensor<5x5x6x16xf32>) -> tensor<?x14x10x16xf32>
  // CHECK: nn.avg_pool2d %arg0 window [2, 2] strides [3, 3] padding same :
  %1 = nn.avg_pool2d %x padding same strides [3, 3] window [2, 2] : (tensor<?x28x28x6xf32>) -> tensor<?x10x10x6xf32>
  return
}

// X8:
// CHECK-LABEL: func.func @pools
func.func @pools(%x: tensor<?x8x8x?xbf16>, %z: tensor<?x?x8x4xbf16>) {
  // CHECK: nn.max_pool2d %arg0 window [2, 2] : (tensor<?x8x8x?xbf16>) -> tensor<?x4x4x?xbf16>
  %0 = nn.max_pool2d %x window [2, 2] strides [2, 2] : (tensor<?x8x8x?xbf16>) -> tensor<?x4x4x?xbf16>
  // CHECK: nn.max_pool2d_grad %arg0, %{{.*}} window [2, 2] :
  %1 = nn.max_pool2d_grad %x, %0 window [2, 2] : (tensor<?x8x8x?xbf16>, tensor<?x4x4x?xbf16>) -> tensor<?x8x8x?xbf16>
  // CHECK: nn.max_pool2d_select %arg0, %arg0 window [3, 3] strides [2, 2] padding same :
  %2 = nn.max_pool2d_select %x, %x window [3, 3] strides [2, 2] padding same : (tensor<?x8x8x?xbf16>, tensor<?x8x8x?xbf16>) -> tensor<?x4x4x?xbf16>
  // CHECK: nn.avg_pool2d %arg0 window [2, 2] strides [1, 1] padding explicit {{\[\[}}1, 0], [0, 1]] :
  %3 = nn.avg_pool2d %x window [2, 2] strides [1, 1] padding explicit [[1, 0], [0, 1]] : (tensor<?x8x8x?xbf16>) -> tensor<?x8x8x?xbf16>
  // CHECK: nn.avg_pool2d_grad %{{.*}} window [2, 2] strides [1, 1] padding explicit {{\[\[}}1, 0], [0, 1]] :
  %4 = nn.avg_pool2d_grad %3 window [2, 2] strides [1, 1] padding explicit [[1, 0], [0, 1]] : (tensor<?x8x8x?xbf16>) -> tensor<?x8x8x?xbf16>
  // CHECK: nn.avg_pool2d_grad %arg1 like %arg1 window [1, 1] : (tensor<?x?x8x4xbf16>, tensor<?x?x8x4xbf16>) -> tensor<?x?x8x4xbf16>
  %5 = nn.avg_pool2d_grad %z like %z window [1, 1] : (tensor<?x?x8x4xbf16>, tensor<?x?x8x4xbf16>) -> tensor<?x?x8x4xbf16>
  return
}

// CHECK-LABEL: func.func private @padding
// CHECK-SAME: attributes {a = #nn.padding<same>, b = #nn.padding<explicit {{\[\[}}0, 1], [2, 3]]>}
func.func private @padding() attributes {a = #nn.padding<same>, b = #nn.padding<explicit [[0, 1], [2, 3]]>}
