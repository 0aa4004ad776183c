// RUN: flywheel-opt %s --train-materialize-initializers --split-input-file --verify-diagnostics \
// RUN:   | not grep module

train.variable @w : tensor<2xf32>
// expected-error@below {{expected no symbol named 'init': the module's initializer takes this name}}
func.func @init() {
  return
}

// -----

// expected-error@below {{expected no symbol named 'init': the module's initializer takes this name}}
train.variable @init : tensor<2xf32>

// -----

// An attribute that passes attach is refused elsewhere.
// expected-error@+1 {{expected no attribute 'train.initializer': the module's initializer alone has it}}
func.func @f() attributes {train.initializer} {
  return
}

// -----

// expected-error@+1 {{expected no attribute 'train.initial_reads': it is made from the variable's region}}
train.variable @v : tensor<f32> = #train.zeros {train.initial_reads = [@nope]}

// -----

// expected-error@+1 {{expected no 'element_type': it says what became of another type}}
train.variable @v : tensor<i64> = dense<7> : tensor<i64> {element_type = !train.string}
