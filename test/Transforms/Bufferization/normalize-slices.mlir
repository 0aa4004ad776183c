// RUN: flywheel-opt %s --flywheel-normalize-slices | FileCheck %s

// Only the strides of one position are set, known or not.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x8x8xf32>, %{{.*}}: tensor<8xf32>, %[[S:.*]]: index
// CHECK: tensor.extract_slice %[[X]][1, 2, 0] [1, 3, 1] [1, 2, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[X]][0, 0, 1] [1, %[[S]], 1] [1, %[[S]], 1]
// EXAMPLE: --flywheel-normalize-slices
func.func @slices(%x: tensor<8x8x8xf32>, %y: tensor<8xf32>, %s: index) -> (tensor<3xf32>, tensor<8x8x8xf32>) {
  %0 = tensor.extract_slice %x[1, 2, 0] [1, 3, 1] [2, 2, %s] : tensor<8x8x8xf32> to tensor<3xf32>
  %1 = tensor.extract_slice %y[0] [%s] [1] : tensor<8xf32> to tensor<?xf32>
  %2 = tensor.insert_slice %1 into %x[0, 0, 1] [1, %s, 1] [%s, %s, 3] : tensor<?xf32> into tensor<8x8x8xf32>
  return %0, %2 : tensor<3xf32>, tensor<8x8x8xf32>
}
