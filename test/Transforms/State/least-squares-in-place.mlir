// RUN: flywheel-compile %s --emit=flywheel-bufferize -o - | FileCheck %s

// L8, L9: variables that least squares trains are where its loop carries x: they are written there, and no
// iteration copies them. `flywheel-verify-in-place` has passed.

train.variable @w : tensor<4x8xf64> = #train.random_normal<stddev = 1.0>
train.variable @b : tensor<8xf64> = #train.zeros

// CHECK-LABEL: func.func @rejects.kernel(
// CHECK: %[[W:.*]] = memref.view {{.*}} to memref<4x8xf64>
// CHECK: %[[B:.*]] = memref.view {{.*}} to memref<8xf64>
// CHECK-NOT: train.snapshot
// CHECK-NOT: linalg_ext.assigned
// CHECK: scf.for
// CHECK-NOT: train.snapshot
// CHECK-NOT: memref.copy {{.*}} memref<4x8xf64> to memref<4x8xf64>
// CHECK-NOT: memref.copy {{.*}} memref<8xf64> to memref<8xf64>
// CHECK: linalg.generic {{.*}} outs(%[[W]] : memref<4x8xf64>)
// CHECK-NOT: linalg_ext.assigned
// CHECK: return
func.func @rejects(%x: tensor<20x4xf64>, %y: tensor<20x8xf64>) -> tensor<f64> {
  %o = train.least_squares over [@w, @b] max_iterations 5 regularizer 1.0 on_failure reject : () -> tensor<f64> {
    %w = train.read @w : tensor<4x8xf64>
    %b = train.read @b : tensor<8xf64>
    %z = nn.dense %x, %w, %b : (tensor<20x4xf64>, tensor<4x8xf64>, tensor<8xf64>) -> tensor<20x8xf64>
    %h = math.tanh %z : tensor<20x8xf64>
    %r = arith.subf %h, %y : tensor<20x8xf64>
    train.residuals %r : tensor<20x8xf64>
  }
  return %o : tensor<f64>
}

// With one iteration its check comes before the first write.
// CHECK-LABEL: func.func @once.kernel(
// CHECK-NOT: train.snapshot
// CHECK-NOT: linalg_ext.assigned
// CHECK: return
func.func @once(%x: tensor<20x4xf64>, %y: tensor<20x8xf64>) -> tensor<f64> {
  %o = train.least_squares over [@w, @b] max_iterations 1 regularizer 1.0 : () -> tensor<f64> {
    %w = train.read @w : tensor<4x8xf64>
    %b = train.read @b : tensor<8xf64>
    %z = nn.dense %x, %w, %b : (tensor<20x4xf64>, tensor<4x8xf64>, tensor<8xf64>) -> tensor<20x8xf64>
    %h = math.tanh %z : tensor<20x8xf64>
    %r = arith.subf %h, %y : tensor<20x8xf64>
    train.residuals %r : tensor<20x8xf64>
  }
  return %o : tensor<f64>
}

// If a later iteration can fail, x is stored beside the variables until all have passed: one copy there and
// one back, around the loop.
// CHECK-LABEL: func.func @fails.kernel(
// CHECK-DAG: linalg.copy {train.snapshot = @w}
// CHECK-DAG: linalg.copy {train.snapshot = @b}
// CHECK: scf.for
// CHECK-NOT: train.snapshot
// CHECK: memref.copy {{.*}} {linalg_ext.assigned} : memref<4x8xf64> to memref<4x8xf64>
// CHECK-NEXT: memref.copy {{.*}} {linalg_ext.assigned} : memref<8xf64> to memref<8xf64>
// CHECK-NOT: memref.copy {{.*}} memref<8xf64> to memref<8xf64>
// CHECK: return
func.func @fails(%x: tensor<20x4xf64>, %y: tensor<20x8xf64>) -> tensor<f64> {
  %o = train.least_squares over [@w, @b] max_iterations 5 regularizer 1.0 : () -> tensor<f64> {
    %w = train.read @w : tensor<4x8xf64>
    %b = train.read @b : tensor<8xf64>
    %z = nn.dense %x, %w, %b : (tensor<20x4xf64>, tensor<4x8xf64>, tensor<8xf64>) -> tensor<20x8xf64>
    %h = math.tanh %z : tensor<20x8xf64>
    %r = arith.subf %h, %y : tensor<20x8xf64>
    train.residuals %r : tensor<20x8xf64>
  }
  return %o : tensor<f64>
}
