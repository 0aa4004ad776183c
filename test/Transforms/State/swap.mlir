// A10: a swap, a := b, b := a. One loop over both, without a copy.
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize 2>&1 | FileCheck %s
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg=lowering=reference --flywheel-fuse=lowering=reference --flywheel-bufferize=lowering=reference 2>&1 | FileCheck %s

// CHECK-NOT: remark
// CHECK-LABEL: func.func @step.kernel(
// CHECK-DAG: %[[A:.*]] = memref.view %arg0[%c640]
// CHECK-DAG: %[[B:.*]] = memref.view %arg0[%c704]
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[A]], %[[B]] : memref<4xf32>, memref<4xf32>) {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:   linalg.yield %[[Y]], %[[X]]
// CHECK-NEXT: }
// CHECK-NEXT: return
train.variable @a : tensor<4xf32>
train.variable @b : tensor<4xf32>
func.func @step() {
  %a = train.read @a : tensor<4xf32>
  %b = train.read @b : tensor<4xf32>
  %0 = train.assign @a, %b : tensor<4xf32>
  %1 = train.assign @b, %a : tensor<4xf32>
  return
}
