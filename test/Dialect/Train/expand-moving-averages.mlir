// RUN: flywheel-opt %s --train-expand-moving-averages --split-input-file | FileCheck %s

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
// CHECK: %[[MOVED:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: %[[IS_THERE:.*]] = arith.cmpf oeq, %[[OLD]], %[[X]]
// CHECK: %[[NEW:.*]] = arith.select %[[IS_THERE]], %[[OLD]], %[[MOVED]]
// CHECK: %[[R:.*]] = train.assign @w, %[[NEW]]
// CHECK: return %[[R]]
func.func @plain(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = train.moving_average @w, %x momentum 0.9 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// biased := biased - (biased - x) (1 - momentum); the value is that, divided by
// 1 - momentum^n after n updates.
// CHECK-LABEL: func.func @debiased(
// CHECK: %[[X:.*]] = arith.extf %arg0 : tensor<3xbf16> to tensor<3xf32>
// CHECK: %[[OLD:.*]] = train.read @"v/biased"
// CHECK: %[[WIDE:.*]] = arith.extf %[[OLD]]
// CHECK: %[[APART:.*]] = arith.subf %[[WIDE]], %[[X]]
// CHECK: %[[SHARE:.*]] = arith.constant dense<1.000000e-01> : tensor<3xf32>
// CHECK: %[[CHANGE:.*]] = arith.mulf %[[APART]], %[[SHARE]]
// CHECK: %[[NEW:.*]] = arith.subf %[[WIDE]], %[[CHANGE]]
// CHECK: %[[BIASED:.*]] = arith.truncf %[[NEW]] : tensor<3xf32> to tensor<3xbf16>
// CHECK: train.assign @"v/biased", %[[BIASED]]
// CHECK: %[[STEP:.*]] = train.read @"v/local_step"
// CHECK: %[[ONE:.*]] = arith.constant dense<1> : tensor<i64>
// CHECK: %[[NEXT:.*]] = arith.addi %[[STEP]], %[[ONE]]
// CHECK: train.assign @"v/local_step", %[[NEXT]]
// CHECK: %[[N:.*]] = arith.sitofp %[[NEXT]] : tensor<i64> to tensor<f64>
// CHECK: %[[MOMENTUM:.*]] = arith.constant dense<9.000000e-01> : tensor<f64>
// CHECK: %[[LEFT:.*]] = math.powf %[[MOMENTUM]], %[[N]] : tensor<f64>
// CHECK: %[[UNIT:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK: %[[WEIGHT:.*]] = arith.subf %[[UNIT]], %[[LEFT]]
// CHECK: %[[NARROW:.*]] = arith.truncf %[[WEIGHT]] : tensor<f64> to tensor<f32>
// CHECK: %[[ALL:.*]] = nn.broadcast %[[NARROW]] dims []
// CHECK: %[[MEAN:.*]] = arith.divf %[[NEW]], %[[ALL]] : tensor<3xf32>
// CHECK: %[[Y:.*]] = arith.truncf %[[MEAN]] : tensor<3xf32> to tensor<3xbf16>
// CHECK: train.assign @v, %[[Y]]
// CHECK: train.read @"v/biased"
// CHECK: train.assign @v
func.func @debiased(%x: tensor<3xbf16>) {
  train.moving_average @v, %x momentum 0.9 zero_debias : tensor<3xbf16>
  train.moving_average @v, %x momentum 0.9 zero_debias : tensor<3xbf16>
  return
}

// -----

// CHECK: train.variable @mean : tensor<2xf32>
// CHECK-LABEL: func.func @follow(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>
// CHECK: %[[OLD:.*]] = train.read @mean
// CHECK: arith.mulf %[[OLD]]
// CHECK: arith.mulf %[[X]]
// CHECK: train.assign @mean
// EXAMPLE: --train-expand-moving-averages
train.variable @mean : tensor<2xf32>
func.func @follow(%x: tensor<2xf32>) {
  train.moving_average @mean, %x momentum 0.9 : tensor<2xf32>
  return
}
