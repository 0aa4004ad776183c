// RUN: flywheel-opt %s --train-autodiff --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @tanh
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[G:.*]]: tensor<?xf32>)
// CHECK: %[[Y:.*]] = math.tanh %[[X]]
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[Y]], %[[Y]]
// CHECK: %[[ONE:.*]] = nn.broadcast
// CHECK: %[[SLOPE:.*]] = arith.subf %[[ONE]], %[[SQUARE]]
// CHECK: arith.mulf %[[G]], %[[SLOPE]]
func.func @tanh(%x: tensor<?xf32>, %g: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.tanh %x : tensor<?xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %d : tensor<?xf32>
}

// -----

// |x| has the derivative 0 at 0.
// CHECK-LABEL: func.func @abs(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf ogt, %[[X]], %[[CST]] : tensor<4xf32>
// CHECK-NEXT: %[[CMPF_2:.*]] = arith.cmpf olt, %[[X]], %[[CST]] : tensor<4xf32>
// CHECK-NEXT: %[[NEGF:.*]] = arith.negf %[[G]] : tensor<4xf32>
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPF_2]], %[[NEGF]], %[[CST]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[SELECT_2:.*]] = arith.select %[[CMPF]], %[[G]], %[[SELECT]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: return %[[SELECT_2]] : tensor<4xf32>
func.func @abs(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.absf %x : tensor<4xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// Nothing is emitted for what is computed before a jump function.
// CHECK-LABEL: func @floor
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK-NEXT: return %[[ZERO]]
func.func @floor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = math.exp %x : tensor<4xf32>
  %y = math.floor %e : tensor<4xf32>
  %d = train.gradient %y wrt %x unconnected zeros : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// Only one of two results is used.
// CHECK-LABEL: func @sincos
// CHECK: %[[SIN:.*]], %[[COS:.*]] = math.sincos
// CHECK: arith.mulf %{{.*}}, %[[COS]]
// CHECK-NOT: arith.subf
func.func @sincos(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %sin, %cos = math.sincos %x : tensor<4xf32>
  %d = train.gradient %sin wrt %x grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// If x^p is constant, the logarithm is of 1: no infinity reaches a product.
// CHECK-LABEL: func @power(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = math.powf %[[X]], %[[P]]
// CHECK: %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[Y]]
// CHECK: %[[AT_ZERO:.*]] = arith.andi
// CHECK: %[[IS_CONSTANT:.*]] = arith.ori %[[IS_ZERO]], %[[AT_ZERO]]
// CHECK: %[[BASE:.*]] = arith.select %[[IS_CONSTANT]], %{{.*}}, %[[X]]
// CHECK: %[[INVERSE:.*]] = arith.divf
// CHECK: %[[BY_INVERSE:.*]] = arith.mulf %{{.*}}, %[[INVERSE]]
// CHECK: %[[LOG:.*]] = math.log %[[BASE]]
// CHECK: %[[BY_LOG:.*]] = arith.mulf %{{.*}}, %[[LOG]]
// CHECK: %[[SLOPE:.*]] = arith.select %[[IS_ZERO]], %[[BY_INVERSE]], %[[BY_LOG]]
// CHECK: arith.mulf %[[G]], %[[SLOPE]]
func.func @power(%x: tensor<4xf32>, %p: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.powf %x, %p : tensor<4xf32>
  %d = train.gradient %y wrt %p grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// The slope does not depend on the cotangent, which forward mode differentiates.
// CHECK-LABEL: func @power_base(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>
// CHECK: %[[IS_GONE:.*]] = arith.andi
// CHECK: %[[FACTOR:.*]] = arith.select %[[IS_GONE]], %{{.*}}, %[[P]]
// CHECK: %[[IS_CONSTANT:.*]] = arith.ori %[[IS_GONE]], %{{.*}}
// CHECK: %[[BASE:.*]] = arith.select %[[IS_CONSTANT]], %{{.*}}, %[[X]]
// CHECK: %[[POWER:.*]] = math.powf %[[BASE]]
// CHECK: %[[KEPT:.*]] = arith.select %[[IS_CONSTANT]], %{{.*}}, %[[POWER]]
// CHECK: %[[FINITE:.*]] = arith.select %[[IS_ROOT:.*]], %{{.*}}, %[[KEPT]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[FACTOR]], %[[FINITE]]
// CHECK: %[[SLOPE:.*]] = arith.select %[[IS_ROOT]], %[[KEPT]], %[[SCALED]]
// CHECK: arith.mulf %[[G]], %[[SLOPE]]
func.func @power_base(%x: tensor<4xf32>, %p: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.powf %x, %p : tensor<4xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// A constant exponent leaves no case to decide.
// CHECK-LABEL: func @constant_power(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>
// CHECK-DAG: %[[LOWER:.*]] = arith.constant dense<5.000000e-01>
// CHECK-DAG: %[[P:.*]] = arith.constant dense<1.500000e+00>
// CHECK: %[[POWER:.*]] = math.powf %[[X]], %[[LOWER]]
// CHECK: %[[SLOPE:.*]] = arith.mulf %[[POWER]], %[[P]]
// CHECK: arith.mulf %[[G]], %[[SLOPE]]
// CHECK-NOT: arith.select
func.func @constant_power(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %p = arith.constant dense<1.5> : tensor<4xf32>
  %y = math.powf %x, %p : tensor<4xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// Computed in f32, where the square of a small number is not 0.
// CHECK-LABEL: func @narrow_angle(
// CHECK: arith.extf %{{.*}} : tensor<4xf16> to tensor<4xf32>
// CHECK: %[[SLOPE:.*]] = arith.mulf %{{.*}} : tensor<4xf32>
// CHECK: arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xf16>
func.func @narrow_angle(%y: tensor<4xf16>, %x: tensor<4xf16>, %g: tensor<4xf16>) -> tensor<4xf16> {
  %a = math.atan2 %y, %x : tensor<4xf16>
  %d = train.gradient %a wrt %y grad_ys %g : (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %d : tensor<4xf16>
}
