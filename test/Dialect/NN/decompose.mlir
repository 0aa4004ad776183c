// RUN: flywheel-opt %s --nn-decompose --split-input-file | FileCheck %s

// X4: dynamic dimension sizes too; what it is made of has no composite op.
// CHECK-LABEL: func @gelu
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>)
func.func @gelu(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // CHECK-NOT: nn.gelu
  // CHECK: %[[S:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<?x3xf32>
  // CHECK: %[[E:.*]] = math.erf %[[S]] : tensor<?x3xf32>
  // CHECK: arith.addf %[[E]]
  // CHECK: %[[Y:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<?x3xf32>
  // CHECK: return %[[Y]]
  %y = nn.gelu %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// G20: the cube of a bounded number, which does not overflow.
// CHECK-LABEL: func.func @gelu_approximate(
// CHECK-SAME: %[[X:[^:]*]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[LOW:.*]] = arith.constant dense<-2.000000e+01> : tensor<f64>
// CHECK: %[[MAX:.*]] = arith.maximumf %[[X]], %[[LOW]] : tensor<f64>
// CHECK: %[[HIGH:.*]] = arith.constant dense<2.000000e+01> : tensor<f64>
// CHECK: %[[NEAR:.*]] = arith.minimumf %[[MAX]], %[[HIGH]] : tensor<f64>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[NEAR]], %[[NEAR]] : tensor<f64>
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[MULF]], %[[NEAR]] : tensor<f64>
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<4.471500e-02> : tensor<f64>
// CHECK-NEXT: %[[MULF_3:.*]] = arith.mulf %[[MULF_2]], %[[CST]] : tensor<f64>
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[NEAR]], %[[MULF_3]] : tensor<f64>
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant dense<0.79788456080286541> : tensor<f64>
// CHECK-NEXT: %[[MULF_4:.*]] = arith.mulf %[[ADDF]], %[[CST_2]] : tensor<f64>
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[MULF_4]] : tensor<f64>
// CHECK-NEXT: %[[CST_3:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK-NEXT: %[[ADDF_2:.*]] = arith.addf %[[TANH]], %[[CST_3]] : tensor<f64>
// CHECK-NEXT: %[[CST_4:.*]] = arith.constant dense<5.000000e-01> : tensor<f64>
// CHECK-NEXT: %[[MULF_5:.*]] = arith.mulf %[[ADDF_2]], %[[CST_4]] : tensor<f64>
// CHECK-NEXT: %[[MULF_6:.*]] = arith.mulf %[[X]], %[[MULF_5]] : tensor<f64>
// CHECK-NEXT: return %[[MULF_6]] : tensor<f64>
func.func @gelu_approximate(%x: tensor<f64>) -> tensor<f64> {
  %y = nn.gelu %x {approximate} : tensor<f64>
  return %y : tensor<f64>
}

// -----

// V3: f16 is computed with in f32, and rounded once.
// CHECK-LABEL: func @silu
// CHECK-SAME: (%[[X:.*]]: tensor<?xf16>)
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : tensor<?xf16> to tensor<?xf32>
// CHECK: %[[S:.*]] = nn.sigmoid %[[WIDE]]
// CHECK: %[[Y:.*]] = arith.mulf %[[WIDE]], %[[S]]
// CHECK: %[[NARROW:.*]] = arith.truncf %[[Y]] : tensor<?xf32> to tensor<?xf16>
// CHECK: return %[[NARROW]]
func.func @silu(%x: tensor<?xf16>) -> tensor<?xf16> {
  %y = nn.silu %x : tensor<?xf16>
  return %y : tensor<?xf16>
}

// -----

// No exponential of a positive number, but one of NaN.
// CHECK-LABEL: func @elu
// CHECK: %[[P:.*]] = arith.cmpf ogt, %[[X:.*]], %{{.*}}
// CHECK: %[[LOW:.*]] = arith.select %[[P]], %{{.*}}, %[[X]]
// CHECK: %[[E:.*]] = math.expm1 %[[LOW]]
// CHECK: arith.select %[[P]], %[[X]], %[[E]]
func.func @elu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nn.elu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// X6: the mean of each row, then of the rows; a dimension size is static where both
// types say so, until the declared result.
// CHECK-LABEL: func @mean_squared_error
// CHECK-SAME: (%[[P:.*]]: tensor<4x?xf32>, %[[T:.*]]: tensor<?x3xf32>)
// CHECK-DAG: %[[A:.*]] = tensor.cast %[[P]] : tensor<4x?xf32> to tensor<?x?xf32>
// CHECK-DAG: %[[B:.*]] = tensor.cast %[[T]] : tensor<?x3xf32> to tensor<?x?xf32>
// CHECK: %[[E:.*]] = arith.subf %[[A]], %[[B]]
// CHECK: %[[S:.*]] = arith.mulf %[[E]], %[[E]]
// CHECK: %[[R:.*]] = nn.reduce mean %[[S]] axes [1] : tensor<?x?xf32> -> tensor<?xf32>
// CHECK: nn.reduce mean %[[R]] axes [0] : tensor<?xf32> -> tensor<f32>
// CHECK: tensor.cast %{{.*}} : tensor<?xf32> to tensor<4xf32>
func.func @mean_squared_error(%p: tensor<4x?xf32>, %t: tensor<?x3xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = nn.mean_squared_error %p, %t : (tensor<4x?xf32>, tensor<?x3xf32>) -> tensor<f32>
  %1 = nn.mean_squared_error %p, %t reduction none : (tensor<4x?xf32>, tensor<?x3xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<f32>, tensor<4xf32>
}

// -----

// The variance is the mean of squares of what the mean has left.
// CHECK-LABEL: func @batch_norm
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xbf16>, %[[G:.*]]: tensor<8xf32>)
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]]
// R11: the mean of no elements is 0.
// CHECK: %[[ROWS:.*]] = tensor.dim %[[WIDE]]
// CHECK: %[[COUNT:.*]] = arith.sitofp
// CHECK: %[[N:.*]] = tensor.from_elements %[[COUNT]]
// CHECK: %[[RAW:.*]] = nn.reduce mean %[[WIDE]] axes [0]
// CHECK: %[[ANY:.*]] = arith.cmpf ogt
// CHECK: %[[MEAN:.*]] = arith.select %[[ANY]], %[[RAW]]
// CHECK: %[[BITS:.*]] = arith.bitcast %[[MEAN]] : tensor<8xf32> to tensor<8xi32>
// CHECK: %[[FIXED:.*]] = arith.bitcast %[[BITS]] : tensor<8xi32> to tensor<8xf32>
// CHECK: %[[SHIFT:.*]] = arith.subf %[[MEAN]], %[[FIXED]]
// CHECK: %[[SPREAD:.*]] = nn.broadcast %[[FIXED]] dims [1] like %[[WIDE]]
// CHECK: %[[C:.*]] = arith.subf %[[WIDE]], %[[SPREAD]]
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[C]], %[[C]]
// CHECK: %[[SQUARES_RAW:.*]] = nn.reduce mean %[[SQUARE]] axes [0]
// CHECK: %[[SQUARES:.*]] = arith.select %{{.*}}, %[[SQUARES_RAW]]
// CHECK: %[[LESS:.*]] = arith.mulf %[[SHIFT]], %[[SHIFT]]
// CHECK: %[[VARIANCE:.*]] = arith.subf %[[SQUARES]], %[[LESS]]
// CHECK: %[[ROOT:.*]] = math.rsqrt
// CHECK: %[[FACTOR:.*]] = arith.mulf %[[ROOT]], %[[G]]
// CHECK: %[[MOVED:.*]] = arith.mulf %[[SHIFT]], %[[FACTOR]]
// CHECK: %[[OFFSET:.*]] = arith.negf %[[MOVED]]
// CHECK: %[[FACTORS:.*]] = nn.broadcast %[[FACTOR]] dims [1]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[C]], %[[FACTORS]]
// CHECK: %[[OFFSETS:.*]] = nn.broadcast %[[OFFSET]] dims [1]
// CHECK: %[[SUM:.*]] = arith.addf %[[SCALED]], %[[OFFSETS]]
// CHECK: %[[Y:.*]] = arith.truncf %[[SUM]] : tensor<?x8xf32> to tensor<?x8xbf16>
// CHECK: return %[[Y]], %[[MEAN]], %[[VARIANCE]]
func.func @batch_norm(%x: tensor<?x8xbf16>, %g: tensor<8xf32>) -> (tensor<?x8xbf16>, tensor<8xf32>, tensor<8xf32>) {
  %y, %m, %v = nn.batch_norm_training %x gamma %g epsilon 1.0e-3
      : (tensor<?x8xbf16>, tensor<8xf32>) -> (tensor<?x8xbf16>, tensor<8xf32>, tensor<8xf32>)
  return %y, %m, %v : tensor<?x8xbf16>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Scores that a query does not see have no weight, whatever the others are.
// CHECK-LABEL: func @attention
// CHECK-SAME: (%[[Q:.*]]: tensor<2x?x4xf32>, %[[K:.*]]: tensor<2x?x4xf32>, %[[M:.*]]: tensor<2x?x?xi1>)
// CHECK: arith.constant dense<5.000000e-01>
// CHECK: %[[S:.*]] = nn.matmul %{{.*}}, %[[K]] {transpose_b} : {{.*}} -> tensor<2x?x?xf32>
// CHECK: %[[MASKED:.*]] = arith.select %[[M]], %[[S]], %{{.*}}
// CHECK: %[[PAST:.*]] = nn.triangle lower %[[MASKED]] fill 0xFFF0000000000000
// CHECK: %[[W:.*]] = nn.softmax %[[PAST]]
// CHECK: %[[KEPT:.*]] = arith.select %[[M]], %[[W]], %{{.*}}
// CHECK: nn.matmul %[[KEPT]], %[[K]] : (tensor<2x?x?xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
func.func @attention(%q: tensor<2x?x4xf32>, %k: tensor<2x?x4xf32>, %m: tensor<2x?x?xi1>) -> tensor<2x?x4xf32> {
  %y = nn.attention %q, %k, %k mask %m causal
      : (tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x?xi1>) -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}

// -----

// X7: repeated along a new dimension before each.
// CHECK-LABEL: func @tile
// CHECK: %[[B:.*]] = nn.broadcast %arg0 dims [1, 3] : (tensor<2x3xf32>) -> tensor<4x2x1x3xf32>
// CHECK: tensor.collapse_shape %[[B]] {{\[}}[0, 1], [2, 3]] : tensor<4x2x1x3xf32> into tensor<8x3xf32>
func.func @tile(%x: tensor<2x3xf32>) -> tensor<8x3xf32> {
  %y = nn.tile %x multiples [4, 1] : tensor<2x3xf32> -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// -----

// L14: more rows than columns, or nobody knows.
// CHECK-LABEL: func @lstsq
// CHECK-SAME: (%[[A:.*]]: tensor<?x2xf64>, %[[B:.*]]: tensor<?x1xf64>)
// CHECK: nn.matmul %[[A]], %[[A]] {transpose_a} : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<2x2xf64>
// CHECK: nn.matmul %[[A]], %[[B]] {transpose_a}
// CHECK: arith.addf
// CHECK: %[[L:.*]] = nn.cholesky
// CHECK: nn.triangular_solve lower %[[L]], %{{.*}} : (
// CHECK: nn.triangular_solve lower %[[L]], %{{.*}} transpose : (
func.func @lstsq(%a: tensor<?x2xf64>, %b: tensor<?x1xf64>) -> tensor<2x1xf64> {
  %x = nn.lstsq %a, %b l2 0.5 : (tensor<?x2xf64>, tensor<?x1xf64>) -> tensor<2x1xf64>
  return %x : tensor<2x1xf64>
}

// -----

// L14: fewer rows than columns.
// CHECK-LABEL: func @minimum_norm
// CHECK: nn.matmul %arg0, %arg0 {transpose_b} : {{.*}} -> tensor<1x1xf64>
// CHECK-NOT: arith.addf
// CHECK: nn.cholesky
// CHECK: nn.matmul %arg0, %{{.*}} {transpose_a} : {{.*}} -> tensor<2x1xf64>
func.func @minimum_norm(%a: tensor<1x2xf64>, %b: tensor<1x1xf64>) -> tensor<2x1xf64> {
  %x = nn.lstsq %a, %b : (tensor<1x2xf64>, tensor<1x1xf64>) -> tensor<2x1xf64>
  return %x : tensor<2x1xf64>
}
