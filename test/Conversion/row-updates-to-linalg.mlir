// RUN: flywheel-opt %s --convert-row-updates-to-linalg='min-elements=16' --split-input-file | FileCheck %s

// O30: an update along rows reads and writes the rows that the indices name, and
// no gradient of the whole table is left.
// CHECK-LABEL: func.func @lazy(
// CHECK-SAME: %[[P:[^:]*]]: tensor<16x4xf32>, %[[V:[^:]*]]: tensor<16x4xf32>, %[[I:[^:]*]]: tensor<?xi32>, %[[U:[^:]*]]: tensor<?x4xf32>, %[[LR:[^:]*]]: tensor<f32>, %[[MU:[^:]*]]: tensor<f32>)
// CHECK: linalg_ext.check safe data %{{.*}}, "index out of range: expected 0 <= index < 16" in "nn.scatter_add"
// CHECK: %[[SORT:.*]]:3 = linalg_ext.argsort ins(%[[I]] : tensor<?xi32>) below %c16
// CHECK-SAME: tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>)
// CHECK: %[[SUMS:.*]] = linalg_ext.combine_rows ins(%[[I]], %[[SORT]]#0 : {{.*}}) outs(%[[U]] : tensor<?x4xf32>)
// CHECK-NOT: = nn.scatter_add
// CHECK: %[[A:.*]] = tensor.extract %[[LR]][]
// CHECK: %[[B:.*]] = tensor.extract %[[MU]][]
// CHECK: %[[NEW:.*]]:2 = linalg_ext.update_rows ins(%[[I]], %[[SORT]]#0, %[[SUMS]] : {{.*}}) outs(%[[P]], %[[V]] :
// CHECK-NEXT: ^bb0(%[[G:.*]]: f32, %[[OLD:.*]]: f32, %[[VEL:.*]]: f32):
// CHECK-NEXT: %[[DECAYED:.*]] = arith.mulf %[[B]], %[[VEL]]
// CHECK-NEXT: %[[STEP:.*]] = arith.mulf %[[A]], %[[G]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.subf %[[DECAYED]], %[[STEP]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEXT]]
// CHECK-NEXT: linalg_ext.yield %[[SUM]], %[[NEXT]] : f32, f32
// CHECK: return %[[NEW]]#0, %[[NEW]]#1
func.func @lazy(%p: tensor<16x4xf32>, %v: tensor<16x4xf32>, %i: tensor<?xi32>, %u: tensor<?x4xf32>, %lr: tensor<f32>, %mu: tensor<f32>)
    -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xf32>, tensor<?xi32>, tensor<?x4xf32>) -> tensor<16x4xf32>
  %0:2 = train.update %p, %v along %g with %lr, %mu
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf32>, tensor<16x4xf32>)
      by #train.sgd {train.lazy}
  return %0#0, %0#1 : tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// By default the other rows are updated as along zeros, and so is the constraint.
// CHECK-LABEL: func.func @exact(
// CHECK: linalg_ext.update_rows all ins(
// CHECK: arith.maximumf
// CHECK-NEXT: linalg_ext.yield
// CHECK-NOT: train.project
func.func @exact(%p: tensor<16x4xf32>, %v: tensor<16x4xf32>, %i: tensor<3xi32>, %u: tensor<3x4xf32>, %lr: tensor<f32>, %mu: tensor<f32>)
    -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  %0:2 = train.update %p, %v along %g with %lr, %mu
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf32>, tensor<16x4xf32>)
      by #train.momentum<lr = 0.1>
  %1 = train.project %0#0 : tensor<16x4xf32> by #train.non_neg
  return %1, %0#1 : tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// Norms of rows: a lazy update projects those that it has updated; norms of
// columns are of all rows.
// CHECK-LABEL: func.func @norms(
// CHECK: %[[NEW:.*]]:2 = linalg_ext.update_rows ins(
// CHECK: %[[ROWS:.*]] = linalg_ext.gather ins(%[[NEW]]#0, %{{.*}} : {{.*}}) outs(%{{.*}} : tensor<3x4xf32>) axis 0
// CHECK: %[[PROJECTED:.*]] = train.project %[[ROWS]] : tensor<3x4xf32> by #train.unit_norm<axis = 1>
// CHECK: linalg_ext.scatter replace ins(%{{.*}}, %[[PROJECTED]] : {{.*}}) outs(%[[NEW]]#0 : tensor<16x4xf32>) axis 0
// CHECK: linalg_ext.update_rows ins(
// CHECK: train.project %{{.*}} : tensor<16x4xf32> by #train.unit_norm
func.func @norms(%p: tensor<16x4xf32>, %v: tensor<16x4xf32>, %i: tensor<3xi32>, %u: tensor<3x4xf32>, %lr: tensor<f32>, %mu: tensor<f32>)
    -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  %0:2 = train.update %p, %v along %g with %lr, %mu
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf32>, tensor<16x4xf32>)
      by #train.momentum<lr = 0.1> {train.lazy}
  %1 = train.project %0#0 : tensor<16x4xf32> by #train.unit_norm<axis = 1>
  %2:2 = train.update %p, %v along %g with %lr, %mu
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf32>, tensor<16x4xf32>)
      by #train.momentum<lr = 0.1> {train.lazy}
  %3 = train.project %2#0 : tensor<16x4xf32> by #train.unit_norm
  return %1, %3 : tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// Two lookups of one table, with indices of two types, and a norm of their sum:
// rows of one after rows of the other. A returned gradient stays dense.
// CHECK-LABEL: func.func @sum(
// CHECK: %[[LEFT:.*]] = linalg_ext.combine_rows {{.*}} outs(%{{.*}} : tensor<6x4xf32>)
// CHECK: %[[DENSE:.*]] = nn.scatter_add
// CHECK: %[[RIGHT:.*]] = linalg_ext.combine_rows {{.*}} outs(%{{.*}} : tensor<?x4xf32>)
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : tensor<6xi32> to tensor<6xi64>
// CHECK: tensor.insert_slice %[[WIDE]] into %{{.*}}[0] [6] [1]
// CHECK: tensor.insert_slice %[[LEFT]] into %{{.*}}[0, 0] [6, 4] [1, 1]
// CHECK: %[[BOTH:.*]] = tensor.insert_slice %[[RIGHT]] into %{{.*}}[6, 0] [%{{.*}}, 4] [1, 1]
// CHECK: %[[ROWS:.*]] = linalg_ext.combine_rows {{.*}} outs(%[[BOTH]] : tensor<?x4xf32>)
// CHECK: %[[SQUARES:.*]] = arith.mulf %[[ROWS]], %[[ROWS]] : tensor<?x4xf32>
// CHECK: nn.reduce sum %[[SQUARES]] axes [0, 1] : tensor<?x4xf32> -> tensor<f32>
// CHECK: %[[FACTORS:.*]] = nn.broadcast %{{.*}} dims [] like %[[ROWS]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[ROWS]], %[[FACTORS]] : tensor<?x4xf32>
// CHECK: linalg_ext.update_rows ins(%{{.*}}, %{{.*}}, %[[SCALED]] :
// CHECK: return %{{.*}}, %[[DENSE]]
func.func @sum(%p: tensor<80x4xf32>, %v: tensor<80x4xf32>, %i: tensor<2x3xi32>, %u: tensor<2x3x4xf32>, %j: tensor<?xi64>, %w: tensor<?x4xf32>,
               %factor: tensor<f32>) -> (tensor<80x4xf32>, tensor<80x4xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<80x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<80x4xf32>, tensor<2x3xi32>, tensor<2x3x4xf32>) -> tensor<80x4xf32>
  %h = nn.scatter_add %zeros, %j, %w axis 0 : (tensor<80x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<80x4xf32>
  %sum = arith.addf %g, %h : tensor<80x4xf32>
  %squares = arith.mulf %sum, %sum : tensor<80x4xf32>
  %norm = nn.reduce sum %squares axes [0, 1] : tensor<80x4xf32> -> tensor<f32>
  %factors = nn.broadcast %factor dims [] : (tensor<f32>) -> tensor<80x4xf32>
  %scaled = arith.mulf %sum, %factors : tensor<80x4xf32>
  %0:2 = train.update %p, %v along %scaled with %factor, %norm
      : (tensor<80x4xf32>, tensor<80x4xf32>, tensor<80x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<80x4xf32>, tensor<80x4xf32>)
      by #train.sgd {train.lazy}
  return %0#0, %g : tensor<80x4xf32>, tensor<80x4xf32>
}

// -----

// Rows that are added to rows are such a sum.
// CHECK-LABEL: func.func @rows_to_rows(
// CHECK-NOT: = nn.scatter_add
// CHECK: %[[LEFT:.*]] = linalg_ext.combine_rows {{.*}} outs(%{{.*}} : tensor<6x4xf32>)
// CHECK: %[[RIGHT:.*]] = linalg_ext.combine_rows {{.*}} outs(%{{.*}} : tensor<3x4xf32>)
// CHECK: tensor.insert_slice %[[LEFT]] into %{{.*}}[0, 0] [6, 4] [1, 1]
// CHECK: %[[BOTH:.*]] = tensor.insert_slice %[[RIGHT]] into %{{.*}}[6, 0] [3, 4] [1, 1]
// CHECK: %[[ROWS:.*]] = linalg_ext.combine_rows {{.*}} outs(%[[BOTH]] : tensor<9x4xf32>)
// CHECK: linalg_ext.update_rows {{.*}}ins(%{{.*}}, %{{.*}}, %[[ROWS]] :
func.func @rows_to_rows(%p: tensor<80x4xf32>, %v: tensor<80x4xf32>, %i: tensor<6xi32>, %u: tensor<6x4xf32>, %j: tensor<3xi32>, %w: tensor<3x4xf32>,
                        %factor: tensor<f32>) -> tensor<80x4xf32> {
  %zeros = arith.constant dense<0.0> : tensor<80x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<80x4xf32>, tensor<6xi32>, tensor<6x4xf32>) -> tensor<80x4xf32>
  %sum = nn.scatter_add %g, %j, %w axis 0 : (tensor<80x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<80x4xf32>
  %0:2 = train.update %p, %v along %sum with %factor, %factor
      : (tensor<80x4xf32>, tensor<80x4xf32>, tensor<80x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<80x4xf32>, tensor<80x4xf32>)
      by #train.sgd {train.lazy}
  return %0#0 : tensor<80x4xf32>
}

// -----

// A clip around 0 keeps rows; one that is not makes a dense gradient of them, and
// so does a sum with a dense one.
// CHECK-LABEL: func.func @clip(
// CHECK: %[[ROWS:.*]] = linalg_ext.combine_rows
// CHECK: arith.maximumf
// CHECK: %[[CLIPPED:.*]] = arith.minimumf %{{.*}} : tensor<3x4xf32>
// CHECK: linalg_ext.update_rows all ins(%{{.*}}, %{{.*}}, %[[CLIPPED]] :
// CHECK: train.update
// CHECK: train.update
func.func @clip(%p: tensor<16x4xf32>, %v: tensor<16x4xf32>, %i: tensor<3xi32>, %u: tensor<3x4xf32>, %lr: tensor<f32>, %dense: tensor<16x4xf32>)
    -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf32>
  %low = arith.constant dense<-1.0> : tensor<16x4xf32>
  %high = arith.constant dense<1.0> : tensor<16x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  %up = arith.maximumf %g, %low : tensor<16x4xf32>
  %clipped = arith.minimumf %up, %high : tensor<16x4xf32>
  %0:2 = train.update %p, %v along %clipped with %lr, %lr
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf32>, tensor<16x4xf32>)
      by #train.sgd
  %above = arith.maximumf %g, %high : tensor<16x4xf32>
  %1:2 = train.update %p, %v along %above with %lr, %lr
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf32>, tensor<16x4xf32>)
      by #train.sgd
  %more = arith.addf %g, %dense : tensor<16x4xf32>
  %2:2 = train.update %p, %v along %more with %lr, %lr
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf32>, tensor<16x4xf32>)
      by #train.sgd
  return %0#0, %1#0, %2#0 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// Sums of f16 are in f32; more rows than a quarter of the table are dense.
// CHECK-LABEL: func.func @narrow(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: linalg_ext.combine_rows {{.*}} outs(%{{.*}} : tensor<3x4xf32>)
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: linalg_ext.update_rows all ins(%{{.*}} : tensor<3xi32>, tensor<3xi64>, tensor<3x4xf16>)
// CHECK: train.update
func.func @narrow(%p: tensor<16x4xf16>, %v: tensor<16x4xf16>, %i: tensor<3xi32>, %u: tensor<3x4xf16>, %j: tensor<5xi32>, %w: tensor<5x4xf16>,
                  %lr: tensor<f32>) -> (tensor<16x4xf16>, tensor<16x4xf16>) {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf16>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xf16>, tensor<3xi32>, tensor<3x4xf16>) -> tensor<16x4xf16>
  %0:2 = train.update %p, %v along %g with %lr, %lr
      : (tensor<16x4xf16>, tensor<16x4xf16>, tensor<16x4xf16>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf16>, tensor<16x4xf16>)
      by #train.sgd
  %h = nn.scatter_add %zeros, %j, %w axis 0 : (tensor<16x4xf16>, tensor<5xi32>, tensor<5x4xf16>) -> tensor<16x4xf16>
  %1:2 = train.update %p, %v along %h with %lr, %lr
      : (tensor<16x4xf16>, tensor<16x4xf16>, tensor<16x4xf16>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf16>, tensor<16x4xf16>)
      by #train.sgd
  return %0#0, %1#0 : tensor<16x4xf16>, tensor<16x4xf16>
}

// -----

// A rule that leaves an element without a gradient as it is: the rows that are
// looked up, but a constraint is of all.
// CHECK-LABEL: func.func @leaves(
// CHECK: %[[NEW:.*]] = linalg_ext.update_rows ins(
// CHECK: linalg_ext.yield
// CHECK: train.project %[[NEW]] : tensor<16x4xf32>
func.func @leaves(%p: tensor<16x4xf32>, %i: tensor<3xi32>, %u: tensor<3x4xf32>, %lr: tensor<f32>) -> tensor<16x4xf32> {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  %0 = train.update %p along %g with %lr : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>) -> tensor<16x4xf32>
      by #train.gradient_descent<lr = 0.1>
  %1 = train.project %0 : tensor<16x4xf32> by #train.non_neg
  return %1 : tensor<16x4xf32>
}

// -----

// Also where it is computed in f32.
// CHECK-LABEL: func.func @leaves_narrow(
// CHECK: linalg_ext.update_rows ins(
func.func @leaves_narrow(%p: tensor<16x4xbf16>, %i: tensor<3xi32>, %u: tensor<3x4xbf16>, %lr: tensor<f32>) -> tensor<16x4xbf16> {
  %zeros = arith.constant dense<0.0> : tensor<16x4xbf16>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xbf16>, tensor<3xi32>, tensor<3x4xbf16>) -> tensor<16x4xbf16>
  %0 = train.update %p along %g with %lr : (tensor<16x4xbf16>, tensor<16x4xbf16>, tensor<f32>) -> tensor<16x4xbf16>
      by #train.gradient_descent<lr = 0.1>
  return %0 : tensor<16x4xbf16>
}

// -----

// The norm of a row is a row, and the sum of its squares is one of rows.
// CHECK-LABEL: func.func @norm_of_norms(
// CHECK: %[[ROWS:.*]] = linalg_ext.combine_rows
// CHECK: %[[LARGEST:.*]] = nn.reduce max %[[ROWS]] axes [1] keepdims : tensor<3x4xf32> -> tensor<3x1xf32>
// CHECK: %[[SQUARES:.*]] = arith.mulf %[[LARGEST]], %[[LARGEST]] : tensor<3x1xf32>
// CHECK-NEXT: nn.reduce sum %[[SQUARES]] axes [0, 1] : tensor<3x1xf32> -> tensor<f32>
// CHECK-NOT: = nn.scatter_add
func.func @norm_of_norms(%i: tensor<3xi32>, %u: tensor<3x4xf32>) -> tensor<f32> {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  %largest = nn.reduce max %g axes [1] keepdims : tensor<16x4xf32> -> tensor<16x1xf32>
  %squares = arith.mulf %largest, %largest : tensor<16x1xf32>
  %norm = nn.reduce sum %squares axes [0, 1] : tensor<16x1xf32> -> tensor<f32>
  return %norm : tensor<f32>
}

// -----

// A decay of all weights reads what the update overwrites: both are one loop
// where the gradient is dense.
// CHECK-LABEL: func.func @decay(
// CHECK-NOT: linalg_ext.update_rows
// CHECK: train.update
func.func @decay(%p: tensor<16x4xf32>, %i: tensor<3xi32>, %u: tensor<3x4xf32>, %lr: tensor<f32>, %c: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf32>
  %g = nn.scatter_add %zeros, %i, %u axis 0 : (tensor<16x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  %0 = train.update %p along %g with %lr : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>) -> tensor<16x4xf32>
      by #train.gradient_descent<lr = 0.1>
  %decay = arith.mulf %p, %c : tensor<16x4xf32>
  %1 = arith.subf %0, %decay : tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}

// -----

// O30: single rows of f16 that were added one after the other.
// CHECK-LABEL: func.func @half(
// CHECK-NOT: = nn.scatter
// CHECK: linalg_ext.combine_rows
// CHECK: linalg_ext.update_rows
// CHECK-NOT: = nn.scatter
// CHECK: return
func.func @half(%p: tensor<16x4xf16>, %v: tensor<16x4xf16>, %i: tensor<1xi32>, %j: tensor<1xi32>, %t: tensor<1x4xf16>, %u: tensor<1x4xf16>,
    %lr: tensor<f32>, %mu: tensor<f32>) -> (tensor<16x4xf16>, tensor<16x4xf16>) {
  %zeros = arith.constant dense<0.0> : tensor<16x4xf16>
  %0 = nn.scatter_add %zeros, %i, %t axis 0 : (tensor<16x4xf16>, tensor<1xi32>, tensor<1x4xf16>) -> tensor<16x4xf16>
  %1 = nn.gather %0, %j axis 0 : (tensor<16x4xf16>, tensor<1xi32>) -> tensor<1x4xf16>
  %2 = arith.addf %1, %u : tensor<1x4xf16>
  %g = nn.scatter %0, %j, %2 axis 0 : (tensor<16x4xf16>, tensor<1xi32>, tensor<1x4xf16>) -> tensor<16x4xf16>
  %3:2 = train.update %p, %v along %g with %lr, %mu
      : (tensor<16x4xf16>, tensor<16x4xf16>, tensor<16x4xf16>, tensor<f32>, tensor<f32>) -> (tensor<16x4xf16>, tensor<16x4xf16>)
      by #train.sgd {train.lazy}
  return %3#0, %3#1 : tensor<16x4xf16>, tensor<16x4xf16>
}
