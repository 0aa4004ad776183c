// RUN: flywheel-opt %s --train-functionalize-state --split-input-file --verify-diagnostics \
// RUN:   | not grep module

train.variable @v : tensor<2xf32>
func.func @parallel(%x: tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    // expected-error@below {{expected at the top level of a function, or in an 'scf.if', 'scf.for' or 'scf.while', found inside 'scf.parallel'}}
    %0 = train.assign_add @v, %x : tensor<2xf32>
  }
  return
}

// -----

// The innermost op is not what is wrong.
train.variable @v : tensor<2xf32>
func.func @region(%x: tensor<2xf32>, %c: tensor<i1>) {
  %condition = tensor.extract %c[] : tensor<i1>
  scf.execute_region {
    scf.if %condition {
      // expected-error@below {{found inside 'scf.execute_region'}}
      %0 = train.assign @v, %x : tensor<2xf32>
    }
    scf.yield
  }
  return
}

// -----

// expected-error@below {{expected a ranked tensor as argument 0, found 'f32'}}
func.func @scalar(%x: f32) {
  return
}

// -----

// expected-error@below {{expected a ranked tensor as result 0, found 'tensor<*xf32>'}}
func.func @unranked() -> tensor<*xf32> {
  %0 = arith.constant dense<0.0> : tensor<2xf32>
  %1 = tensor.cast %0 : tensor<2xf32> to tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

// expected-error@below {{expected one block, found several: use structured control flow}}
func.func @blocks(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^next
^next:
  return %x : tensor<f32>
}

// -----

func.func @gradient(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{expected to be expanded before variables become arguments}}
  %0 = train.gradient %x wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @recursive(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{expected every call to be inlined: a step cannot call a recursive or external function}}
  %0 = call @recursive(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@below {{expected arguments of different names, found "q" for 0 and 1}}
func.func @twice(%x: tensor<f32> {train.name = "q"}, %y: tensor<f32> {train.name = "q"}) {
  return
}

// -----

// expected-error@below {{expected a name as 'train.name' of result 0, found 5 : i64}}
func.func @number(%x: tensor<f32>) -> (tensor<f32> {train.name = 5}) {
  return %x : tensor<f32>
}

// -----

// expected-error@below {{expected no attribute 'train.result' on argument 0: this pass attaches it}}
func.func @reserved(%x: tensor<f32> {train.result = 0 : i64}) {
  return
}

// -----

// expected-error@below {{expected 'train.element_type' of result 0 to be an element type that 'i8' stores, found ui16}}
func.func @declared(%x: tensor<i8> {train.element_type = ui8}) -> (tensor<i8> {train.element_type = ui16}) {
  return %x : tensor<i8>
}

// -----

module {
  // expected-error@below {{expected the functions and variables of a model in one module, found a module inside it}}
  module @inner {
  }
}

// -----

train.variable @v : tensor<2xf32>
train.variable @w : tensor<2xf32>
func.func @step(%x: tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{'train.assign_nth' op expected in the module's initializer alone}}
  train.assign_nth [@v, @w][%c0], %x : tensor<2xf32>
  return
}

// -----

train.variable @v : tensor<2xf32>
train.variable @w : tensor<2xf32>
func.func @init(%x: tensor<2xf32>) attributes {train.initializer} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{'train.assign_nth' op expected no other access of @w in this function}}
  train.assign_nth [@v, @w][%c0], %x : tensor<2xf32>
  train.assign @w, %x : tensor<2xf32>
  return
}

// -----

train.variable @u : tensor<2xf32>
train.variable @v : tensor<2xf32>
train.variable @w : tensor<2xf32>
func.func @init(%x: tensor<2xf32>) attributes {train.initializer} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{'train.assign_nth' op expected no other access of @v in this function}}
  train.assign_nth [@u, @v][%c0], %x : tensor<2xf32>
  train.assign_nth [@v, @w][%c0], %x : tensor<2xf32>
  return
}

// -----

train.variable @v : tensor<2xf32>
train.variable @w : tensor<2xf32>
func.func @init(%x: tensor<2xf32>) attributes {train.initializer} {
  %c0 = arith.constant 0 : index
  scf.execute_region {
    // expected-error@below {{'train.assign_nth' op expected at the top level of a function, or in an 'scf.if', 'scf.for' or 'scf.while', found inside 'scf.execute_region'}}
    train.assign_nth [@v, @w][%c0], %x : tensor<2xf32>
    scf.yield
  }
  return
}
