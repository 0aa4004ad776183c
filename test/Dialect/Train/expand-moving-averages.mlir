// RUN: flywheel-opt %s --train-expand-moving-averages | FileCheck %s

// R10: state of the variable; one pair for all updates of one variable.
// CHECK: train.variable @v : tensor<3xbf16>
// CHECK-NEXT: train.variable @"v/biased" : tensor<3xbf16> = #train.zeros {slot_of = @v, trainable = false}
// CHECK-NEXT: train.variable @"v/local_step" : tensor<i64> = #train.zeros {trainable = false}
// CHECK-NOT: train.variable
train.variable @w : tensor<3xf32>
train.variable @v : tensor<3xbf16>

// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
// CHECK: %[[OLD:.*]] = train.read @w
// CHECK-DAG: %[[A:.*]] = arith.mulf %[[OLD]], %{{.*}}
// CHECK-DAG: %[[B:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK: %[[NEW:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: %[[R:.*]] = train.assign @w, %[[NEW]]
// CHECK: return %[[R]]
func.func @plain(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = train.moving_average @w, %x momentum 0.9 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @debiased(
// CHECK: train.read @"v/biased"
// CHECK: %[[BIASED:.*]] = arith.truncf %{{.*}} : tensor<3xf32> to tensor<3xbf16>
// CHECK: train.assign @"v/biased", %[[BIASED]]
// CHECK: train.read @"v/local_step"
// CHECK: train.assign @"v/local_step"
// CHECK: math.powf %{{.*}} : tensor<f64>
// CHECK: arith.divf %{{.*}} : tensor<3xf32>
// CHECK: train.assign @v
// CHECK: train.read @"v/biased"
// CHECK: train.assign @v
func.func @debiased(%x: tensor<3xbf16>) {
  train.moving_average @v, %x momentum 0.9 zero_debias : tensor<3xbf16>
  train.moving_average @v, %x momentum 0.9 zero_debias : tensor<3xbf16>
  return
}
