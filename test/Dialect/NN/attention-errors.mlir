// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

func.func @f(%q: tensor<4xf32>) {
  // expected-error @+1 {{expected q of rank at least 2, found rank 1}}
  %0 = nn.attention %q, %q, %q : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xf32>, %k: tensor<3x4xf32>) {
  // expected-error @+1 {{expected k of rank 3, found rank 2}}
  %0 = nn.attention %q, %k, %k : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xf32>, %v: tensor<5x3x4xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of q and dimension 0 of v, found 2 and 5}}
  %0 = nn.attention %q, %q, %v : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<5x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%q: tensor<3x4xf32>, %k: tensor<3x5xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of q and dimension 1 of k, found 4 and 5}}
  %0 = nn.attention %q, %k, %k : (tensor<3x4xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%q: tensor<3x4xf32>, %v: tensor<2x4xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of k and dimension 0 of v, found 3 and 2}}
  %0 = nn.attention %q, %q, %v : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%q: tensor<3x4xf32>, %m: tensor<3x3xf64>) {
  // expected-error @+1 {{expected a mask of i1 or 'f32', found 'tensor<3x3xf64>'}}
  %0 = nn.attention %q, %q, %q mask %m : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x3xf64>) -> tensor<3x4xf32>
  return
}

// -----

// Nothing is broadcast.
func.func @f(%q: tensor<2x3x4xf32>, %m: tensor<3x3xi1>) {
  // expected-error @+1 {{expected mask of rank 3, found rank 2}}
  %0 = nn.attention %q, %q, %q mask %m : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3x3xi1>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%q: tensor<3x4xf32>, %m: tensor<3x4xi1>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of k and dimension 1 of mask, found 3 and 4}}
  %0 = nn.attention %q, %q, %q mask %m : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xi1>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%q: tensor<3x4xf32>, %m: tensor<1x3xi1>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of q and dimension 0 of mask, found 3 and 1}}
  %0 = nn.attention %q, %q, %q mask %m : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1x3xi1>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%q: tensor<3x4xf32>, %v: tensor<3x2xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x2xf32>', found 'tensor<3x4xf32>'}}
  %0 = nn.attention %q, %q, %v : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%q: tensor<3x4xf32>, %v: tensor<3x4xf64>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.attention %q, %q, %v : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf64>) -> tensor<3x4xf32>
  return
}
