// RUN: flywheel-opt %s --flywheel-load-elements | FileCheck %s

// Tensors that the step writes are left to bufferization, as are tensors without attributes.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME: %[[FEED:[^:]*]]: tensor<9xi1> {{{.*}}}, %[[STATE:[^:]*]]: tensor<9xf32> {{{.*}}}, %[[OTHER:[^:]*]]: tensor<f32>, %[[I:.*]]: index)
// CHECK-NEXT: %[[BUFFER:.*]] = bufferization.to_buffer %[[FEED]] read_only : tensor<9xi1> to memref<9xi1>
// CHECK-NEXT: %[[A:.*]] = memref.load %[[BUFFER]][%[[I]]] : memref<9xi1>
// CHECK-NEXT: %[[IF:.*]] = scf.if %[[A]]
// CHECK-NEXT: %[[B:.*]] = memref.load %[[BUFFER]][%[[I]]] : memref<9xi1>
// CHECK-NEXT: scf.yield %[[B]]
// CHECK: tensor.extract %[[STATE]][%[[I]]]
// CHECK: tensor.extract %[[OTHER]][]
// EXAMPLE: --flywheel-load-elements
func.func @elements(%feed: tensor<9xi1> {bufferization.writable = false}, %state: tensor<9xf32> {bufferization.writable = true}, %other: tensor<f32>, %i: index) -> (i1, f32, f32) {
  %a = tensor.extract %feed[%i] : tensor<9xi1>
  %if = scf.if %a -> i1 {
    %b = tensor.extract %feed[%i] : tensor<9xi1>
    scf.yield %b : i1
  } else {
    scf.yield %a : i1
  }
  %c = tensor.extract %state[%i] : tensor<9xf32>
  %d = tensor.extract %other[] : tensor<f32>
  return %if, %c, %d : i1, f32, f32
}
