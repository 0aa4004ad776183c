// RUN: flywheel-opt %s --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' --split-input-file | FileCheck %s

// An op that overwrites its whole destination needs no copy of the old value.
// CHECK-LABEL: func.func @overwritten(
// CHECK-SAME: %[[X:[^:]*]]: memref<8x5xf32>, %[[I:[^:]*]]: memref<3xi64>, %[[Y:[^:]*]]: memref<3x5xf32>
// CHECK-NEXT: %[[OWN:.*]] = memref.alloc()
// CHECK-NEXT: linalg_ext.gather ins(%[[X]], %[[I]] : {{.*}}) outs(%[[OWN]] :
// CHECK-NEXT: %[[SUMS:.*]] = memref.alloc()
// CHECK-NEXT: linalg_ext.scan ins(%[[OWN]] : {{.*}}) outs(%[[SUMS]] :
// CHECK-NEXT: return %[[SUMS]]
func.func @overwritten(%x: tensor<8x5xf32> {bufferization.writable = false}, %i: tensor<3xi64> {bufferization.writable = false},
                       %y: tensor<3x5xf32> {bufferization.writable = false}) -> tensor<3x5xf32> {
  %0 = linalg_ext.gather ins(%x, %i : tensor<8x5xf32>, tensor<3xi64>) outs(%y : tensor<3x5xf32>) axis 0 -> tensor<3x5xf32>
  %1 = linalg_ext.scan ins(%0 : tensor<3x5xf32>) outs(%y : tensor<3x5xf32>) axis 0 -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// -----

// One that starts from the old value does.
// CHECK-LABEL: func.func @updated(
// CHECK-SAME: %[[I:[^:]*]]: memref<3xi64>, %[[U:[^:]*]]: memref<3x5xf32>, %[[Y:[^:]*]]: memref<8x5xf32>
// CHECK-NEXT: %[[OWN:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[Y]], %[[OWN]]
// CHECK-NEXT: linalg_ext.scatter add ins(%[[I]], %[[U]] : {{.*}}) outs(%[[OWN]] :
// CHECK-NEXT: return %[[OWN]]
func.func @updated(%i: tensor<3xi64> {bufferization.writable = false}, %u: tensor<3x5xf32> {bufferization.writable = false},
                   %y: tensor<8x5xf32> {bufferization.writable = false}) -> tensor<8x5xf32> {
  %0 = linalg_ext.scatter add ins(%i, %u : tensor<3xi64>, tensor<3x5xf32>) outs(%y : tensor<8x5xf32>) axis 0 -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

// A store reads nothing of where it goes.
// CHECK-LABEL: func.func @stored(
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32>, %[[Y:[^:]*]]: memref<4xf32>
// CHECK-NEXT: %[[OWN:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[X]], %[[OWN]] {linalg_ext.assigned} :
// CHECK-NEXT: return %[[OWN]]
func.func @stored(%x: tensor<4xf32> {bufferization.writable = false}, %y: tensor<4xf32> {bufferization.writable = false}) -> tensor<4xf32> {
  %0 = linalg_ext.store %x in %y : tensor<4xf32> in tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The source of a commit is still needed then; its destination is not.
// CHECK-LABEL: func.func @committed(
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32>, %[[A:[^:]*]]: memref<4xf32>, %[[B:[^:]*]]: memref<4xf32>
// CHECK-NEXT: linalg.exp ins(%[[X]] : memref<4xf32>) outs(%[[A]] :
// CHECK-NEXT: %[[OWN:.*]] = memref.alloc()
// CHECK-NEXT: linalg.abs ins(%[[A]] : memref<4xf32>) outs(%[[OWN]] :
// CHECK-NEXT: linalg_ext.commit %[[A]], %[[OWN]] to %[[A]], %[[B]]
func.func @committed(%x: tensor<4xf32> {bufferization.writable = false}, %a: tensor<4xf32> {bufferization.writable = true},
                     %b: tensor<4xf32> {bufferization.writable = true}) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.abs ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  linalg_ext.commit %0, %1 to %a, %b : tensor<4xf32>, tensor<4xf32> to tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// A protected buffer has its old value there.
// CHECK-LABEL: func.func @protected(
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32>, %[[A:[^:]*]]: memref<4xf32>
// CHECK-NEXT: %[[OWN:.*]] = memref.alloc()
// CHECK-NEXT: linalg.exp ins(%[[X]] : memref<4xf32>) outs(%[[OWN]] :
// CHECK-NEXT: linalg_ext.commit %[[OWN]] to %[[A]]
func.func @protected(%x: tensor<4xf32> {bufferization.writable = false}, %a: tensor<4xf32> {bufferization.writable = true}) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  linalg_ext.protect %a : tensor<4xf32>
  linalg_ext.commit %0 to %a : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

// Two values change places in one loop, in place.
// CHECK-LABEL: func.func @exchanged(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x3xf32>, %[[Y:[^:]*]]: memref<4x3xf32>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[X]], %[[Y]] : memref<4x3xf32>, memref<4x3xf32>) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:   linalg.yield %[[B]], %[[A]] : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @exchanged(%x: tensor<4x3xf32> {bufferization.writable = true}, %y: tensor<4x3xf32> {bufferization.writable = true})
    -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0, %1 = linalg_ext.exchange %x, %y : tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// The sources are copied to their places, in order.
// CHECK-LABEL: func.func @inserted(
// CHECK-SAME: %[[X:[^:]*]]: memref<2x3xf32>, %[[Y:[^:]*]]: memref<?xf32>, %[[Z:[^:]*]]: memref<2x8xf32>, %[[I:.*]]: index
// CHECK-NEXT: %[[FIRST:.*]] = memref.subview %[[Z]][0, 0] [2, 3] [1, 2]
// CHECK-NEXT: memref.copy %[[X]], %[[FIRST]]
// CHECK-NEXT: %[[SECOND:.*]] = memref.subview %[[Z]][1, %[[I]]] [1, %[[I]]] [1, 1]
// CHECK-NEXT: memref.copy %[[Y]], %[[SECOND]]
// CHECK-NEXT: return %[[Z]]
func.func @inserted(%x: tensor<2x3xf32>, %y: tensor<?xf32>, %z: tensor<2x8xf32> {bufferization.writable = true}, %i: index) -> tensor<2x8xf32> {
  %0 = linalg_ext.insert_slices ins(%x, %y : tensor<2x3xf32>, tensor<?xf32>) outs(%z : tensor<2x8xf32>)
      at [0, 0, 1, %i] sizes [2, 3, 1, %i] strides [1, 2, 1, 1]
  return %0 : tensor<2x8xf32>
}

// -----

// Elements between the slices are those of the destination, which is read later.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME: %[[X:[^:]*]]: memref<3xf32>, %[[Z:[^:]*]]: memref<8xf32>
// CHECK-NEXT: %[[OWN:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[Z]], %[[OWN]]
// CHECK-NEXT: %[[PLACE:.*]] = memref.subview %[[OWN]][2] [3] [1]
// CHECK-NEXT: memref.copy %[[X]], %[[PLACE]]
// CHECK-NEXT: return %[[OWN]], %[[Z]]
func.func @kept(%x: tensor<3xf32>, %z: tensor<8xf32> {bufferization.writable = true}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = linalg_ext.insert_slices ins(%x : tensor<3xf32>) outs(%z : tensor<8xf32>) at [2] sizes [3] strides [1]
  return %0, %z : tensor<8xf32>, tensor<8xf32>
}

// A call reads its status, and writes all of its outputs.

// CHECK-LABEL: func.func @host_call(
// CHECK: linalg_ext.host_call "callback" 0 ins(%{{.*}} : memref<2xf32{{.*}}>) outs(%{{.*}}, %{{.*}} : memref<i32{{.*}}>, memref<2xf32{{.*}}>) {number = 0 : i64}
func.func @host_call(%x: tensor<2xf32>, %status: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
  %out = tensor.empty() : tensor<2xf32>
  %0:2 = linalg_ext.host_call "callback" 0 ins(%x : tensor<2xf32>) outs(%status, %out : tensor<i32>, tensor<2xf32>) {number = 0 : i64} -> tensor<i32>, tensor<2xf32>
  return %0#0, %0#1 : tensor<i32>, tensor<2xf32>
}
