// RUN: flywheel-opt %s --train-autodiff --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// X14: an op without a batching rule, where the user wrote it.
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func @call(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %y = train.custom_vjp %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    train.vjp_yield %a : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<4xf32>, %dy: tensor<4xf32>):
    // expected-error @+1 {{no batching rule for 'func.call' on 'tensor<4xf32>'}}
    %dx = func.call @external(%dy) : (tensor<4xf32>) -> tensor<4xf32>
    train.vjp_yield %dx : tensor<4xf32>
  }
  // expected-note @+1 {{the Jacobian requested here}}
  %j = train.jacobian %y wrt %x mode reverse : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %j : tensor<4x4xf32>
}

// -----

// An op without a derivative.
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func @derivative(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{no derivative rule for 'func.call' on 'tensor<4xf32>'}}
  %y = func.call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{the gradient requested here}}
  %j = train.jacobian %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %j : tensor<4x4xf32>
}

// -----

// G2: a path through integers does not count.
// expected-note @+1 {{the target is defined here}}
func.func @unconnected(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %i = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  %y = arith.sitofp %i : tensor<4xi32> to tensor<4xf32>
  // expected-error @+1 {{expected targets that the differentiated value depends on, found none for target #0, argument #0; `unconnected zeros` makes its Jacobian 0}}
  %j = train.jacobian %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %j : tensor<4x4xf32>
}

// -----

// expected-note @+1 {{the target is defined here}}
func.func @unconnected_forward(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // expected-error @+1 {{found none for target #1, argument #0; `unconnected zeros` makes its Jacobian 0}}
  %j:2 = train.jacobian %y wrt %y, %x mode forward
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %j#0, %j#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @chunk(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %y = math.exp %x : tensor<?xf32>
  // expected-error @+1 {{expected a static number of rows for `chunk`, found one for each element of 'tensor<?xf32>'}}
  %j = train.jacobian %y wrt %x chunk 4 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %j : tensor<?x?xf32>
}

// -----

// Unconnected as far as the loop lets see, and no zeros.
func.func @carried(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{no derivative rule for control flow: a differentiated value depends on argument #1 of a block}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    // expected-note @+1 {{the gradient requested here}}
    %j = train.jacobian %a wrt %x unconnected zeros : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %d = nn.reduce sum %j axes [0] : tensor<4x4xf32> -> tensor<4xf32>
    scf.yield %d : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
