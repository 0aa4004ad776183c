// Every op and attribute, both syntaxes, and a fixpoint of print and parse.
// T1:
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s > %t.1 && flywheel-opt %t.1 > %t.2 && diff %t.1 %t.2

// X5, X6:
// CHECK-LABEL: func @losses
func.func @losses(%x: tensor<?x4x10xf32>, %y: tensor<3x?x10xf32>, %l: tensor<?x4xi32>) {
  // CHECK: nn.softmax_cross_entropy %arg0, %arg1 reduction none : (tensor<?x4x10xf32>, tensor<3x?x10xf32>) -> tensor<3x4xf32>
  %0 = nn.softmax_cross_entropy %x, %y reduction none : (tensor<?x4x10xf32>, tensor<3x?x10xf32>) -> tensor<3x4xf32>
  // CHECK: nn.sparse_softmax_cross_entropy %arg0, %arg2 reduction sum : (tensor<?x4x10xf32>, tensor<?x4xi32>) -> tensor<f32>
  %1 = nn.sparse_softmax_cross_entropy %x, %l reduction sum : (tensor<?x4x10xf32>, tensor<?x4xi32>) -> tensor<f32>
  // CHECK: nn.sigmoid_cross_entropy %arg0, %arg1 reduction none : (tensor<?x4x10xf32>, tensor<3x?x10xf32>) -> tensor<?x4x10xf32>
  %2 = nn.sigmoid_cross_entropy %x, %y reduction none : (tensor<?x4x10xf32>, tensor<3x?x10xf32>) -> tensor<?x4x10xf32>
  // CHECK: nn.huber %arg0, %arg1 delta 2.500000e+00 reduction sum :
  %3 = nn.huber %x, %y delta 2.5 reduction sum : (tensor<?x4x10xf32>, tensor<3x?x10xf32>) -> tensor<f32>
  // CHECK: nn.huber %arg0, %arg1 : (tensor<?x4x10xf32>, tensor<3x?x10xf32>) -> tensor<f32>
  %4 = nn.huber %x, %y delta 1.0 reduction mean : (tensor<?x4x10xf32>, tensor<3x?x10xf32>) -> tensor<f32>
  // CHECK: nn.l2_loss %arg0 : tensor<?x4x10xf32> -> tensor<f32>
  %5 = nn.l2_loss %x : tensor<?x4x10xf32> -> tensor<f32>
  return
}

// X6: one loss a row, or a scalar.
// CHECK-LABEL: func @rows
func.func @rows(%x: tensor<?x10xbf16>) {
  // CHECK: nn.mean_squared_error %arg0, %arg0 : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %0 = nn.mean_squared_error %x, %x reduction mean : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  // CHECK: nn.mean_absolute_error %arg0, %arg0 reduction none : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<?xbf16>
  %1 = nn.mean_absolute_error %x, %x reduction none : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<?xbf16>
  // CHECK: nn.mean_absolute_percentage_error %arg0, %arg0 reduction sum : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %2 = nn.mean_absolute_percentage_error %x, %x reduction sum : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  // CHECK: nn.mean_squared_logarithmic_error %arg0, %arg0 : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %3 = nn.mean_squared_logarithmic_error %x, %x reduction mean : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  // CHECK: nn.hinge %arg0, %arg0 reduction none : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<?xbf16>
  %4 = nn.hinge %x, %x reduction none : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<?xbf16>
  // CHECK: nn.squared_hinge %arg0, %arg0 reduction sum : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %5 = nn.squared_hinge %x, %x reduction sum : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  // CHECK: nn.categorical_hinge %arg0, %arg0 : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %6 = nn.categorical_hinge %x, %x reduction mean : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  // CHECK: nn.log_cosh %arg0, %arg0 reduction none : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<?xbf16>
  %7 = nn.log_cosh %x, %x reduction none : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<?xbf16>
  // CHECK: nn.kl_divergence %arg0, %arg0 reduction sum : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %8 = nn.kl_divergence %x, %x reduction sum : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  // CHECK: nn.poisson %arg0, %arg0 : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %9 = nn.poisson %x, %x reduction mean : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  // CHECK: nn.cosine_proximity %arg0, %arg0 reduction none : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<?xbf16>
  %10 = nn.cosine_proximity %x, %x reduction none : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<?xbf16>
  // CHECK: nn.binary_crossentropy %arg0, %arg0 reduction sum : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %11 = nn.binary_crossentropy %x, %x reduction sum : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  // CHECK: nn.categorical_crossentropy %arg0, %arg0 : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  %12 = nn.categorical_crossentropy %x, %x reduction mean : (tensor<?x10xbf16>, tensor<?x10xbf16>) -> tensor<bf16>
  return
}
