// RUN: flywheel-opt %s --train-autodiff --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @quotient
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>)
// CHECK: %[[Y:.*]] = arith.divf %[[A]], %[[B]]
// CHECK: %[[DA:.*]] = arith.divf %[[G]], %[[B]]
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %[[Y]]
// CHECK: %[[DB:.*]] = arith.negf %[[P]]
// CHECK: return %[[DA]], %[[DB]]
func.func @quotient(%a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = arith.divf %a, %b : tensor<4xf32>
  %d:2 = train.gradient %y wrt %a, %b grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %d#0, %d#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A tie goes to the first operand.
// CHECK-LABEL: func @maximum
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>, %[[G:.*]]: tensor<?xf32>)
// CHECK: %[[FIRST:.*]] = arith.cmpf oge, %[[A]], %[[B]]
// CHECK: %[[ZERO:.*]] = nn.broadcast %{{.*}} dims [] like %[[G]]
// CHECK: arith.select %[[FIRST]], %[[G]], %[[ZERO]]
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[G]]
func.func @maximum(%a: tensor<?xf32>, %b: tensor<?xf32>, %g: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = arith.maximumf %a, %b : tensor<?xf32>
  %d:2 = train.gradient %y wrt %a, %b grad_ys %g : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %d#0, %d#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Only needed ops are emitted: %c is not a target.
// CHECK-LABEL: func.func @constant_operand(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32>, %[[C:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[A]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[G]], %[[C]] : tensor<4xf32>
// CHECK-NEXT: return %[[MULF]], %[[MULF_2]] : tensor<4xf32>, tensor<4xf32>
func.func @constant_operand(%a: tensor<4xf32>, %c: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = arith.mulf %a, %c : tensor<4xf32>
  %d = train.gradient %y wrt %a grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @precision
// CHECK: arith.truncf %{{.*}} : tensor<4xf64> to tensor<4xf32>
// CHECK: arith.extf %{{.*}} : tensor<4xf32> to tensor<4xf64>
func.func @precision(%a: tensor<4xf64>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf64>) {
  %y = arith.truncf %a : tensor<4xf64> to tensor<4xf32>
  %d = train.gradient %y wrt %a grad_ys %g : (tensor<4xf32>, tensor<4xf64>, tensor<4xf32>) -> tensor<4xf64>
  return %y, %d : tensor<4xf32>, tensor<4xf64>
}

// -----

// CHECK-LABEL: func @select
// CHECK: arith.select %[[C:.*]], %[[G:.*]], %{{.*}} : tensor<4xi1>, tensor<4xf32>
// CHECK: arith.select %[[C]], %{{.*}}, %[[G]] : tensor<4xi1>, tensor<4xf32>
func.func @select(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = arith.select %c, %a, %b : tensor<4xi1>, tensor<4xf32>
  %d:2 = train.gradient %y wrt %a, %b grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %d#0, %d#1 : tensor<4xf32>, tensor<4xf32>
}
