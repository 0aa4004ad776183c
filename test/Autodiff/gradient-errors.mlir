// RUN: flywheel-opt %s --train-autodiff --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @no_rule(%x: tensor<1x4x4x1xf32>, %k: tensor<2x2xf32>, %o: tensor<1x2x2x1xf32>) -> tensor<1x4x4x1xf32> {
  // expected-error @+1 {{no derivative rule for 'linalg.pooling_nhwc_sum' on 'tensor<1x2x2x1xf32>'}}
  %y = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x4x4x1xf32>, tensor<2x2xf32>)
      outs(%o : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<1x2x2x1xf32>, tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>
  return %g : tensor<1x4x4x1xf32>
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

// A path through integers does not count.
// expected-note @+1 {{the target is defined here}}
func.func @integers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  %y = arith.sitofp %i : tensor<4xi32> to tensor<4xf32>
  // expected-error @+1 {{found none for target #0, argument #0}}
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// An assignment inside of a branch would be executed twice.
train.variable @v : tensor<4xf32>
func.func @conditional(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %y = scf.if %c -> tensor<4xf32> {
    // expected-error @+1 {{expected ops without side effects inside of 'scf.if' to differentiate it}}
    %e = train.assign @v, %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @unbounded(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected a lower bound and a step that are constants, and an upper bound that a constant or dimension sizes of tensors limit, to differentiate: no room can be set aside for the iterations of another loop}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = arith.mulf %a, %a : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @growing(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{expected carried tensors that keep their dimension sizes to differentiate, found one of type 'tensor<?xf32>' (#0) that is not known to}}
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %e = tensor.concat dim(0) %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %g = train.gradient %y wrt %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %g : tensor<?xf32>
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
  // A number for each position is more than the rule has.
  // expected-error @+1 {{no derivative rule for 'tensor.pad' on 'tensor<6xf32>'}}
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %q = arith.mulf %p, %f : f32
    tensor.yield %q : f32
  } : tensor<4xf32> to tensor<6xf32>
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<6xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @other_reduction(%x: tensor<4x4xf32>, %o: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected a body that adds to its accumulator, or takes the maximum or minimum with it, to differentiate, found another reduction for result #0}}
  %y = linalg.reduce { arith.mulf } ins(%x : tensor<4x4xf32>) outs(%o : tensor<4xf32>) dimensions = [0]
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}

// -----

func.func @window(%x: tensor<6xf32>, %k: tensor<3xf32>, %o: tensor<4xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{expected indexing maps that only permute and drop dimensions to differentiate, found affine_map<(d0, d1) -> (d0 + d1)> for operand #0}}
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %k : tensor<6xf32>, tensor<3xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %g : tensor<6xf32>
}

// -----

func.func @gather(%x: tensor<6xf32>, %i: tensor<4xi64>, %o: tensor<4xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{expected a body that reads nothing but the op's operands to differentiate, found one that reads from 'tensor<6xf32>'}}
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%i : tensor<4xi64>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: i64, %s: f32):
    %p = arith.index_cast %a : i64 to index
    %t = tensor.extract %x[%p] : tensor<6xf32>
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %g : tensor<6xf32>
}

// -----

// A running sum that is used as it runs.
func.func @scan(%x: tensor<4xf32>, %o: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a result with an element for each iteration to be independent of sums to differentiate, found result #0 that uses one}}
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%o, %s : tensor<4xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    linalg.yield %t, %t : f32, f32
  } -> (tensor<4xf32>, tensor<f32>)
  %g = train.gradient %y#0 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// An op of the body that has no rule, at its own place.
func.func @body(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{no derivative rule for 'arith.scaling_truncf' on 'f16'}}
    %h = arith.scaling_truncf %a, %a : f32, f32 to f16
    %t = arith.extf %h : f16 to f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @no_zero(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  // expected-error @+1 {{no derivative rule for 'math.absf' on 'tensor<4xf8E8M0FNU>'}}
  %y = math.absf %x : tensor<4xf8E8M0FNU>
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU>
  return %g : tensor<4xf8E8M0FNU>
}

// -----

// A loop that assigns a target has values of it that no read stands for, `unconnected zeros` or not.
train.variable @w : tensor<f64>

func.func @hidden(%x: tensor<f64>, %n: index) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = train.read @w : tensor<f64>
  // expected-error @+1 {{no derivative rule for 'scf.for' where it reads the variable of a target: it reads @w in its regions, which may assign it}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<f64> {
    %v = train.read @w : tensor<f64>
    %p = arith.mulf %h, %v : tensor<f64>
    train.assign @w, %p : tensor<f64>
    scf.yield %p : tensor<f64>
  }
  // expected-note @+1 {{the derivative requested here}}
  %g = train.gradient %y wrt %w unconnected zeros : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// -----

train.variable @w : tensor<f64>

func.func @hidden_in_branches(%x: tensor<f64>, %c: i1) -> tensor<f64> {
  %w = train.read @w : tensor<f64>
  // expected-error @+1 {{no derivative rule for 'scf.if' where it reads the variable of a target: it reads @w in its regions, which may assign it}}
  %y = scf.if %c -> tensor<f64> {
    train.assign @w, %x : tensor<f64>
    %z = scf.if %c -> tensor<f64> {
      %v = train.read @w : tensor<f64>
      scf.yield %v : tensor<f64>
    } else {
      scf.yield %x : tensor<f64>
    }
    scf.yield %z : tensor<f64>
  } else {
    scf.yield %x : tensor<f64>
  }
  // expected-note @+1 {{the derivative requested here}}
  %g = train.jacobian %y wrt %w unconnected zeros : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
