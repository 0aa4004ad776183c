// RUN: flywheel-opt %s --train-autodiff --split-input-file | FileCheck %s

// CHECK-LABEL: func @collapse_shape
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [%[[N]], 3, 2] : tensor<?x2xf32> into tensor<?x3x2xf32>
func.func @collapse_shape(%x: tensor<?x3x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x3x2xf32> {
  %y = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x3x2xf32> into tensor<?x2xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<?x2xf32>, tensor<?x3x2xf32>, tensor<?x2xf32>) -> tensor<?x3x2xf32>
  return %d : tensor<?x3x2xf32>
}

// -----

// CHECK-LABEL: func @slices
// CHECK-DAG: tensor.extract_slice %[[G:.*]][1, 0] [2, 3] [1, 2] : tensor<4x6xf32> to tensor<2x3xf32>
// CHECK-DAG: tensor.insert_slice %{{.*}} into %[[G]][1, 0] [2, 3] [1, 2] : tensor<2x3xf32> into tensor<4x6xf32>
func.func @slices(%s: tensor<2x3xf32>, %x: tensor<4x6xf32>, %g: tensor<4x6xf32>) -> (tensor<2x3xf32>, tensor<4x6xf32>) {
  %y = tensor.insert_slice %s into %x[1, 0] [2, 3] [1, 2] : tensor<2x3xf32> into tensor<4x6xf32>
  %d:2 = train.gradient %y wrt %s, %x grad_ys %g
      : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<2x3xf32>, tensor<4x6xf32>)
  return %d#0, %d#1 : tensor<2x3xf32>, tensor<4x6xf32>
}

// -----

// The second part starts where the first one ends.
// CHECK-LABEL: func @concat
// CHECK: %[[N:.*]] = tensor.dim %[[A:.*]], %
// CHECK: tensor.extract_slice %[[G:.*]][0, 0] [%[[N]], 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
// CHECK: %[[FROM:.*]] = arith.addi %{{.*}}, %[[N]]
// CHECK: tensor.extract_slice %[[G]][%[[FROM]], 0] [2, 3] [1, 1] : tensor<?x3xf32> to tensor<2x3xf32>
func.func @concat(%a: tensor<?x3xf32>, %b: tensor<2x3xf32>, %g: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<2x3xf32>) {
  %y = tensor.concat dim(0) %a, %b : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %d:2 = train.gradient %y wrt %a, %b grad_ys %g
      : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<2x3xf32>)
  return %d#0, %d#1 : tensor<?x3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func @pad
// CHECK: tensor.extract_slice %{{.*}}[1] [4] [1] : tensor<7xf32> to tensor<4xf32>
func.func @pad(%x: tensor<4xf32>, %g: tensor<7xf32>) -> tensor<4xf32> {
  %p = arith.constant 1.0 : f32
  %y = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %p : f32
  } : tensor<4xf32> to tensor<7xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<7xf32>, tensor<4xf32>, tensor<7xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// Scalars in between tensors are differentiated like them.
// CHECK-LABEL: func @elements
// CHECK: %[[S:.*]] = tensor.extract %[[X:.*]][%[[I:.*]]]
// CHECK: %[[DT:.*]] = tensor.extract %[[G:.*]][]
// CHECK: arith.mulf %[[DT]], %[[S]] : f32
// CHECK: %[[DS:.*]] = arith.addf {{.*}} : f32
// CHECK: tensor.insert %[[DS]] into %{{.*}}[%[[I]]] : tensor<4xf32>
func.func @elements(%x: tensor<4xf32>, %g: tensor<f32>) -> tensor<4xf32> {
  %i = arith.constant 1 : index
  %s = tensor.extract %x[%i] : tensor<4xf32>
  %t = arith.mulf %s, %s : f32
  %y = tensor.from_elements %t : tensor<f32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// G1: what is read of a tensor is added to one accumulator, also where all of it is read
// before any of it is used.
// CHECK-LABEL: func @parts
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32>,
// CHECK-NOT: tensor<3x4xf32>{{.*}}arith.addf
// CHECK: %[[C:.*]] = arith.mulf %arg1, %0
// CHECK: %[[THIRD:.*]] = tensor.insert_slice %[[C]] into %{{.*}}[2, 0]
// CHECK: %[[A:.*]] = arith.mulf
// CHECK: %[[B:.*]] = arith.mulf
// Parts that are apart are put into zeros: nothing is read of them.
// CHECK-NOT: tensor.extract_slice
// CHECK-NOT: arith.addf
// CHECK: %[[SECOND:.*]] = tensor.insert_slice %[[B]] into %[[THIRD]][1, 0]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %[[SECOND]][0, 0]
// CHECK: return %[[FIRST]]
func.func @parts(%x: tensor<3x4xf32>, %g: tensor<4xf32>) -> tensor<3x4xf32> {
  %a = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
  %b = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
  %c = tensor.extract_slice %x[2, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
  %ab = arith.mulf %a, %b : tensor<4xf32>
  %y = arith.mulf %ab, %c : tensor<4xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %d : tensor<3x4xf32>
}

// -----

// G1: a part that another one overlaps is added to the elements there.
// CHECK-LABEL: func @overlapping_parts
// CHECK: %[[LAST:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[1] [3]
// CHECK: %[[THERE:.*]] = tensor.extract_slice %[[LAST]][0] [3]
// CHECK: %[[SUM:.*]] = arith.addf %[[THERE]], %{{.*}} : tensor<3xf32>
// CHECK: %[[BOTH:.*]] = tensor.insert_slice %[[SUM]] into %[[LAST]][0] [3]
// CHECK: return %[[BOTH]]
func.func @overlapping_parts(%x: tensor<4xf32>, %g: tensor<3xf32>) -> tensor<4xf32> {
  %a = tensor.extract_slice %x[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
  %b = tensor.extract_slice %x[1] [3] [1] : tensor<4xf32> to tensor<3xf32>
  %y = arith.mulf %a, %b : tensor<3xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
