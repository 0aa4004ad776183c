// A10: variables are written in place in branches and loops, in both lowerings:
// no copy of one is made, also of a swap.
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize 2>&1 | FileCheck %s
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg=lowering=reference --flywheel-fuse=lowering=reference --flywheel-bufferize=lowering=reference 2>&1 | FileCheck %s

// CHECK-NOT: remark

train.variable @a : tensor<64x32xf32>
train.variable @b : tensor<64x32xf32>
train.variable @w : tensor<32x32xf32>

// The gradient of a product, and the update with it, in the storage of @w.
// CHECK-LABEL: func.func @branch.kernel(
// CHECK-SAME: %[[STATE:[a-z0-9]+]]: memref<?xi8>, %[[WORKSPACE:[a-z0-9]+]]: memref<?xi8>
// CHECK-NOT: memref.alloc(
// CHECK-NOT: copy
// CHECK-NOT: memref.view %[[WORKSPACE]]{{.*}} to memref<32x32xf32>
// CHECK: scf.if
// CHECK-NOT: copy
// CHECK: return
func.func @branch(%c: tensor<i1>, %x: tensor<?x32xf32>) {
  %condition = tensor.extract %c[] : tensor<i1>
  scf.if %condition {
    %w = train.read @w : tensor<32x32xf32>
    %y = nn.matmul %x, %w : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
    %loss = nn.reduce mean %y axes [0, 1] : tensor<?x32xf32> -> tensor<f32>
    train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  }
  return
}

// CHECK-LABEL: func.func @swap.kernel(
// CHECK: scf.if
// CHECK-NEXT: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : memref<64x32xf32>, memref<64x32xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:   linalg.yield %[[B]], %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @swap(%c: tensor<i1>) {
  %condition = tensor.extract %c[] : tensor<i1>
  scf.if %condition {
    %a = train.read @a : tensor<64x32xf32>
    %b = train.read @b : tensor<64x32xf32>
    %0 = train.assign @a, %b : tensor<64x32xf32>
    %1 = train.assign @b, %a : tensor<64x32xf32>
  }
  return
}

// CHECK-LABEL: func.func @loops.kernel(
// CHECK-NOT: copy
// CHECK: scf.for
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[V:.*]] : memref<64x32xf32>)
// CHECK: scf.while : () -> ()
// CHECK: linalg.generic {{.*}} outs(%[[V]] : memref<64x32xf32>)
// CHECK-NOT: copy
// CHECK: return
func.func @loops(%x: tensor<64x32xf32>, %limit: tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %0 = train.assign_add @a, %x : tensor<64x32xf32>
  }
  %bound = tensor.extract %limit[] : tensor<f32>
  scf.while : () -> () {
    %a = train.read @a : tensor<64x32xf32>
    %first = tensor.extract %a[%c0, %c0] : tensor<64x32xf32>
    %go = arith.cmpf olt, %first, %bound : f32
    scf.condition(%go)
  } do {
    %1 = train.assign_add @a, %x : tensor<64x32xf32>
    scf.yield
  }
  return
}
