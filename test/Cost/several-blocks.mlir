// RUN: flywheel-opt %s --train-print-cost -o /dev/null 2>&1 | FileCheck %s

// A function that cannot be counted is reported.
// CHECK: several-blocks.mlir:[[@LINE+4]]:1: warning: the cost of @branches is not counted: expected a function of one block, found 3
// CHECK:      @counted
// CHECK-NEXT:   forward   3 FLOP
// CHECK-NOT:  @branches
func.func @branches(%c: i1, %x: tensor<3xf32>) -> tensor<3xf32> {
  cf.cond_br %c, ^twice, ^once
^twice:
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
^once:
  return %x : tensor<3xf32>
}

func.func @counted(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
