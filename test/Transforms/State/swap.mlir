// A10: a swap, a := b, b := a. One copy, said in a remark; the rest is in place.
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize 2>&1 | FileCheck %s
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse=lowering=reference --flywheel-bufferize=lowering=reference 2>&1 | FileCheck %s

// CHECK-COUNT-1: remark: the old value of variable {{.*}} is needed after it is overwritten, in a cycle of assignments: one copy of 'tensor<4xf32>'
// CHECK-NOT: remark
// CHECK-LABEL: func.func @step.kernel(
// CHECK-DAG: %[[A:.*]] = memref.view %arg0[%c640]
// CHECK-DAG: %[[B:.*]] = memref.view %arg0[%c704]
// CHECK-DAG: %[[T:.*]] = memref.view %arg1
// CHECK: linalg.copy {train.snapshot = @[[N:.*]]} ins(%[[OLD:.*]] : memref<4xf32>) outs(%[[T]] : memref<4xf32>)
// CHECK-NEXT: memref.copy %[[OTHER:.*]], %[[OLD]]
// CHECK-NEXT: memref.copy %[[T]], %[[OTHER]]
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
