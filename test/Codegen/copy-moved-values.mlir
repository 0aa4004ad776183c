// RUN: flywheel-opt %s --flywheel-copy-moved-values --split-input-file | FileCheck %s

// What is stored as it is, is copied in front of what is computed.
// CHECK-LABEL: func.func @moved(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32>, %[[A:[^:]*]]: tensor<2xf32>
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]]
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[PART]] {{.*}} outs(%[[A]]
// CHECK: %[[STORED:.*]] = bufferization.materialize_in_destination %[[E]] in %[[R]]
// CHECK: return %[[STORED]], %[[COPY]]
func.func @moved(%x: tensor<4xf32>, %r: tensor<4xf32>, %a: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %e = math.exp %x : tensor<4xf32>
  %part = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %0 = bufferization.materialize_in_destination %e in %r : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %part in %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<4xf32>, tensor<2xf32>
}

// -----

// A loop owns what it carries, and stores it where it found it; values that only
// change places are read before one is overwritten.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[DIM:.*]] = tensor.dim %[[X]]
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor(%[[DIM]])
// CHECK: %[[INIT:.*]] = linalg.copy ins(%[[X]] {{.*}} outs(%[[OWN]]
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[INIT]], %[[B:.*]] = %{{.*}})
// CHECK: %[[S:.*]] = math.exp %[[A]]
// CHECK: %[[OLD:.*]] = linalg.copy ins(%[[A]]
// CHECK: %[[PA:.*]] = bufferization.materialize_in_destination %[[S]] in %[[A]]
// CHECK: %[[PB:.*]] = bufferization.materialize_in_destination %[[OLD]] in %[[B]]
// CHECK: scf.yield %[[PA]], %[[PB]]
func.func @loop(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<?xf32>, tensor<?xf32>) {
    %s = math.exp %a : tensor<?xf32>
    scf.yield %s, %a : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @while(
// CHECK: linalg.copy
// CHECK: scf.while (%[[A:.*]] = %{{.*}})
// CHECK: scf.condition(%{{.*}}) %[[A]]
// CHECK: ^bb0(%[[B:.*]]: tensor<4xf32>):
// CHECK: %[[S:.*]] = math.exp %[[B]]
// CHECK: %[[P:.*]] = bufferization.materialize_in_destination %[[S]] in %[[B]]
// CHECK: scf.yield %[[P]]
func.func @while(%x: tensor<4xf32>, %go: i1) -> tensor<4xf32> {
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%go) %a : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %s = math.exp %b : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A concatenation copies its parts to their places.
// CHECK-LABEL: func.func @concat(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[Y:[^:]*]]: tensor<2xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[P:.*]] = tensor.extract_slice %[[E]][0] [2] [1]
// CHECK: %[[C:.*]] = linalg.copy ins(%[[X]] {{.*}} outs(%[[P]]
// CHECK: %[[F:.*]] = tensor.insert_slice %[[C]] into %[[E]][0] [2] [1]
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[F]][2] [2] [1]
// CHECK: %[[D:.*]] = linalg.copy ins(%[[Y]] {{.*}} outs(%[[Q]]
// CHECK: tensor.insert_slice %[[D]] into %[[F]][2] [2] [1]
func.func @concat(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %0 = tensor.concat dim(0) %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What starts from a variable that it does not write starts from a copy; what
// does not read its destination needs none.
// CHECK-LABEL: func.func @destination(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[V]] {{.*}} outs(%[[OWN]]
// CHECK: tensor.insert_slice %{{.*}} into %[[COPY]][1] [2] [1]
// CHECK: linalg.abs ins(%[[V]] {{.*}} outs(%[[V]]
func.func @destination(%x: tensor<2xf32>, %v: tensor<4xf32> {train.variable = @v, train.reads}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tensor.insert_slice %x into %v[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = linalg.abs ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The next version of a variable is made in its storage, in as many ops as it
// takes; what branches off from those is not.
// CHECK-LABEL: func.func @version(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[R:[^:]*]]: tensor<4xf32> {{{.*}}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK-NOT: alloc_tensor
// CHECK: %[[A:.*]] = tensor.insert_slice %{{.*}} into %[[V]][0] [2] [1]
// CHECK: %[[B:.*]] = tensor.insert_slice %{{.*}} into %[[A]][2] [2] [1]
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[A]] {{.*}} outs(%[[OWN]]
// CHECK: %[[C:.*]] = tensor.insert_slice %{{.*}} into %[[COPY]][1] [2] [1]
// CHECK: %[[RESULT:.*]] = bufferization.materialize_in_destination %[[C]] in %[[R]]
// CHECK: %[[NEXT:.*]] = bufferization.materialize_in_destination %[[B]] in %[[V]]
// CHECK: return %[[RESULT]], %[[NEXT]]
func.func @version(%x: tensor<2xf32>, %r: tensor<4xf32> {train.result = 0 : i64}, %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tensor.insert_slice %x into %v[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %b = tensor.insert_slice %x into %a[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %c = tensor.insert_slice %x into %a[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %result = bufferization.materialize_in_destination %c in %r : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %next = bufferization.materialize_in_destination %b in %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %result, %next : tensor<4xf32>, tensor<4xf32>
}
