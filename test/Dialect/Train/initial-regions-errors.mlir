// RUN: flywheel-opt %s --split-input-file --verify-diagnostics

// I8: a cycle is named, once, at the first of its variables.
train.variable @a : tensor<f32> init {
  %0 = train.read @b : tensor<f32>
  train.yield %0 : tensor<f32>
}
// expected-error @+1 {{expected initial values that do not need each other, found the cycle @b -> @d -> @c -> @b}}
train.variable @b : tensor<f32> init {
  %0 = train.initialized_value @d : tensor<f32>
  train.yield %0 : tensor<f32>
}
// expected-note @+1 {{@c declared here}}
train.variable @c : tensor<f32> init {
  %0 = train.read @b : tensor<f32>
  train.yield %0 : tensor<f32>
}
// expected-note @+1 {{@d declared here}}
train.variable @d : tensor<f32> init {
  %0 = train.initialized_value @c : tensor<f32>
  train.yield %0 : tensor<f32>
}

// -----

// expected-error @+1 {{found the cycle @self -> @self}}
train.variable @self : tensor<f32> init {
  %0 = train.initialized_value @self : tensor<f32>
  train.yield %0 : tensor<f32>
}

// -----

// expected-error @+1 {{expected one initial value, found #train.zeros and a region}}
train.variable @a : tensor<f32> = #train.zeros init {
  %0 = arith.constant dense<1.0> : tensor<f32>
  train.yield %0 : tensor<f32>
}

// -----

train.variable @a : tensor<f32> init {
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  // V6: expected-error @+1 {{expected an initial value of type 'tensor<f32>', found 'tensor<2xf32>': Initializer type and variable type don't match}}
  train.yield %0 : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected the region of an initial value to end in 'train.yield', found nothing}}
train.variable @a : tensor<f32> init {
}

// -----

// expected-error @+1 {{expected the region of the initial value to end in 'train.yield'}}
train.variable @a : tensor<f32> init {
  llvm.unreachable
}

// -----

train.variable @b : tensor<f32>
train.variable @a : tensor<f32> init {
  %0 = arith.constant dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected an initial value to be computed without effects, found one that may have some}}
  train.assign @b, %0 : tensor<f32>
  train.yield %0 : tensor<f32>
}

// -----

train.variable @a : tensor<f32> init {
  // expected-error @+1 {{expected the name of a variable, found no symbol @nowhere}}
  %0 = train.initialized_value @nowhere : tensor<f32>
  train.yield %0 : tensor<f32>
}

// -----

func.func @step() -> tensor<i1> {
  // expected-error @+1 {{expected the name of a variable, found no symbol @nowhere}}
  %0 = train.is_initialized @nowhere : tensor<i1>
  return %0 : tensor<i1>
}
