// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No canonicalizer runs after the pass: it finds static sizes by the order in
// which it visits loops, if at all.
// RUN: flywheel-opt %s --flywheel-forall-to-for | FileCheck %s --implicit-check-not="-> (tensor<5x?xf32>)"

// The rest of the columns is three: the loop over rows in it, whose own rest
// follows, carries slices of that size.
// CHECK-LABEL: func.func @rest_of_rest(
// CHECK: scf.for {{.*}} -> (tensor<5x11xf32>)
// CHECK: scf.for {{.*}} -> (tensor<5x4xf32>)
// CHECK: %[[REST:.*]] = tensor.extract_slice %{{.*}}[0, 8] [5, 3] [1, 1] : tensor<5x11xf32> to tensor<5x3xf32>
// CHECK-NEXT: %[[ROWS:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[REST]]) -> (tensor<5x3xf32>)
// CHECK: %[[LAST:.*]] = tensor.insert_slice %{{.*}} into %[[ROWS]][4, 0] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<5x3xf32>
// CHECK-NEXT: tensor.insert_slice %[[LAST]] into %{{.*}}[0, 8] [5, 3] [1, 1] : tensor<5x3xf32> into tensor<5x11xf32>
func.func @rest_of_rest(%y: tensor<5x11xf32>) -> tensor<5x11xf32> {
  %0 = scf.forall (%j) = (0) to (11) step (4) shared_outs(%o = %y) -> (tensor<5x11xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 11, 4)>(%j)
    %d = tensor.extract_slice %o[0, %j] [5, %n] [1, 1] : tensor<5x11xf32> to tensor<5x?xf32>
    %e = scf.forall (%i) = (0) to (5) step (2) shared_outs(%p = %d) -> (tensor<5x?xf32>) {
      %m = affine.min affine_map<(d0) -> (-d0 + 5, 2)>(%i)
      %r = tensor.extract_slice %p[%i, 0] [%m, %n] [1, 1] : tensor<5x?xf32> to tensor<?x?xf32>
      %f = linalg.exp ins(%r : tensor<?x?xf32>) outs(%r : tensor<?x?xf32>) -> tensor<?x?xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %f into %p[%i, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<5x?xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[0, %j] [5, %n] [1, 1] : tensor<5x?xf32> into tensor<5x11xf32>
    }
  }
  return %0 : tensor<5x11xf32>
}
