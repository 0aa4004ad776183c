// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// X5: the labels of a loss that nobody reads are checked.
// RUN: flywheel-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(nn-check-labels,canonicalize))' | FileCheck %s

// CHECK-LABEL: func.func @unread(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[LABEL:.*]]: tensor<?xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[LABEL]]
// CHECK: linalg_ext.check {{.*}}label out of range
// CHECK-NOT: = nn.sparse_softmax_cross_entropy
// CHECK: return
func.func @unread(%x: tensor<?x4xf32>, %label: tensor<?xi32>) {
  %loss = nn.sparse_softmax_cross_entropy %x, %label : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>
  %twice = arith.addf %loss, %loss : tensor<f32>
  return
}

// -----

// The lowering of a loss that is read makes its own check.
// CHECK-LABEL: func.func @read
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @read(%x: tensor<?x4xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %loss = nn.sparse_softmax_cross_entropy %x, %label : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A sum of losses that a loop carries, and nobody reads after it; one that
// another number depends on is read.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: linalg_ext.check {{.*}}label out of range
// CHECK-LABEL: func.func @read_loop
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @loop(%x: tensor<?x4xf32>, %label: tensor<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<f32>) {
    %loss = nn.sparse_softmax_cross_entropy %x, %label : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>
    %next = arith.addf %s, %loss : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return
}

func.func @read_loop(%x: tensor<?x4xf32>, %label: tensor<?xi32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<f32>) {
    %loss = nn.sparse_softmax_cross_entropy %x, %label : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>
    %next = arith.addf %s, %loss : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return %sum : tensor<f32>
}
