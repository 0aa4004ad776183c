// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt %s --flywheel-outline-kernels --duplicate-function-elimination | FileCheck %s

// O28: updates of eight sizes or more are one function of a dynamic size.
#one = affine_map<(i) -> (i)>
#two = affine_map<(i, j) -> (i, j)>
#three = affine_map<(i, j, k) -> (i, j, k)>
#n1 = affine_map<(i) -> ()>
#n2 = affine_map<(i, j) -> ()>
#n3 = affine_map<(i, j, k) -> ()>

// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0) -> ()>
// CHECK: func.func private @many.generic.N.0(%{{.*}}: f32, %{{.*}}: memref<f32>, %{{.*}}: memref<?xf32>)
// CHECK-NEXT: linalg.generic {indexing_maps = [#[[NONE]], #[[SAME]]], iterator_types = ["parallel"]}
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @many.kernel(
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : memref<4x6xf32> into memref<24xf32>
// CHECK: %[[CAST:.*]] = memref.cast %[[FLAT]] : memref<24xf32> to memref<?xf32>
// CHECK-NEXT: call @many.generic.N.0(%{{.*}}, %{{.*}}, %[[CAST]])
// CHECK-COUNT-4: call @many.generic.N.0(
// CHECK: return
func.func @many.kernel(%rate: f32, %other: f32, %c: memref<f32>, %a0: memref<3xf32>, %a1: memref<5xf32>, %a2: memref<17xf32>, %a3: memref<4x6xf32>, %a4: memref<33xf32>, %a5: memref<40xf32>, %a6: memref<2x3x5xf32>, %a7: memref<100xf32>) {
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a0 : memref<3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a1 : memref<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a2 : memref<17xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n2, #two], iterator_types = ["parallel", "parallel"]} ins(%c : memref<f32>) outs(%a3 : memref<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a4 : memref<33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a5 : memref<40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n3, #three], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c : memref<f32>) outs(%a6 : memref<2x3x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a7 : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %other, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// If there are seven, each keeps its static size, and is too small to be a function.
// CHECK-LABEL: func.func @few.kernel(
// CHECK-NOT: memref.cast
// CHECK: return
func.func @few.kernel(%rate: f32, %c: memref<f32>, %a0: memref<3xf32>, %a1: memref<5xf32>, %a2: memref<17xf32>, %a3: memref<4x6xf32>, %a4: memref<33xf32>, %a5: memref<40xf32>, %a6: memref<2x3x5xf32>, %a7: memref<100xf32>) {
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a0 : memref<3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a1 : memref<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a2 : memref<17xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n2, #two], iterator_types = ["parallel", "parallel"]} ins(%c : memref<f32>) outs(%a3 : memref<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a4 : memref<33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n1, #one], iterator_types = ["parallel"]} ins(%c : memref<f32>) outs(%a5 : memref<40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#n3, #three], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c : memref<f32>) outs(%a6 : memref<2x3x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %rate, %in : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Elements that depend on their index in two dimensions are not numbered anew.
// CHECK-LABEL: func.func @index.kernel(
// CHECK-NOT: memref.cast
// CHECK: return
func.func @index.kernel(%a0: memref<1x3xindex>, %a1: memref<2x3xindex>, %a2: memref<3x3xindex>, %a3: memref<4x3xindex>, %a4: memref<5x3xindex>, %a5: memref<6x3xindex>, %a6: memref<7x3xindex>, %a7: memref<8x3xindex>) {
  linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%a0 : memref<1x3xindex>) {
  ^bb0(%out: index):
    %0 = linalg.index 0 : index
    linalg.yield %0 : index
  }
  linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%a1 : memref<2x3xindex>) {
  ^bb0(%out: index):
    %0 = linalg.index 0 : index
    linalg.yield %0 : index
  }
  linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%a2 : memref<3x3xindex>) {
  ^bb0(%out: index):
    %0 = linalg.index 0 : index
    linalg.yield %0 : index
  }
  linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%a3 : memref<4x3xindex>) {
  ^bb0(%out: index):
    %0 = linalg.index 0 : index
    linalg.yield %0 : index
  }
  linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%a4 : memref<5x3xindex>) {
  ^bb0(%out: index):
    %0 = linalg.index 0 : index
    linalg.yield %0 : index
  }
  linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%a5 : memref<6x3xindex>) {
  ^bb0(%out: index):
    %0 = linalg.index 0 : index
    linalg.yield %0 : index
  }
  linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%a6 : memref<7x3xindex>) {
  ^bb0(%out: index):
    %0 = linalg.index 0 : index
    linalg.yield %0 : index
  }
  linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%a7 : memref<8x3xindex>) {
  ^bb0(%out: index):
    %0 = linalg.index 0 : index
    linalg.yield %0 : index
  }
  return
}
