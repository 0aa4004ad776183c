// RUN: flywheel-opt %s --train-expand-custom-vjps --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// expected-error @+1 {{expected the derivative rule @g to have type '(tensor<4xf32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32>', found '(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>'}}
func.func private @f(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> attributes {train.vjp = @g} {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{the rule is defined here}}
func.func private @g(%x: tensor<4xf32>, %dy: tensor<4xf32>) -> tensor<4xf32> {
  return %dy : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected a function that is the derivative rule, found no @g}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.vjp = @g} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected 'train.vjp' to name a function, on a function, found "g"}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.vjp = "g"} {
  return %x : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.vjp = @g} {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{the function is defined here}}
func.func private @g(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a function of one block that does not call itself, as it has or is a derivative rule, found @g}}
  %y = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a body of type '(tensor<4xf32>) -> tensor<4xf32>', found '(tensor<4xf32>) -> ()'}}
  %y = train.custom_vjp %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    train.vjp_yield
  } vjp {
  ^bb0(%a: tensor<4xf32>, %dy: tensor<4xf32>):
    train.vjp_yield %dy : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @rule(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a rule of type '(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>', found '(tensor<4xf32>) -> tensor<4xf32>'}}
  %y = train.custom_vjp %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    train.vjp_yield %a : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<4xf32>):
    train.vjp_yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @tangents(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = arith.constant 1.0 : f32
  %u = tensor.from_elements %t : tensor<1xf32>
  // expected-error @+1 {{expected tangents of the types of the targets, ('tensor<4xf32>'), found ('tensor<1xf32>')}}
  %d = train.jvp %x wrt %x tangents %u : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @derivatives(%x: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected results of the types of the differentiated values, ('tensor<4xf32>'), found ('tensor<3xf32>')}}
  %d = train.jvp %x wrt %x tangents %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{expected differentiated values of a floating-point type, found 'tensor<4xi32>'}}
  %d = train.jvp %x wrt %x tangents %x : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %d : tensor<4xi32>
}
