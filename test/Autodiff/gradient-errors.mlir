// RUN: flywheel-opt %s --train-autodiff --split-input-file --verify-diagnostics

func.func @no_rule(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no derivative rule for 'linalg.exp' on 'tensor<4xf32>'}}
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// expected-note @+1 {{the target is defined here}}
func.func @unconnected(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected gradient targets that a differentiated value depends on, found none for target #0, argument #1; `unconnected zeros` makes its gradient 0}}
  %g = train.gradient %x wrt %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

train.variable @w : tensor<4xf32>
func.func @unconnected_variable(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{the target is defined here}}
  %w = train.read @w : tensor<4xf32>
  // expected-error @+1 {{found none for target #0, variable @w;}}
  %g = train.gradient %x wrt %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// A path through integers is no path.
// expected-note @+1 {{the target is defined here}}
func.func @integers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  %y = arith.sitofp %i : tensor<4xi32> to tensor<4xf32>
  // expected-error @+1 {{found none for target #0, argument #0}}
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @conditional(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error @+1 {{no derivative rule for 'scf.if' on 'tensor<4xf32>'}}
  %y = scf.if %c -> tensor<4xf32> {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @carried(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{no derivative rule for control flow: a differentiated value depends on argument #1 of a block, of type 'tensor<4xf32>'}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = arith.mulf %a, %x : tensor<4xf32>
    // expected-note @+1 {{the gradient requested here}}
    %g = train.gradient %e wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @unranked(%x: tensor<4xf32>) -> tensor<4xf32> {
  %u = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  %e = math.exp %u : tensor<*xf32>
  // expected-error @+1 {{no derivative rule for 'tensor.cast' on 'tensor<*xf32>'}}
  %y = tensor.cast %e : tensor<*xf32> to tensor<4xf32>
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no derivative rule for 'func.call' on 'tensor<4xf32>'}}
  %y = func.call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @padding_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = tensor.extract %x[%c0] : tensor<4xf32>
  // expected-error @+1 {{no derivative rule for 'tensor.pad' on 'tensor<6xf32>'}}
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %p : f32
  } : tensor<4xf32> to tensor<6xf32>
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<6xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @dynamic_classes(%x: tensor<?x?xf32>, %l: tensor<?xi32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{expected a static number of classes to differentiate, found logits of type 'tensor<?x?xf32>'}}
  %y = nn.sparse_softmax_cross_entropy %x, %l : (tensor<?x?xf32>, tensor<?xi32>) -> tensor<f32>
  %g = train.gradient %y wrt %x : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %g : tensor<?x?xf32>
}

// -----

func.func @other_reduction(%x: tensor<4x4xf32>, %o: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected one input and a body of one 'arith.addf' of its arguments to differentiate, found another reduction}}
  %y = linalg.reduce { arith.maximumf } ins(%x : tensor<4x4xf32>) outs(%o : tensor<4xf32>) dimensions = [0]
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}

// -----

func.func @no_zero(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  // expected-error @+1 {{no derivative rule for 'math.absf' on 'tensor<4xf8E8M0FNU>'}}
  %y = math.absf %x : tensor<4xf8E8M0FNU>
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU>
  return %g : tensor<4xf8E8M0FNU>
}
