// RUN: flywheel-opt %s --flywheel-protect-state --split-input-file | FileCheck %s
// RUN: flywheel-opt %s --flywheel-protect-state --split-input-file \
// RUN:   | flywheel-opt --split-input-file --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

// S3: after the last check, all that the step writes has its old value.
// CHECK-LABEL: func.func @checks(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32> {{{[^}]*}}}, %[[R:[^:]*]]: tensor<4xf32> {{{[^}]*}}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: linalg_ext.check data %{{.*}}, "first"
// CHECK-NEXT: linalg_ext.check data %{{.*}}, "last"
// CHECK-NEXT: linalg_ext.protect %[[R]], %[[V]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NOT: protect
// CHECK: linalg_ext.commit %{{.*}}, %{{.*}} to %[[R]], %[[V]] : tensor<4xf32>, tensor<4xf32> to tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: return{{$}}
// Values that are written before it are written to other buffers.
// BUFFERS-LABEL: func.func @checks(
// BUFFERS-SAME: %[[X:[^:]*]]: memref<4xf32>, %[[R:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[V:[^:]*]]: memref<4xf32>
// BUFFERS: %[[OWN:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// BUFFERS: linalg.exp ins(%[[X]] : memref<4xf32>) outs(%[[OWN]] : memref<4xf32>)
// BUFFERS: linalg_ext.check data %{{.*}}, "last"
// BUFFERS-NEXT: linalg.abs ins(%[[X]] : memref<4xf32>) outs(%[[R]] : memref<4xf32>)
// BUFFERS-NEXT: linalg_ext.commit %[[R]], %[[OWN]] to %[[R]], %[[V]]
// BUFFERS-NEXT: return{{$}}
func.func @checks(%x: tensor<4xf32> {bufferization.writable = false},
                  %r: tensor<4xf32> {bufferization.writable = true, train.result = 0 : i64},
                  %v: tensor<4xf32> {bufferization.writable = true, train.variable = @v, train.writes}, %ok: i1)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  linalg_ext.check data %ok, "first"
  linalg_ext.check data %ok, "last"
  %1 = linalg.abs ins(%x : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Nothing can fail.
// CHECK-LABEL: func.func @unchecked(
// CHECK-NOT: protect
// CHECK: commit
// EXAMPLE: --flywheel-protect-state
func.func @unchecked(%x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64}) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Nothing is written.
// CHECK-LABEL: func.func @reads(
// CHECK-NOT: commit
// CHECK: return
func.func @reads(%x: tensor<4xf32>, %ok: i1) {
  linalg_ext.check data %ok, "no"
  return
}
