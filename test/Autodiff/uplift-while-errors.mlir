// RUN: flywheel-opt %s --train-autodiff --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// X14: what a loop without a limit lacks is said at the loop.
func.func @unbounded(%x: tensor<f32>) -> tensor<f32> {
  %c = arith.constant 1.0 : f32
  // expected-error @+2 {{no derivative rule for 'scf.while' on 'tensor<f32>': found no bound of the number of its iterations}}
  // expected-note @+1 {{add a bound: carry an integer that each iteration changes by a constant, compare it with the largest number of iterations by 'arith.cmpi', and make that the condition of the loop, or its 'arith.andi' with what else ends the loop}}
  %y = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %s = tensor.extract %a[] : tensor<f32>
    %go = arith.cmpf olt, %s, %c : f32
    scf.condition(%go) %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    %e = arith.addf %a, %a : tensor<f32>
    scf.yield %e : tensor<f32>
  }
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// Ends at the bound or after something else: no limit.
func.func @either(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  // expected-error @+2 {{no derivative rule for 'scf.while'}}
  // expected-note @+1 {{add a bound}}
  %y:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<f32>) -> (index, tensor<f32>) {
    %below = arith.cmpi slt, %i, %c9 : index
    %go = arith.ori %below, %c : i1
    scf.condition(%go) %i, %a : index, tensor<f32>
  } do {
  ^bb0(%i: index, %a: tensor<f32>):
    %e = arith.addf %a, %a : tensor<f32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %e : index, tensor<f32>
  }
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y#1 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// Never equal: 0, 2, 4, 6, ...
func.func @never(%x: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  // expected-error @+2 {{no derivative rule for 'scf.while'}}
  // expected-note @+1 {{add a bound}}
  %y:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<f32>) -> (index, tensor<f32>) {
    %go = arith.cmpi ne, %i, %c5 : index
    scf.condition(%go) %i, %a : index, tensor<f32>
  } do {
  ^bb0(%i: index, %a: tensor<f32>):
    %e = arith.addf %a, %a : tensor<f32>
    %j = arith.addi %i, %c2 : index
    scf.yield %j, %e : index, tensor<f32>
  }
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y#1 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// No number is larger than the limit; and one that changes is none.
func.func @largest(%x: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %c127 = arith.constant 127 : i8
  // expected-error @+2 {{no derivative rule for 'scf.while'}}
  // expected-note @+1 {{add a bound}}
  %y:2 = scf.while (%i = %c0, %a = %x) : (i8, tensor<f32>) -> (i8, tensor<f32>) {
    %go = arith.cmpi sle, %i, %c127 : i8
    scf.condition(%go) %i, %a : i8, tensor<f32>
  } do {
  ^bb0(%i: i8, %a: tensor<f32>):
    %e = arith.addf %a, %a : tensor<f32>
    %j = arith.addi %i, %c1 : i8
    scf.yield %j, %e : i8, tensor<f32>
  }
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y#1 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @moving(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+2 {{no derivative rule for 'scf.while'}}
  // expected-note @+1 {{add a bound}}
  %y:3 = scf.while (%i = %c0, %k = %n, %a = %x) : (index, index, tensor<f32>) -> (index, index, tensor<f32>) {
    %go = arith.cmpi slt, %i, %k : index
    scf.condition(%go) %i, %k, %a : index, index, tensor<f32>
  } do {
  ^bb0(%i: index, %k: index, %a: tensor<f32>):
    %e = arith.addf %a, %a : tensor<f32>
    %j = arith.addi %i, %c1 : index
    %l = arith.addi %k, %c1 : index
    scf.yield %j, %l, %e : index, index, tensor<f32>
  }
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %y#2 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// A bound that nothing limits.
func.func @any(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected a lower bound and a step that are constants, and an upper bound that a constant or dimension sizes of tensors limit, to differentiate}}
  %y:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<f32>) -> (index, tensor<f32>) {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i, %a : index, tensor<f32>
  } do {
  ^bb0(%i: index, %a: tensor<f32>):
    %e = arith.mulf %a, %a : tensor<f32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %e : index, tensor<f32>
  }
  %g = train.gradient %y#1 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// Nor is any unsigned one.
func.func @any_unsigned(%t: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %most = arith.constant -1 : i8
  // expected-error @+2 {{no derivative rule for 'scf.while'}}
  // expected-note @+1 {{add a bound}}
  %r:2 = scf.while (%i = %c0, %a = %t) : (i8, tensor<f32>) -> (i8, tensor<f32>) {
    %go = arith.cmpi ule, %i, %most : i8
    scf.condition(%go) %i, %a : i8, tensor<f32>
  } do {
  ^bb0(%i: i8, %a: tensor<f32>):
    %j = arith.addi %i, %c1 : i8
    %b = arith.mulf %a, %a : tensor<f32>
    scf.yield %j, %b : i8, tensor<f32>
  }
  // expected-note @+1 {{the gradient requested here}}
  %g = train.gradient %r#1 wrt %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
