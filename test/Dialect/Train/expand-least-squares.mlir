// RUN: flywheel-opt %s --train-expand-least-squares --canonicalize --cse --split-input-file | FileCheck %s

// L2, L8, L9: one loop, whose x starts from reads of the variables before
// it and is assigned after it. Reads in the region, and in what it calls, are x.
train.variable @a : tensor<f64> = #train.zeros
train.variable @b : tensor<3xf64> = #train.zeros {constraint = #train.non_neg}
func.func private @model(%t: tensor<3xf64>) -> tensor<3xf64> {
  %a = train.read @a : tensor<f64>
  %as = nn.broadcast %a dims [] : (tensor<f64>) -> tensor<3xf64>
  %r = arith.mulf %as, %t : tensor<3xf64>
  return %r : tensor<3xf64>
}
// CHECK-LABEL: func @variables
// CHECK-SAME: (%[[T:.*]]: tensor<3xf64>)
// CHECK-DAG: %[[TEN:.*]] = arith.constant dense<1.000000e+01> : tensor<f64>
// CHECK-DAG: %[[L0:.*]] = arith.constant dense<1.000000e-01> : tensor<f64>
// CHECK: %[[A0:.*]] = train.read @a
// CHECK: %[[B0:.*]] = train.read @b
// CHECK: %[[LOSS:.*]] = nn.l2_loss
// CHECK: %[[LOSS2:.*]] = nn.l2_loss
// CHECK: %[[O0:.*]] = arith.addf %[[LOSS]], %[[LOSS2]] : tensor<f64>
// CHECK: %[[END:.*]]:4 = scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK-SAME: iter_args(%[[A:.*]] = %[[A0]], %[[B:.*]] = %[[B0]], %[[O:.*]] = %[[O0]], %[[L:.*]] = %[[L0]])
// CHECK-NOT: train.read
// G19: what is differentiated are parameters, whatever else has their values.
// CHECK: %[[PA:.*]] = train.parameter %[[A]]
// CHECK: %[[PB:.*]] = train.parameter %[[B]]
// CHECK: %[[AS:.*]] = nn.broadcast %[[PA]]
// CHECK: %[[R:.*]] = arith.mulf %[[AS]], %[[T]]
// The blocks of J: what a residual does not depend on is zeros.
// CHECK: %[[J:.*]]:2 = train.jacobian %[[R]] wrt %[[PA]], %[[PB]] unconnected zeros
// CHECK: %[[J2:.*]]:2 = train.jacobian %[[PB]] wrt %[[PA]], %[[PB]] unconnected zeros
// CHECK: %[[ALL:.*]] = tensor.concat dim(0) {{.*}} -> tensor<6x4xf64>
// A factor reads the lower triangle of J^T J: no more of it is asked for.
// CHECK-DAG: %[[PRODUCT:.*]] = nn.matmul %[[ALL]], %[[ALL]] {transpose_a} : {{.*}} -> tensor<4x4xf64>
// CHECK-DAG: %[[GRAM:.*]] = nn.triangle lower %[[PRODUCT]] : tensor<4x4xf64>
// CHECK-DAG: nn.matmul %[[ALL]], %{{.*}} {transpose_a} : {{.*}} -> tensor<4x1xf64>
// CHECK: %[[M:.*]] = arith.addf %[[GRAM]],
// CHECK: %[[F:.*]] = nn.cholesky %[[M]]
// CHECK-COUNT-2: nn.triangular_solve lower %[[F]],
// CHECK: %[[CANDIDATE:.*]] = arith.subf %[[A]],
// CHECK: %[[CANDIDATE2:.*]] = arith.subf %[[B]],
// CHECK: %[[NEW:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<f64>
// CHECK: %[[BETTER:.*]] = arith.cmpf olt, %[[NEW]], %[[O]] : tensor<f64>
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}}, %[[CANDIDATE]], %[[A]]
// CHECK: %[[NEXT2:.*]] = arith.select %{{.*}}, %[[CANDIDATE2]], %[[B]]
// CHECK: %[[NEXTO:.*]] = arith.select %[[BETTER]], %[[NEW]], %[[O]]
// CHECK: %[[MORE:.*]] = arith.mulf %[[L]], %[[TEN]]
// CHECK: %[[NEXTL:.*]] = arith.select %[[BETTER]], %[[L]], %[[MORE]]
// CHECK: scf.yield %[[NEXT]], %[[NEXT2]], %[[NEXTO]], %[[NEXTL]]
// CHECK: train.assign @a, %[[END]]#0
// CHECK: %[[PROJECTED:.*]] = train.project %[[END]]#1
// CHECK: train.assign @b, %[[PROJECTED]]
// CHECK: return %[[END]]#2
func.func @variables(%t: tensor<3xf64>) -> tensor<f64> {
  %o = train.least_squares over [@a, @b] max_iterations 5 regularizer 0.1 : () -> tensor<f64> {
    %r = func.call @model(%t) : (tensor<3xf64>) -> tensor<3xf64>
    %b = train.read @b : tensor<3xf64>
    train.residuals %r, %b : tensor<3xf64>, tensor<3xf64>
  }
  return %o : tensor<f64>
}

// -----

// L3, L1: nothing is assigned; a step that could not be computed is none, and
// the history has an element for each iteration. Fewer residuals than unknowns:
// the smaller system.
// CHECK-LABEL: func @rejecting
// CHECK: scf.for %[[I:.*]] = %c0 to %c3 step %c1 iter_args(%[[X:.*]] = %arg0,
// CHECK: %[[GRAM:.*]] = nn.matmul %[[J:.*]], %[[J]] {transpose_b} : {{.*}} -> tensor<2x2xf32>
// CHECK: nn.triangle lower %[[GRAM]] : tensor<2x2xf32>
// CHECK: %{{.*}}, %[[SUCCESS:.*]] = nn.try_cholesky
// CHECK: %[[STEP:.*]] = nn.matmul %[[J]], %{{.*}} {transpose_a} : {{.*}} -> tensor<8x1xf32>
// CHECK: %[[EACH:.*]] = nn.broadcast %[[SUCCESS]]
// CHECK: %[[D:.*]] = arith.select %[[EACH]],
// CHECK: arith.subf %[[X]], %[[D]]
// CHECK-COUNT-3: tensor.insert %{{.*}} into %{{.*}}[%[[I]]]
// CHECK-NOT: train.assign
func.func @rejecting(%x: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xf32>) {
  %o:5 = train.least_squares %x max_iterations 3 on_failure reject history
      : (tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xf32>) {
  ^bb0(%y: tensor<8xf32>):
    %e = math.exp %y : tensor<8xf32>
    %s = tensor.extract_slice %e[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
    train.residuals %s : tensor<2xf32>
  }
  return %o#0, %o#1, %o#2, %o#3, %o#4 : tensor<f32>, tensor<8xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xf32>
}

// -----

// As many residuals as a call has: both systems have 2 rows.
// CHECK-LABEL: func @batch
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %{{.*}}, %c2 : index
// CHECK: scf.if %[[FEW]] -> (tensor<2x2xf64>, tensor<2x1xf64>) {
// CHECK: tensor.insert_slice {{.*}} {train.in_range} : tensor<?x2xf64> into tensor<2x2xf64>
// CHECK: nn.matmul {{.*}} {transpose_b} : {{.*}} -> tensor<2x2xf64>
// CHECK: } else {
// CHECK: nn.matmul {{.*}} {transpose_a} : {{.*}} -> tensor<2x2xf64>
// CHECK: }
// CHECK: nn.cholesky
func.func @batch(%x: tensor<2xf64>, %t: tensor<?x2xf64>) -> tensor<f64> {
  %o, %v = train.least_squares %x max_iterations 2 : (tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  ^bb0(%y: tensor<2xf64>):
    %each = nn.broadcast %y dims [1] like %t : (tensor<2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
    %p = arith.mulf %each, %t : tensor<?x2xf64>
    %r = nn.reduce sum %p axes [1] : tensor<?x2xf64> -> tensor<?xf64>
    train.residuals %r : tensor<?xf64>
  }
  return %o : tensor<f64>
}

// -----

// No Jacobian: one derivative and one gradient for each iteration of the inner loop.
// CHECK-LABEL: func @conjugate_gradients
// CHECK: scf.for
// CHECK-NOT: train.jacobian
// CHECK: train.gradient %[[R:.*]] wrt %[[X:.*]] grad_ys %[[R]] unconnected zeros
// CHECK: scf.while
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpi slt, %{{.*}}, %c4
// CHECK: scf.condition
// CHECK: %[[V:.*]] = train.jvp %[[R]] wrt %[[X]] tangents
// CHECK: train.gradient %[[R]] wrt %[[X]] grad_ys %[[V]] unconnected zeros
// CHECK-NOT: nn.cholesky
func.func @conjugate_gradients(%x: tensor<8xf32>) -> tensor<f32> {
  %o, %v = train.least_squares %x max_iterations 2 solver cg cg_iterations 4
      : (tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  ^bb0(%y: tensor<8xf32>):
    %e = math.exp %y : tensor<8xf32>
    train.residuals %e : tensor<8xf32>
  }
  return %o : tensor<f32>
}

// -----

// One iteration needs no loop.
// CHECK-LABEL: func @one
// CHECK-NOT: scf.
// CHECK: train.jacobian {{.*}} mode reverse unconnected zeros
// CHECK: nn.cholesky
// CHECK-NOT: scf.
// CHECK: return
func.func @one(%x: tensor<8xf32>) -> tensor<f32> {
  %o, %v = train.least_squares %x max_iterations 1 jacobian reverse : (tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  ^bb0(%y: tensor<8xf32>):
    %e = math.exp %y : tensor<8xf32>
    train.residuals %e : tensor<8xf32>
  }
  return %o : tensor<f32>
}
