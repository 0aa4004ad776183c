// RUN: flywheel-opt %s --train-materialize-initializers --split-input-file --verify-diagnostics

train.variable @w : tensor<2xf32>
// expected-error@below {{expected no symbol named 'init': the module's initializer takes this name}}
func.func @init() {
  return
}

// -----

// expected-error@below {{expected no symbol named 'init': the module's initializer takes this name}}
train.variable @init : tensor<2xf32>
