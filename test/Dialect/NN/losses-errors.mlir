// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

// X5:
func.func @f(%x: tensor<4x2x3xf32>, %l: tensor<4x3xi32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of logits and dimension 1 of label, found 2 and 3}}
  %0 = nn.sparse_softmax_cross_entropy %x, %l : (tensor<4x2x3xf32>, tensor<4x3xi32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2x3xf32>, %l: tensor<4xi32>) {
  // expected-error @+1 {{expected label of rank 2, found rank 1}}
  %0 = nn.sparse_softmax_cross_entropy %x, %l : (tensor<4x2x3xf32>, tensor<4xi32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2x3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<4x2xf32>', found 'tensor<4xf32>'}}
  %0 = nn.softmax_cross_entropy %x, %x reduction none : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %z: tensor<4x3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of logits and dimension 1 of labels, found 2 and 3}}
  %0 = nn.sigmoid_cross_entropy %x, %z : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{expected labels of rank 2, found rank 1}}
  %0 = nn.sigmoid_cross_entropy %x, %z : (tensor<4x2xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<4x2xf32>', found 'tensor<4xf32>'}}
  %0 = nn.sigmoid_cross_entropy %x, %x reduction none : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4xf32>
  return
}

// -----

// X6:
func.func @f(%x: tensor<4x2xf32>, %t: tensor<4x3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of prediction and dimension 1 of target, found 2 and 3}}
  %0 = nn.mean_squared_error %x, %t : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %t: tensor<2xf32>) {
  // expected-error @+1 {{expected target of rank 2, found rank 1}}
  %0 = nn.hinge %x, %t : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{expected prediction of rank at least 1, found rank 0}}
  %0 = nn.poisson %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %t: tensor<4x2xf64>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.log_cosh %x, %t : (tensor<4x2xf32>, tensor<4x2xf64>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<4xf32>', found 'tensor<4x2xf32>'}}
  %0 = nn.kl_divergence %x, %x reduction none : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{expected a positive delta, found 0}}
  %0 = nn.huber %x, %x delta 0.0 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{expected a delta that is finite in 'f32', found INF}}
  %0 = nn.huber %x, %x delta 0x7FF0000000000000 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{expected a delta that is finite in 'f32', found 1.000000e+39}}
  %0 = nn.huber %x, %x delta 1.0e39 : (tensor<4x2xf16>, tensor<4x2xf16>) -> tensor<f16>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<f32>', found 'tensor<4xf32>'}}
  %0 = nn.l2_loss %x : tensor<4x2xf32> -> tensor<4xf32>
  return
}
