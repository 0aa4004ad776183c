// RUN: flywheel-opt %s --convert-nn-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// X11: the extents of what is made outside of a branch are checked in front of
// it, where the branch is taken.
// CHECK-LABEL: func @branch
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[W:.*]]: tensor<?x4xf32>, %[[C:.*]]: i1)
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[W]], %c0
// CHECK: %[[EQUAL:.*]] = linalg_ext.compare_sizes eq %[[COLUMNS]], %[[ROWS]]
// CHECK: %[[NOT:.*]] = arith.xori %[[C]], %true
// CHECK: %[[OK:.*]] = arith.ori %[[NOT]], %[[EQUAL]]
// CHECK: cf.assert %[[OK]], "expected equal contracted extents of a and b, found \01 and \02 in 'nn.matmul'
// CHECK: scf.if
// CHECK-NOT: cf.assert
// CHECK: linalg.matmul
// CHECK: } else {
// CHECK-NOT: cf.assert
// CHECK: return
func.func @branch(%x: tensor<?x?xf32>, %w: tensor<?x4xf32>, %c: i1) -> tensor<?x4xf32> {
  %r = scf.if %c -> tensor<?x4xf32> {
    %y = nn.matmul %x, %w : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %y : tensor<?x4xf32>
  } else {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x?xf32>
    %y = tensor.empty(%n) : tensor<?x4xf32>
    scf.yield %y : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// X11: and where a loop has an iteration; what it carries has the same extents
// in each.
// CHECK-LABEL: func @loop
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[W:.*]]: tensor<?x?xf32>, %[[N:.*]]: index)
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[W]], %c0
// CHECK-DAG: %[[EQUAL:.*]] = linalg_ext.compare_sizes eq %[[COLUMNS]], %[[ROWS]]
// CHECK-DAG: %[[NEVER:.*]] = arith.cmpi sle, %[[N]], %c0
// CHECK: %[[OK:.*]] = arith.ori %[[NEVER]], %[[EQUAL]]
// CHECK: cf.assert %[[OK]], "expected equal contracted extents of a and b, found \01 and \02 in 'nn.matmul'
// CHECK: scf.for
// CHECK-NOT: cf.assert
// CHECK: return
func.func @loop(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?x?xf32> {
    %y = nn.matmul %h, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// X11: in the body of a while loop, through a branch; the batch that a cast knows.
// CHECK-LABEL: func @while
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x?x3xf32>,
// CHECK: cf.assert %{{.*}}, "expected an image whose height is at least 3
// CHECK: cf.assert %{{.*}}, "expected an image whose width is at least 3
// CHECK: scf.while
// CHECK-NOT: cf.assert
// CHECK: return
func.func @while(%x: tensor<?x?x?x3xf32>, %w: tensor<3x3x3x3xf32>, %c: i1) -> tensor<?x?x?x3xf32> {
  %r = scf.while (%h = %x) : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
    scf.condition(%c) %h : tensor<?x?x?x3xf32>
  } do {
  ^bb0(%h: tensor<?x?x?x3xf32>):
    %s = scf.if %c -> tensor<?x?x?x3xf32> {
      %y = nn.conv2d %h, %w padding explicit [[1, 1], [1, 1]] : (tensor<?x?x?x3xf32>, tensor<3x3x3x3xf32>) -> tensor<?x?x?x3xf32>
      %z = nn.conv2d %y, %w padding explicit [[0, 0], [0, 0]] : (tensor<?x?x?x3xf32>, tensor<3x3x3x3xf32>) -> tensor<?x?x?x3xf32>
      scf.yield %y : tensor<?x?x?x3xf32>
    } else {
      scf.yield %h : tensor<?x?x?x3xf32>
    }
    scf.yield %s : tensor<?x?x?x3xf32>
  }
  return %r : tensor<?x?x?x3xf32>
}

// -----

// X2: over nothing there is no window that is padded as the image needs it: the
// check may stay behind.
// CHECK-LABEL: func @same
// CHECK: cf.assert %{{.*}}, "expected an image whose height is at least 1, that of one window in {{.*}}" {linalg_ext.safe}
func.func @same(%x: tensor<1x?x5x3xf32>) -> tensor<1x?x5x3xf32> {
  %y = nn.max_pool2d %x window [2, 2] strides [1, 1] padding same : (tensor<1x?x5x3xf32>) -> tensor<1x?x5x3xf32>
  return %y : tensor<1x?x5x3xf32>
}

// -----

// A check of an extent that is made inside stays there.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @inside(
// CHECK-SAME: %{{[^:]*}}: tensor<?xf32>, %[[N:[^:]*]]: index) -> tensor<f32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[N]] step %[[C1]] iter_args(%{{.*}} = %[[CST_2]]) -> (tensor<f32>) {
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[ITER]], %[[N]]) : tensor<?x?xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY]] : tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: %[[COMPARE_SIZES:.*]] = linalg_ext.compare_sizes eq %[[N]], %[[ITER]]
// CHECK-NEXT: cf.assert %[[COMPARE_SIZES]], "expected equal contracted extents of a and b, found \01 and \02 in 'nn.matmul' at {{.*}}"
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%[[FILL]], %[[FILL]] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%[[FILL]] : tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<f32>
// CHECK-NEXT: %[[FILL_2:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY_2]] : tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]]], iterator_types = ["reduction", "reduction"]} ins(%[[MATMUL]] : tensor<?x?xf32>) outs(%[[FILL_2]] : tensor<f32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %[[ELEMENT_2:.*]]: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_2]], %[[ELEMENT]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<f32>
// CHECK-NEXT: scf.yield %[[GENERIC]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : tensor<f32>
func.func @inside(%x: tensor<?xf32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> tensor<f32> {
    %e = tensor.empty(%i, %n) : tensor<?x?xf32>
    %z = arith.constant 0.0 : f32
    %a = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %y = nn.matmul %a, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %s = nn.reduce sum %y axes [0, 1] : tensor<?x?xf32> -> tensor<f32>
    scf.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}
