// RUN: env MALLOC_PERTURB_=165 flywheel-opt %s --nn-hoist-gathers --split-input-file | FileCheck %s

// V16: rows of weights with a scale for each column.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[W:[^:]*]]: tensor<1000x8xi8>, %[[S:[^:]*]]: tensor<8xf32>, %[[I:[^:]*]]: tensor<4x3xi32>)
// CHECK: %[[ROWS:.*]] = nn.gather %[[W]], %[[I]] axis 0 : (tensor<1000x8xi8>, tensor<4x3xi32>) -> tensor<4x3x8xi8>
// CHECK-DAG: %[[WIDE:.*]] = arith.sitofp %[[ROWS]] : tensor<4x3x8xi8> to tensor<4x3x8xf32>
// CHECK-DAG: %[[SCALES:.*]] = nn.broadcast %[[S]] dims [2] : (tensor<8xf32>) -> tensor<4x3x8xf32>
// CHECK: %[[RESULT:.*]] = arith.mulf %[[WIDE]], %[[SCALES]] : tensor<4x3x8xf32>
// CHECK-NOT: tensor<1000x8xf32>
// CHECK: return %[[RESULT]]
func.func @columns(%w: tensor<1000x8xi8>, %s: tensor<8xf32>, %i: tensor<4x3xi32>) -> tensor<4x3x8xf32> {
  %0 = arith.sitofp %w : tensor<1000x8xi8> to tensor<1000x8xf32>
  %1 = nn.broadcast %s dims [1] : (tensor<8xf32>) -> tensor<1000x8xf32>
  %2 = arith.mulf %0, %1 : tensor<1000x8xf32>
  %3 = nn.gather %2, %i axis 0 : (tensor<1000x8xf32>, tensor<4x3xi32>) -> tensor<4x3x8xf32>
  return %3 : tensor<4x3x8xf32>
}

// -----

// With a scale for each row, a number, and indices of any number.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[W:[^:]*]]: tensor<1000x8xi8>, %[[S:[^:]*]]: tensor<1000xf32>, %[[I:[^:]*]]: tensor<?xi32>)
// CHECK: %[[ROWS:.*]] = nn.gather %[[W]], %[[I]] axis 0
// CHECK: arith.sitofp %[[ROWS]] : tensor<?x8xi8> to tensor<?x8xf32>
// CHECK: nn.broadcast %{{.*}} dims [] like %[[ROWS]] : (tensor<f32>, tensor<?x8xi8>) -> tensor<?x8xf32>
// CHECK: arith.subf
// CHECK: %[[SCALES:.*]] = nn.gather %[[S]], %[[I]] axis 0 : (tensor<1000xf32>, tensor<?xi32>) -> tensor<?xf32>
// CHECK: nn.broadcast %[[SCALES]] dims [0] like %[[ROWS]]
// CHECK: arith.mulf
// CHECK-NOT: tensor<1000x8xf32>
// CHECK: return
func.func @rows(%w: tensor<1000x8xi8>, %s: tensor<1000xf32>, %i: tensor<?xi32>) -> tensor<?x8xf32> {
  %zero = arith.constant dense<3.0> : tensor<1000x8xf32>
  %0 = arith.sitofp %w : tensor<1000x8xi8> to tensor<1000x8xf32>
  %1 = arith.subf %0, %zero : tensor<1000x8xf32>
  %2 = nn.broadcast %s dims [0] : (tensor<1000xf32>) -> tensor<1000x8xf32>
  %3 = arith.mulf %1, %2 : tensor<1000x8xf32>
  %4 = nn.gather %3, %i axis 0 : (tensor<1000x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}

// -----

// Not for more rows than the table has, nor of what the step computes.
// CHECK-LABEL: func.func @many(
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: nn.gather %[[WIDE]]
func.func @many(%w: tensor<10x8xf16>, %i: tensor<64xi32>) -> tensor<64x8xf32> {
  %0 = arith.extf %w : tensor<10x8xf16> to tensor<10x8xf32>
  %1 = nn.gather %0, %i axis 0 : (tensor<10x8xf32>, tensor<64xi32>) -> tensor<64x8xf32>
  return %1 : tensor<64x8xf32>
}

// -----

// CHECK-LABEL: func.func @computed(
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: nn.gather %[[WIDE]]
func.func @computed(%w: tensor<1000x8xf16>, %i: tensor<4xi32>) -> tensor<4x8xf32> {
  %0 = math.exp %w : tensor<1000x8xf16>
  %1 = arith.extf %0 : tensor<1000x8xf16> to tensor<1000x8xf32>
  %2 = nn.gather %1, %i axis 0 : (tensor<1000x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Ops that several of those read which are erased, in every order.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[W:[^:]*]]: tensor<1000x8xf32>, %[[I:[^:]*]]: tensor<4xi32>)
// CHECK: %[[ROWS:.*]] = nn.gather %[[W]], %[[I]] axis 0 : (tensor<1000x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
// CHECK-NOT: tensor<1000x8xf32>
// CHECK: return
func.func @shared(%w: tensor<1000x8xf32>, %i: tensor<4xi32>) -> tensor<4x8xf32> {
  %0 = arith.negf %w : tensor<1000x8xf32>
  %1 = arith.mulf %0, %0 : tensor<1000x8xf32>
  %2 = arith.addf %1, %0 : tensor<1000x8xf32>
  %3 = arith.mulf %2, %1 : tensor<1000x8xf32>
  %4 = arith.addf %3, %0 : tensor<1000x8xf32>
  %5 = arith.subf %4, %2 : tensor<1000x8xf32>
  %6 = nn.gather %5, %i axis 0 : (tensor<1000x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}
