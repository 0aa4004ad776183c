// RUN: flywheel-opt %s --flywheel-align-while-lists --split-input-file | FileCheck %s

// What has the storage of a carried value is at its position; the other has a
// buffer of its own. Scalars follow.
// CHECK-LABEL: func.func @lists(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<2xf32>, %[[N:[^:]*]]: index
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() : tensor<2xf32>
// CHECK: %[[R:.*]]:3 = scf.while (%[[A:.*]] = %[[X]], %[[B:.*]] = %[[OWN]], %[[K:.*]] = %{{.*}})
// CHECK: %[[S:.*]] = tensor.insert_slice %[[Y]] into %[[A]]
// CHECK: scf.condition(%{{.*}}) %[[S]], %[[Y]], %[[K]]
// CHECK: ^bb0(%[[C:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<2xf32>, %[[L:.*]]: index):
// CHECK: %[[NEXT:.*]] = arith.addi %[[L]]
// CHECK: scf.yield %[[C]], %[[D]], %[[NEXT]]
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @lists(%x: tensor<4xf32>, %y: tensor<2xf32>, %n: index) -> (tensor<2xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%k = %c0, %a = %x) : (index, tensor<4xf32>) -> (index, tensor<2xf32>, tensor<4xf32>) {
    %s = tensor.insert_slice %y into %a[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
    %go = arith.cmpi slt, %k, %n : index
    scf.condition(%go) %k, %y, %s : index, tensor<2xf32>, tensor<4xf32>
  } do {
  ^bb0(%k: index, %b: tensor<2xf32>, %c: tensor<4xf32>):
    %next = arith.addi %k, %c1 : index
    scf.yield %next, %c : index, tensor<4xf32>
  }
  return %r#1, %r#2 : tensor<2xf32>, tensor<4xf32>
}

// -----

// A carried value that is not passed on leaves its storage to one that is; with
// none left, it is passed on as it is.
// CHECK-LABEL: func.func @unused(
// CHECK: scf.while (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[S:.*]] = math.exp %[[A]]
// CHECK: scf.condition(%{{.*}}) %[[S]], %[[B]]
// CHECK: ^bb0(%[[C:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>):
// CHECK: %[[T:.*]] = math.exp %[[C]]
// CHECK: scf.yield %[[C]], %[[T]]
func.func @unused(%x: tensor<4xf32>, %go: i1) -> tensor<4xf32> {
  %r = scf.while (%a = %x, %b = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %s = math.exp %a : tensor<4xf32>
    scf.condition(%go) %s : tensor<4xf32>
  } do {
  ^bb0(%c: tensor<4xf32>):
    %t = math.exp %c : tensor<4xf32>
    scf.yield %c, %t : tensor<4xf32>, tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A size that is not known in front of the loop: left as it is.
// CHECK-LABEL: func.func @dynamic(
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : index, tensor<?xf32>
func.func @dynamic(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%k = %c0) : (index) -> (index, tensor<?xf32>) {
    %go = arith.cmpi slt, %k, %n : index
    scf.condition(%go) %k, %x : index, tensor<?xf32>
  } do {
  ^bb0(%k: index, %b: tensor<?xf32>):
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  return %r#1 : tensor<?xf32>
}
