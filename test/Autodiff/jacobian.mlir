// RUN: flywheel-opt %s --train-autodiff --canonicalize --cse --split-input-file | FileCheck %s

// G5, G6: per-example gradients of a network written for a batch. The forward
// part is there once, the backward part is that of the sum of the losses, and
// the gradient of each weight is one product for each example: nothing has two
// dynamic dimension sizes.
// CHECK-DAG: #[[$X:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$DZ:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$DW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func @examples
// CHECK-SAME: (%[[X0:.*]]: tensor<?x8xf32>, %[[LABEL:.*]]: tensor<?xi32>, %[[W1:.*]]: tensor<8x16xf32>, %{{.*}}: tensor<16xf32>, %[[W2:.*]]: tensor<16x3xf32>
// CHECK-NOT: tensor<?x?
// CHECK: %[[Z:.*]] = nn.dense %[[X0]], %[[W1]]
// CHECK-NEXT: %[[H:.*]] = nn.relu %[[Z]]
// CHECK-NEXT: %[[O:.*]] = nn.matmul %[[H]], %[[W2]]
// CHECK-NOT: nn.dense
// CHECK-NOT: nn.relu
// CHECK: nn.softmax %[[O]] : tensor<?x3xf32>
// CHECK-NOT: tensor<?x?
// CHECK: %[[DO:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<?x3xf32>
// CHECK: nn.matmul %[[DO]], %[[W2]] {transpose_b} : (tensor<?x3xf32>, tensor<16x3xf32>) -> tensor<?x16xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$DZ]], #[[$DW]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[H]], %[[DO]] : tensor<?x16xf32>, tensor<?x3xf32>)
// CHECK: arith.mulf
// CHECK: %[[DZ1:.*]] = arith.select %{{.*}} : tensor<?x16xi1>, tensor<?x16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X0]], %[[DZ1]] : tensor<?x8xf32>, tensor<?x16xf32>)
// CHECK-NOT: tensor<?x?
// CHECK-NOT: nn.matmul
// CHECK: return %{{.*}}, %[[DZ1]], %{{.*}} : tensor<?x8x16xf32>, tensor<?x16xf32>, tensor<?x16x3xf32>
func.func @examples(%x: tensor<?x8xf32>, %label: tensor<?xi32>, %w1: tensor<8x16xf32>, %b1: tensor<16xf32>,
                    %w2: tensor<16x3xf32>) -> (tensor<?x8x16xf32>, tensor<?x16xf32>, tensor<?x16x3xf32>) {
  %z = nn.dense %x, %w1, %b1 : (tensor<?x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %h = nn.relu %z : tensor<?x16xf32>
  %o = nn.matmul %h, %w2 : (tensor<?x16xf32>, tensor<16x3xf32>) -> tensor<?x3xf32>
  %loss = nn.sparse_softmax_cross_entropy %o, %label reduction none : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<?xf32>
  %j:3 = train.jacobian %loss wrt %w1, %b1, %w2 : (tensor<?xf32>, tensor<8x16xf32>, tensor<16xf32>, tensor<16x3xf32>)
      -> (tensor<?x8x16xf32>, tensor<?x16xf32>, tensor<?x16x3xf32>)
  return %j#0, %j#1, %j#2 : tensor<?x8x16xf32>, tensor<?x16xf32>, tensor<?x16x3xf32>
}

// -----

// The Jacobian of each example of a batch: where an example depends on no other,
// there is no product for the others. The first product, with the identity, is
// none.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[V:.*]]: tensor<8x8xf32>, %[[W:.*]]: tensor<8x3xf32>)
// CHECK: %[[A:.*]] = nn.matmul %[[X]], %[[V]]
// CHECK: %[[H:.*]] = math.tanh %[[A]]
// CHECK-NOT: math.tanh
// CHECK: %[[DH:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} ins(%{{.*}}, %[[W]] : tensor<4x3xf32>, tensor<8x3xf32>)
// CHECK: %[[DA:.*]] = arith.mulf %[[DH]], %{{.*}} : tensor<3x4x8xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[DA]], %[[V]] : tensor<3x4x8xf32>, tensor<8x8xf32>) outs(%{{.*}} : tensor<3x4x8xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%{{.*}} : tensor<3x4x8xf32>) outs(%{{.*}} : tensor<4x3x4x8xf32>)
// CHECK: linalg.index
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rows(%x: tensor<4x8xf32>, %v: tensor<8x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3x4x8xf32> {
  %a = nn.matmul %x, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %h = math.tanh %a : tensor<4x8xf32>
  %y = nn.matmul %h, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %j = train.jacobian %y wrt %x mode reverse : (tensor<4x3xf32>, tensor<4x8xf32>) -> tensor<4x3x4x8xf32>
  return %j : tensor<4x3x4x8xf32>
}

// -----

// Auto is forward where x has fewer elements: two columns, not eight rows, and
// one column where x is a number.
// CHECK-LABEL: func @columns
// CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor<2x8xf32>
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x8xf32>)
// CHECK-NOT: tensor<8x8xf32>
// CHECK: return
func.func @columns(%x: tensor<2xf32>, %w: tensor<2x8xf32>) -> tensor<8x2xf32> {
  %row = tensor.expand_shape %x [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
  %p = nn.matmul %row, %w : (tensor<1x2xf32>, tensor<2x8xf32>) -> tensor<1x8xf32>
  %flat = tensor.collapse_shape %p [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  %y = math.tanh %flat : tensor<8xf32>
  %j = train.jacobian %y wrt %x : (tensor<8xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  return %j : tensor<8x2xf32>
}

// CHECK-LABEL: func @column
// CHECK-SAME: (%[[X:.*]]: tensor<f32>, %[[T:.*]]: tensor<?xf32>)
// CHECK: %[[REPEATED:.*]] = nn.broadcast %{{.*}} dims [] like %[[T]]
// CHECK: arith.mulf %[[REPEATED]], %[[T]]
// CHECK-NOT: linalg
// CHECK: return
func.func @column(%x: tensor<f32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %xs = nn.broadcast %x dims [] like %t : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %y = arith.mulf %xs, %t : tensor<?xf32>
  %j = train.jacobian %y wrt %x : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %j : tensor<?xf32>
}

// -----

// Five rows, two at once: a loop, and one row after it. Values that do not
// depend on the row are computed before the loop.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @chunks(
// CHECK-SAME: %[[X:[^:]*]]: tensor<5xf32>) -> tensor<5x5xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[X]] : tensor<5xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<5x5xf32>
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[C4]] step %[[C2]] iter_args(%[[ITER_2:.*]] = %[[EMPTY]]) -> (tensor<5x5xf32>) {
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<2x5xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]]], iterator_types = ["parallel", "parallel"]} outs(%[[EMPTY_2]] : tensor<2x5xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: f32):
// CHECK-NEXT: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK-NEXT: %[[INDEX_2:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[ITER]], %[[INDEX_2]] : index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi eq, %[[ADDI]], %[[INDEX]] : index
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[CST_2]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[SELECT]] : f32
// CHECK-NEXT: } -> tensor<2x5xf32>
// CHECK-NEXT: %[[BROADCAST:.*]] = nn.broadcast %[[EXP]] dims [1] : (tensor<5xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[GENERIC]], %[[BROADCAST]] : tensor<2x5xf32>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[MULF]] into %[[ITER_2]][%[[ITER]], 0] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<5x5xf32>
// CHECK-NEXT: scf.yield %[[INSERT_SLICE]] : tensor<5x5xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[EMPTY_3:.*]] = tensor.empty() : tensor<1x5xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP]]], iterator_types = ["parallel", "parallel"]} outs(%[[EMPTY_3]] : tensor<1x5xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: f32):
// CHECK-NEXT: %[[INDEX_3:.*]] = linalg.index 1 : index
// CHECK-NEXT: %[[CMPI_2:.*]] = arith.cmpi eq, %[[INDEX_3]], %[[C4]] : index
// CHECK-NEXT: %[[SELECT_2:.*]] = arith.select %[[CMPI_2]], %[[CST_2]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[SELECT_2]] : f32
// CHECK-NEXT: } -> tensor<1x5xf32>
// CHECK-NEXT: %[[BROADCAST_2:.*]] = nn.broadcast %[[EXP]] dims [1] : (tensor<5xf32>) -> tensor<1x5xf32>
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[GENERIC_2]], %[[BROADCAST_2]] : tensor<1x5xf32>
// CHECK-NEXT: %[[INSERT_SLICE_2:.*]] = tensor.insert_slice %[[MULF_2]] into %[[FOR]][4, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<5x5xf32>
// CHECK-NEXT: return %[[INSERT_SLICE_2]] : tensor<5x5xf32>
func.func @chunks(%x: tensor<5xf32>) -> tensor<5x5xf32> {
  %y = math.exp %x : tensor<5xf32>
  %j = train.jacobian %y wrt %x mode reverse chunk 2 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5x5xf32>
  return %j : tensor<5x5xf32>
}

// -----

// G16: through time, the reverse loop carries diagonal and dense values.
// CHECK-LABEL: func @recurrent
// CHECK-NOT: tensor<6x6x4xf32>
// CHECK: scf.for
// CHECK: nn.matmul
// CHECK: scf.for {{.*}} iter_args(%[[DH:.*]] = %{{.*}}, %[[DW:.*]] = %{{.*}}) -> (tensor<6x4xf32>, tensor<6x4x4xf32>)
// CHECK-NOT: tensor<6x6x4xf32>
// CHECK: return
func.func @recurrent(%h0: tensor<6x4xf32>, %w: tensor<4x4xf32>) -> tensor<6x4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %h = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %h0) -> tensor<6x4xf32> {
    %b = nn.matmul %h, %w : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
    %next = math.tanh %b : tensor<6x4xf32>
    scf.yield %next : tensor<6x4xf32>
  }
  %loss = nn.reduce sum %h axes [1] : tensor<6x4xf32> -> tensor<6xf32>
  %j = train.jacobian %loss wrt %w : (tensor<6xf32>, tensor<4x4xf32>) -> tensor<6x4x4xf32>
  return %j : tensor<6x4x4xf32>
}

// -----

// The rows of a sequence are merged with the batch: a position meets a block of
// them, and its gradient is the product of the blocks.
// CHECK-LABEL: func @sequences
// CHECK-SAME: (%[[X:.*]]: tensor<?x6x8xf32>, %[[W:.*]]: tensor<8x4xf32>)
// CHECK-NOT: tensor<?x?x
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<?x6x8xf32>, tensor<?x6x4xf32>) outs(%{{.*}} : tensor<?x8x4xf32>)
// CHECK-NOT: tensor<?x?x
// CHECK: return
func.func @sequences(%x: tensor<?x6x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x8x4xf32> {
  %z = nn.dense %x, %w : (tensor<?x6x8xf32>, tensor<8x4xf32>) -> tensor<?x6x4xf32>
  %h = math.tanh %z : tensor<?x6x4xf32>
  %loss = nn.reduce sum %h axes [1, 2] : tensor<?x6x4xf32> -> tensor<?xf32>
  %j = train.jacobian %loss wrt %w : (tensor<?xf32>, tensor<8x4xf32>) -> tensor<?x8x4xf32>
  return %j : tensor<?x8x4xf32>
}

// -----

// The derivative of a convolution by its filter takes only the image of a position.
// CHECK-LABEL: func @images
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x8x2xf32>, %[[F:.*]]: tensor<3x3x2x4xf32>)
// CHECK-NOT: tensor<?x?x
// CHECK: scf.for %[[N:.*]] = %{{.*}} iter_args(%{{.*}}) -> (tensor<?x3x3x2x4xf32>)
// CHECK: tensor.extract_slice %[[X]][%[[N]], 0, 0, 0] [1, 8, 8, 2]
// CHECK: nn.conv2d_filter_grad %{{.*}} : (tensor<1x8x8x2xf32>, tensor<1x6x6x4xf32>) -> tensor<3x3x2x4xf32>
// CHECK-NOT: tensor<?x?x
// CHECK: return
func.func @images(%x: tensor<?x8x8x2xf32>, %f: tensor<3x3x2x4xf32>) -> tensor<?x3x3x2x4xf32> {
  %y = nn.conv2d %x, %f : (tensor<?x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<?x6x6x4xf32>
  %loss = nn.reduce sum %y axes [1, 2, 3] : tensor<?x6x6x4xf32> -> tensor<?xf32>
  %j = train.jacobian %loss wrt %f : (tensor<?xf32>, tensor<3x3x2x4xf32>) -> tensor<?x3x3x2x4xf32>
  return %j : tensor<?x3x3x2x4xf32>
}
