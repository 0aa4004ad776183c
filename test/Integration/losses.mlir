// The forward ops against SEMANTICS' numbers.
// RUN: flywheel-opt %s --convert-nn-to-linalg --cse | %run_linalg | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefF64(tensor<*xf64>)
func.func private @printMemrefI32(tensor<*xi32>)
func.func private @printMemrefI64(tensor<*xi64>)

// X1: relu(x W + b), with a batch that only the caller knows.
func.func @affine(%x: tensor<?x3xf32>) -> tensor<?x2xf32> {
  %w = arith.constant dense<[[1., -1.], [0.5, 2.], [-1., 0.]]> : tensor<3x2xf32>
  %b = arith.constant dense<[0.1, -0.2]> : tensor<2xf32>
  %z = nn.dense %x, %w, %b : (tensor<?x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %y = nn.relu %z : tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// X5: the same loss by index, by one-hot labels, and its softmax.
func.func @losses(%x: tensor<?x3xf64>, %label: tensor<?xi32>) -> (tensor<?xf64>, tensor<f64>, tensor<f64>, tensor<?x3xf64>) {
  %rows = nn.sparse_softmax_cross_entropy %x, %label reduction none : (tensor<?x3xf64>, tensor<?xi32>) -> tensor<?xf64>
  %mean = nn.sparse_softmax_cross_entropy %x, %label : (tensor<?x3xf64>, tensor<?xi32>) -> tensor<f64>
  %labels = nn.one_hot %label : tensor<?xi32> -> tensor<?x3xf64>
  %sum = nn.softmax_cross_entropy %x, %labels reduction sum : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<f64>
  %s = nn.softmax %x : tensor<?x3xf64>
  return %rows, %mean, %sum, %s : tensor<?xf64>, tensor<f64>, tensor<f64>, tensor<?x3xf64>
}

func.func @main() {
  %x = arith.constant dense<[[1., 2., 3.], [4., 5., 6.]]> : tensor<2x3xf32>
  %xd = tensor.cast %x : tensor<2x3xf32> to tensor<?x3xf32>
  %y = call @affine(%xd) : (tensor<?x3xf32>) -> tensor<?x2xf32>
  %yu = tensor.cast %y : tensor<?x2xf32> to tensor<*xf32>
  call @printMemrefF32(%yu) : (tensor<*xf32>) -> ()
  // CHECK: sizes = [2, 2]
  // CHECK-NEXT: [0, 2.8],
  // CHECK-NEXT: [0.6{{[0-9]*}}, 5.8]

  %z = arith.constant dense<[[1., 2., 3.], [1000., 0., -1000.]]> : tensor<2x3xf64>
  %label = arith.constant dense<[2, 0]> : tensor<2xi32>
  %zd = tensor.cast %z : tensor<2x3xf64> to tensor<?x3xf64>
  %ld = tensor.cast %label : tensor<2xi32> to tensor<?xi32>
  %r:4 = call @losses(%zd, %ld) : (tensor<?x3xf64>, tensor<?xi32>) -> (tensor<?xf64>, tensor<f64>, tensor<f64>, tensor<?x3xf64>)
  %r0 = tensor.cast %r#0 : tensor<?xf64> to tensor<*xf64>
  %r1 = tensor.cast %r#1 : tensor<f64> to tensor<*xf64>
  %r2 = tensor.cast %r#2 : tensor<f64> to tensor<*xf64>
  %r3 = tensor.cast %r#3 : tensor<?x3xf64> to tensor<*xf64>
  call @printMemrefF64(%r0) : (tensor<*xf64>) -> ()
  // CHECK: sizes = [2]
  // CHECK-NEXT: [0.407606, 0]
  call @printMemrefF64(%r1) : (tensor<*xf64>) -> ()
  // CHECK: [0.203803]
  call @printMemrefF64(%r2) : (tensor<*xf64>) -> ()
  // CHECK: [0.407606]
  call @printMemrefF64(%r3) : (tensor<*xf64>) -> ()
  // CHECK: sizes = [2, 3]
  // CHECK-NEXT: [0.0900306, 0.244728, 0.665241],
  // CHECK-NEXT: [1, 0, 0]
  return
}
