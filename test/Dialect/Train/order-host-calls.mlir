// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// M6: calls of the host.
// RUN: flywheel-opt --train-order-host-calls %s | FileCheck %s

// Calls pass a status on, and the last one is checked. Bits are bytes, and
// unsigned integers are signless.

// CHECK-LABEL: func.func @straight(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[BIT:.*]]: tensor<i1>, %[[U:.*]]: tensor<2xui8>
// CHECK: %[[START:.*]] = arith.constant dense<0> : tensor<i32>
// CHECK: %[[FIRST:.*]] = linalg_ext.host_call "print" 0 ins(%[[X]] : tensor<?xf32>) outs(%[[START]] : tensor<i32>) {number = 0 : i64} -> tensor<i32>
// CHECK: %[[BYTE:.*]] = arith.extui %[[BIT]] : tensor<i1> to tensor<i8>
// CHECK: %[[SIGNLESS:.*]] = tensor.bitcast %[[U]] : tensor<2xui8> to tensor<2xi8>
// CHECK: %[[OUT0:.*]] = tensor.empty() : tensor<i8>
// CHECK: %[[OUT1:.*]] = tensor.empty() : tensor<3xi16>
// CHECK: %[[SECOND:.*]]:3 = linalg_ext.host_call "callback" 1
// CHECK-SAME: ins(%[[BYTE]], %[[SIGNLESS]] : tensor<i8>, tensor<2xi8>)
// CHECK-SAME: outs(%[[FIRST]], %[[OUT0]], %[[OUT1]] : tensor<i32>, tensor<i8>, tensor<3xi16>)
// CHECK: %[[B:.*]] = arith.cmpi ne, %[[SECOND]]#1
// CHECK: %[[S:.*]] = tensor.bitcast %[[SECOND]]#2 : tensor<3xi16> to tensor<3xui16>
// CHECK: %[[STATUS:.*]] = tensor.extract %[[SECOND]]#0[] : tensor<i32>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[STATUS]], %[[ZERO]] : i32
// CHECK: linalg_ext.check data %[[OK]]
// CHECK-NEXT: return %[[B]], %[[S]]
// CHECK-NOT: train.variable
func.func @straight(%x: tensor<?xf32>, %bit: tensor<i1>, %u: tensor<2xui8>) -> (tensor<i1>, tensor<3xui16>) {
  train.host_call "print" 0(%x) : (tensor<?xf32>) -> ()
  %b, %s = train.host_call "callback" 1(%bit, %u) : (tensor<i1>, tensor<2xui8>) -> (tensor<i1>, tensor<3xui16>)
  return %b, %s : tensor<i1>, tensor<3xui16>
}

// Branches and loops carry it.

// CHECK-LABEL: func.func @nested(
// CHECK: %[[START:.*]] = arith.constant dense<0> : tensor<i32>
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[STATUS:.*]] = %[[START]]) -> (tensor<i32>)
// CHECK: %[[BRANCH:.*]] = scf.if {{.*}} -> (tensor<i32>) {
// CHECK: %[[NEXT:.*]] = linalg_ext.host_call "print" 0 ins({{.*}}) outs(%[[STATUS]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: else
// CHECK-NEXT: scf.yield %[[STATUS]]
// CHECK: scf.yield %[[BRANCH]]
// CHECK: tensor.extract %[[LOOP]][]
func.func @nested(%x: tensor<2xf32>, %c: i1, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    scf.if %c {
      train.host_call "print" 0(%x) : (tensor<2xf32>) -> ()
    }
  }
  return
}

// A while loop with a call that has results ends when one has failed.

// CHECK-LABEL: func.func @while(
// CHECK: scf.while (%[[STATUS:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: %[[CALL:.*]]:2 = linalg_ext.host_call "callback" 0 ins({{.*}}) outs(%[[STATUS]],
// CHECK: %[[GOES:.*]] = tensor.extract
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[CALL]]#0[]
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[NUMBER]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[GOES]], %[[OK]]
// CHECK: scf.condition(%[[BOTH]]) %[[CALL]]#0
func.func @while(%x: tensor<f32>) -> tensor<f32> {
  %last = scf.while (%s = %x) : (tensor<f32>) -> tensor<f32> {
    %goes = train.host_call "callback" 0(%s) : (tensor<f32>) -> tensor<i1>
    %c = tensor.extract %goes[] : tensor<i1>
    scf.condition(%c) %s : tensor<f32>
  } do {
  ^bb0(%s: tensor<f32>):
    %next = arith.addf %s, %s : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return %last : tensor<f32>
}
