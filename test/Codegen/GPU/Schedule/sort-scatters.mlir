// RUN: flywheel-opt %s --flywheel-sort-scatters --split-input-file | FileCheck %s

// D9: A scatter of many indices gets an order of them: of a list, below the size that they are
// indices into.
// CHECK-LABEL: func.func @many(
// CHECK-SAME: %[[Y:[^:]*]]: tensor<2x8x4xf32>, %[[I:[^:]*]]: tensor<?x3xi16>, %[[U:[^:]*]]: tensor<2x?x3x4xf32>)
// CHECK-DAG: %[[LIMIT:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[LIST:.*]] = tensor.collapse_shape %[[I]] {{\[}}[0, 1]] : tensor<?x3xi16> into tensor<?xi16>
// CHECK: %[[ORDER:.*]]:2 = linalg_ext.argsort ins(%[[LIST]] : tensor<?xi16>) below %[[LIMIT]]
// CHECK: linalg_ext.scatter add ins(%[[I]], %[[U]] : {{.*}}) outs(%[[Y]] : {{.*}}) axis 1 order %[[ORDER]]#0 : tensor<?xi64>
// EXAMPLE: --flywheel-sort-scatters
func.func @many(%y: tensor<2x8x4xf32>, %i: tensor<?x3xi16>, %u: tensor<2x?x3x4xf32>) -> tensor<2x8x4xf32> {
  %0 = linalg_ext.scatter add ins(%i, %u : tensor<?x3xi16>, tensor<2x?x3x4xf32>) outs(%y : tensor<2x8x4xf32>) axis 1 -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}

// -----

// For a few updates, one thread after the other is faster than two launches.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: argsort
// CHECK: linalg_ext.scatter replace {{.*}} axis 0 -> tensor<8x4xf32>
func.func @few(%y: tensor<8x4xf32>, %i: tensor<16xi32>, %u: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg_ext.scatter replace ins(%i, %u : tensor<16xi32>, tensor<16x4xf32>) outs(%y : tensor<8x4xf32>) axis 0 -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// An existing sort needs no room for counts either, unless something reads them.
// CHECK-LABEL: func.func @sort(
// CHECK: %[[ORDER:.*]]:2 = linalg_ext.argsort ins(%{{.*}} : tensor<?xi32>) below %{{.*}} outs(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>, tensor<?xi64>
// CHECK: linalg_ext.argsort {{.*}} tensor<2048xi64>)
// CHECK: return %[[ORDER]]#0, %
func.func @sort(%i: tensor<?xi32>, %o: tensor<?xi64>, %s: tensor<?xi64>, %c: tensor<2048xi64>, %n: index) -> (tensor<?xi64>, tensor<2048xi64>) {
  %0:3 = linalg_ext.argsort ins(%i : tensor<?xi32>) below %n outs(%o, %s, %c : tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>)
      -> tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>
  %1:3 = linalg_ext.argsort ins(%i : tensor<?xi32>) below %n outs(%o, %s, %c : tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>)
      -> tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>
  return %0#0, %1#2 : tensor<?xi64>, tensor<2048xi64>
}

// -----

// The initializer is the host's.
// CHECK-LABEL: func.func @init(
// CHECK-NOT: argsort
func.func @init(%y: tensor<8x4xf32>, %i: tensor<99xi32>, %u: tensor<99x4xf32>) -> tensor<8x4xf32> attributes {train.initializer} {
  %0 = linalg_ext.scatter add ins(%i, %u : tensor<99xi32>, tensor<99x4xf32>) outs(%y : tensor<8x4xf32>) axis 0 -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
