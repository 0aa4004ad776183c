// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

// V7:
// expected-error @+1 {{expected a static shape, found 'tensor<?x2xf32>': shape of a new variable (W) must be fully defined}}
train.variable @W : tensor<?x2xf32>

// -----

// V3:
// expected-error @+1 {{expected an element type of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or !train.string, found 'f8E4M3FN'}}
train.variable @W : tensor<2xf8E4M3FN>

// -----

// V3:
// expected-error @+1 {{found 'ui4'}}
train.variable @W : tensor<2xui4>

// -----

// V3:
// expected-error @+1 {{found 'si8'}}
train.variable @W : tensor<2xsi8>

// -----

// V3: nothing computes on unsigned tensors but through a bitcast.
train.variable @W : tensor<2xui8>
func.func @f() {
  %w = train.read @W : tensor<2xui8>
  // expected-error @+1 {{operand #0 must be signless-integer-like, but got 'tensor<2xui8>'}}
  %0 = arith.addi %w, %w : tensor<2xui8>
  return
}

// -----

// expected-error @+1 {{expected element_type to be an element type that 'i8' stores, found 'ui16'}}
train.variable @W : tensor<2xi8> {element_type = ui16}

// -----

// V6, V8:
// expected-error @+1 {{expected an initial value of type 'tensor<2xui8>', found 'tensor<2xi8>': Initializer type and variable type don't match}}
train.variable @W : tensor<2xui8> = dense<1> : tensor<2xi8>

// -----

// V6, I2:
// expected-error @+1 {{expected values of type 'ui8', found 'i8': Initializer type and variable type don't match}}
train.variable @W : tensor<2xui8> = #train.constant<dense<1> : tensor<2xi8>>

// -----

// I3:
// expected-error @+1 {{expected integral bounds within 'ui8', found -1.000000e+00 and 3.000000e+00}}
train.variable @W : tensor<2xui8> = #train.random_uniform<minval = -1, maxval = 3>

// -----

// I3:
// expected-error @+1 {{expected integral bounds within 'ui8', found 0.000000e+00 and 2.570000e+02}}
train.variable @W : tensor<2xui8> = #train.random_uniform<maxval = 257>

// -----

// I3:
// expected-error @+1 {{expected integral bounds within 'i64', found 0.000000e+00 and 1.844674e+19}}
train.variable @W : tensor<2xi64> = #train.random_uniform<maxval = 18446744073709551616.0>

// -----

// expected-error @+1 {{expected a type without encoding, found 'tensor<2xf32, 1 : i64>'}}
train.variable @W : tensor<2xf32, 1>

// -----

// expected-error @+1 {{expected a size of at most 2^56 bytes, found 'tensor<4294967296x4294967296xf32>'}}
train.variable @W : tensor<4294967296x4294967296xf32>

// -----

// N1:
// expected-error @+1 {{expected a name without whitespace, ':' and '^', found "a b"}}
train.variable @"a b" : tensor<f32>

// -----

// N1:
// expected-error @+1 {{expected a name without whitespace, ':' and '^', found ""}}
"train.variable"() <{sym_name = "", type = tensor<f32>}> ({}) : () -> ()

// -----

// V12:
// expected-note @+1 {{see existing symbol definition here}}
train.variable @W : tensor<2xf32>
// expected-error @+1 {{redefinition of symbol named 'W'}}
train.variable @W : tensor<3xf32>

// -----

func.func @f() {
  // expected-error @+1 {{symbol's parent must have the SymbolTable trait}}
  train.variable @W : tensor<2xf32>
  return
}

// -----

// V8:
// expected-error @+1 {{expected an initializer or a dense attribute as initial value, found 3 : i64}}
train.variable @W : tensor<i64> = 3

// -----

// V6, V8:
// expected-error @+1 {{expected an initial value of type 'tensor<2xf32>', found 'tensor<2xf64>': Initializer type and variable type don't match}}
train.variable @W : tensor<2xf32> = dense<1.0> : tensor<2xf64>

// -----

// I2:
// expected-error @+1 {{Too many elements provided. Needed at most 6, but received 7}}
train.variable @W : tensor<3x2xi32> = #train.constant<dense<[1, 2, 3, 4, 5, 6, 7]> : tensor<7xi32>>

// -----

// I2:
// expected-error @+1 {{expected values of type 'f32', found 'i32': Initializer type and variable type don't match}}
train.variable @W : tensor<2xf32> = #train.constant<dense<1> : tensor<2xi32>>

// -----

// I2:
// expected-error @+1 {{expected at least one value, found none}}
train.variable @W : tensor<2xf32> = #train.constant<dense<> : tensor<0xf32>>

// -----

// I3:
// expected-error @+1 {{Must specify maxval for integer dtype 'i32'}}
train.variable @W : tensor<2xi32> = #train.random_uniform

// -----

// I3:
// expected-error @+1 {{expected integral bounds within 'i8', found 0.000000e+00 and 3.000000e+02}}
train.variable @W : tensor<2xi8> = #train.random_uniform<maxval = 300>

// -----

// I3:
// expected-error @+1 {{expected integral bounds within 'i32', found 5.000000e-01 and 3.000000e+00}}
train.variable @W : tensor<2xi32> = #train.random_uniform<minval = 0.5, maxval = 3>

// -----

// I3:
// expected-error @+1 {{expected finite minval < maxval, found 2.000000e+00 and 1.000000e+00}}
train.variable @W : tensor<2xf32> = #train.random_uniform<minval = 2.0>

// -----

// I3:
// expected-error @+1 {{expected a numeric type for random_uniform, found 'tensor<2xi1>'}}
train.variable @W : tensor<2xi1> = #train.random_uniform<maxval = 1.0>

// -----

// I4:
// expected-error @+1 {{expected a floating-point type for random_normal, found 'tensor<2xi32>'}}
train.variable @W : tensor<2xi32> = #train.random_normal

// -----

// I4:
// expected-error @+1 {{expected a finite mean and a finite stddev >= 0, found 0.000000e+00 and -1.000000e+00}}
train.variable @W : tensor<2xf32> = #train.random_normal<stddev = -1.0>

// -----

// I5:
// expected-error @+1 {{expected a floating-point type for truncated_normal, found 'tensor<2xi32>'}}
train.variable @W : tensor<2xi32> = #train.truncated_normal

// -----

// I6:
// expected-error @+1 {{expected a floating-point type for glorot_uniform, found 'tensor<2xi32>'}}
train.variable @W : tensor<2xi32> = #train.glorot_uniform

// -----

// expected-error @+1 {{expected a floating-point type for he_normal, found 'tensor<2xi1>'}}
train.variable @W : tensor<2xi1> = #train.he_normal

// -----

// Numbers that no arithmetic means.
// expected-error @+1 {{expected a finite number, found 0x7FC00000 : f32}}
train.variable @W : tensor<2xf32> = #train.random_normal<mean = 0x7FC00000 : f32>

// -----

// expected-error @+1 {{expected a number such as 0.1 or 1.0e-3 for 'mean' of #train.random_normal, found '"a"'}}
train.variable @W : tensor<2xf32> = #train.random_normal<mean = "a">

// -----

// expected-error @+1 {{expected a number such as 0.1 or 1.0e-3 for 'mean' of #train.random_normal, found 'true'}}
train.variable @W : tensor<2xf32> = #train.random_normal<mean = true>

// -----

// A wide integer is the number it says.
// expected-error @+1 {{expected finite minval < maxval, found 3.402824e+38 and 1.000000e+00}}
train.variable @W : tensor<2xf32> = #train.random_uniform<minval = 340282366920938463463374607431768211456 : i256>

// -----

// T2:
// expected-error @+1 {{expected the name of a variable, found no symbol @W}}
train.variable @S : tensor<2xf32> {slot_of = @W}

// -----

// T2:
// expected-error @+1 {{expected slot_of to name a parameter, found slot @S}}
train.variable @S : tensor<2xf32> {slot_of = @S}

// -----

// T2:
// expected-note @+1 {{parameter declared here}}
train.variable @W : tensor<3xf32>
// expected-error @+1 {{expected a slot of the type of its parameter @W, 'tensor<3xf32>', found 'tensor<2xf32>'}}
train.variable @S : tensor<2xf32> {slot_of = @W}

// -----

// T2:
func.func @f() {
  // expected-error @+1 {{expected the name of a variable, found no symbol @W}}
  %0 = train.read @W : tensor<2xf32>
  return
}

// -----

// T2:
// expected-note @+1 {{defined here}}
func.func private @g()
func.func @f() {
  // expected-error @+1 {{expected the name of a variable, found @g, which is a 'func.func'}}
  %0 = train.read @g : tensor<2xf32>
  return
}

// -----

// A4, T2:
// expected-note @+1 {{variable declared here}}
train.variable @W : tensor<2xf32>
func.func @f() {
  // expected-error @+1 {{expected the type of variable @W, 'tensor<2xf32>', found 'tensor<2xf64>': element types differ}}
  %0 = train.read @W : tensor<2xf64>
  return
}

// -----

// expected-note @+1 {{variable declared here}}
train.variable @V : tensor<2xf64>
train.variable @W : tensor<2xf32>
func.func @f(%x: tensor<2xf32>, %i: index) {
  // expected-error @+1 {{expected the type of variable @V, 'tensor<2xf64>', found 'tensor<2xf32>': element types differ}}
  train.assign_nth [@W, @V][%i], %x : tensor<2xf32>
  return
}

// -----

train.variable @W : tensor<2xf32>
func.func @f(%x: tensor<2xf32>, %i: index) {
  // expected-error @+1 {{expected each variable once, found @W again}}
  train.assign_nth [@W, @W][%i], %x : tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %i: index) {
  // expected-error @+1 {{expected a variable, found none}}
  train.assign_nth [][%i], %x : tensor<2xf32>
  return
}

// -----

// A4: a scalar is not broadcast.
// expected-note @+1 {{variable declared here}}
train.variable @W : tensor<3xf32>
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{expected the type of variable @W, 'tensor<3xf32>', found 'tensor<f32>': shapes differ}}
  %0 = train.assign @W, %x : tensor<f32>
  return
}

// -----

// A4:
// expected-note @+1 {{variable declared here}}
train.variable @W : tensor<3xf32>
func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{shapes differ}}
  %0 = train.assign_sub @W, %x : tensor<2xf32>
  return
}

// -----

// V3, T2:
train.variable @W : tensor<3xi1>
func.func @f(%x: tensor<3xi1>) {
  // expected-error @+1 {{'train.assign_add' op expected a numeric element type, found 'tensor<3xi1>'}}
  %0 = train.assign_add @W, %x : tensor<3xi1>
  return
}

// -----

// V3, T2:
train.variable @W : tensor<3xi1>
func.func @f(%x: tensor<3xi1>) {
  // expected-error @+1 {{'train.assign_sub' op expected a numeric element type, found 'tensor<3xi1>'}}
  %0 = train.assign_sub @W, %x : tensor<3xi1>
  return
}

// -----

// V1: what is not a variable cannot be assigned.
func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = train.assign @W, %x : tensor<?xf32>
  return
}

// -----

// V3, T2:
func.func @f(%y: tensor<f32>, %x: tensor<2xi32>) {
  // expected-error @+1 {{expected gradient targets of a floating-point type, found 'tensor<2xi32>'}}
  %0 = train.gradient %y wrt %x : (tensor<f32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @f(%y: tensor<i32>, %x: tensor<2xf32>) {
  // expected-error @+1 {{expected differentiated values of a floating-point type, found 'tensor<i32>'}}
  %0 = train.gradient %y wrt %x : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%y: tensor<f32>, %x: tensor<2xf32>) {
  // expected-error @+1 {{expected results of the types of the gradient targets, ('tensor<2xf32>'), found ('tensor<3xf32>')}}
  %0 = train.gradient %y wrt %x : (tensor<f32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%y: tensor<f32>, %x: tensor<2xf32>) {
  // expected-error @+1 {{expected grad_ys of the types of the differentiated values, ('tensor<f32>'), found ('tensor<2xf32>')}}
  %0 = train.gradient %y wrt %x grad_ys %x : (tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expected at least one value to differentiate}}
  "train.gradient"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0>}> : () -> ()
  return
}

// -----

func.func @f(%y: tensor<f32>) {
  // expected-error @+1 {{expected at least one gradient target}}
  "train.gradient"(%y) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<f32>) -> ()
  return
}

// -----

func.func @f(%y: tensor<f32>) {
  // expected-error @+1 {{operand count (1) does not match with the total size (2)}}
  "train.gradient"(%y) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<f32>) -> ()
  return
}

// -----

func.func @f(%loss: tensor<i32>) {
  // expected-error @+1 {{expected a loss of a floating-point type, found 'tensor<i32>'}}
  train.minimize %loss : tensor<i32> with #train.sgd
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{No variables to optimize: var_list is empty}}
  train.minimize %loss : tensor<f32> with #train.sgd var_list []
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected the name of a variable, found no symbol @W}}
  train.minimize %loss : tensor<f32> with #train.sgd var_list [@W]
  return
}

// -----

train.variable @W : tensor<3xf32>
func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected distinct variables in var_list, found @W twice}}
  train.minimize %loss : tensor<f32> with #train.sgd var_list [@W, @W]
  return
}

// -----

// V3:
train.variable @W : tensor<3xi32>
func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected variables of a floating-point type in var_list, found @W of type 'tensor<3xi32>'}}
  train.minimize %loss : tensor<f32> with #train.sgd var_list [@W]
  return
}

// -----

// V14:
train.variable @step : tensor<f32>
func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected a scalar integer variable as global_step, found @step of type 'tensor<f32>'}}
  train.minimize %loss : tensor<f32> with #train.sgd global_step @step
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected the name of a variable, found no symbol @step}}
  train.minimize %loss : tensor<f32> with #train.sgd global_step @step
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{invalid kind of attribute specified}}
  train.minimize %loss : tensor<f32> with #train.zeros
  return
}

// -----

// T2:
func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected a finite momentum >= 0, found -1.000000e+00}}
  train.minimize %loss : tensor<f32> with #train.sgd<momentum = -1.0>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected a finite decay >= 0, found -1.000000e+00}}
  train.minimize %loss : tensor<f32> with #train.sgd<decay = -1.0>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected a finite number, found 0x7F800000 : f32}}
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0x7F800000 : f32>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected 'lr' of #train.momentum, which has no default}}
  train.minimize %loss : tensor<f32> with #train.momentum<momentum = 0.9>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected a finite momentum >= 0, found -1.000000e-01}}
  train.minimize %loss : tensor<f32> with #train.momentum<lr = 0.1, momentum = -0.1>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected beta_1 within [0, 1), found 1.000000e+00}}
  train.minimize %loss : tensor<f32> with #train.adam<beta_1 = 1.0>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected beta_2 within [0, 1), found -1.000000e-01}}
  train.minimize %loss : tensor<f32> with #train.adam<beta_2 = -0.1>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected a finite epsilon >= 0, found -1.000000e-07}}
  train.minimize %loss : tensor<f32> with #train.adam<epsilon = -1.0e-7>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected a finite decay >= 0, found -5.000000e-01}}
  train.minimize %loss : tensor<f32> with #train.adam<decay = -0.5>
  return
}

// -----

// T2:
func.func @f(%p: tensor<2xf32>, %v: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected slots of the parameter's type 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %0:2 = train.update %p, %v along %p with %s, %s
      : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) by #train.sgd
  return
}

// -----

func.func @f(%p: tensor<2xf32>, %g: tensor<2xf64>, %s: tensor<f32>) {
  // expected-error @+1 {{expected a gradient of the parameter's type 'tensor<2xf32>', found 'tensor<2xf64>'}}
  %0:2 = train.update %p, %p along %g with %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf64>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) by #train.momentum<lr = 0.1>
  return
}

// -----

func.func @f(%p: tensor<2xf32>, %s: tensor<f64>) {
  // expected-error @+1 {{expected scalars of type 'tensor<f32>', found 'tensor<f64>'}}
  %0:2 = train.update %p, %p along %p with %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f64>, tensor<f64>) -> (tensor<2xf32>, tensor<2xf32>) by #train.momentum<lr = 0.1>
  return
}

// -----

func.func @f(%p: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected results of the types of the state, 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %0:2 = train.update %p, %p along %p with %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<3xf32>) by #train.sgd
  return
}

// -----

func.func @f(%p: tensor<2xi32>, %s: tensor<i32>) {
  // expected-error @+1 {{expected a parameter of a floating-point type, found 'tensor<2xi32>'}}
  %0:2 = train.update %p, %p along %p with %s, %s
      : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>) by #train.sgd
  return
}

// -----

func.func @f(%p: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected a parameter and 3 slots, found 3 operands}}
  %0:3 = train.update %p, %p, %p along %p with %s, %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) by #train.adam<amsgrad = true>
  return
}

// -----

func.func @f(%p: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected 3 scalars, found 1}}
  %0:3 = train.update %p, %p, %p along %p with %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) by #train.adam
  return
}

// -----

func.func @f(%p: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected one result for the parameter and each slot, 2, found 1}}
  %0 = train.update %p, %p along %p with %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> tensor<2xf32> by #train.sgd
  return
}

// -----

// Scalars are of the type that the rule is computed in.
func.func @f(%p: tensor<2xbf16>, %s: tensor<bf16>) {
  // expected-error @+1 {{expected scalars of type 'tensor<f32>', found 'tensor<bf16>'}}
  %0:2 = train.update %p, %p along %p with %s, %s
      : (tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<bf16>, tensor<bf16>) -> (tensor<2xbf16>, tensor<2xbf16>) by #train.sgd
  return
}

// -----

func.func @f(%p: tensor<2xf32>) {
  // expected-error @+1 {{expected a parameter, found no operand}}
  "train.update"(%p) <{operandSegmentSizes = array<i32: 0, 1, 0, 0>, optimizer = #train.sgd}> : (tensor<2xf32>) -> ()
  return
}

// -----

// V4, I2:
// expected-error @+1 {{Too many elements provided. Needed at most 2, but received 3}}
train.variable @s : tensor<2x!train.string> = #train.strings<["a", "b", "c"]>

// -----

// V4, I2:
// expected-error @+1 {{expected at least one value, found none}}
train.variable @s : tensor<2x!train.string> = #train.strings<[]>

// -----

// V4:
// expected-error @+1 {{expected strings, found 1 : i64}}
train.variable @s : tensor<2x!train.string> = #train.strings<[1]>

// -----

// V4:
// expected-error @+1 {{expected #train.strings for a variable of strings, found dense<"a"> : tensor<2x!train.string>}}
train.variable @s : tensor<2x!train.string> = dense<"a"> : tensor<2x!train.string>

// -----

// V4:
// expected-error @+1 {{expected #train.strings for a variable of strings, found #train.constant}}
train.variable @s : tensor<2x!train.string> = #train.constant<dense<"a"> : tensor<2x!train.string>>

// -----

// V4:
// expected-error @+1 {{expected an initializer or a dense attribute as initial value, found #train.strings<["a"]>}}
train.variable @s : tensor<2xf32> = #train.strings<["a"]>

// -----

// V4, I1:
// expected-error @+1 {{expected a numeric or boolean type for ones, found 'tensor<2x!train.string>'}}
train.variable @s : tensor<2x!train.string> = #train.ones

// -----

// V4, I3:
// expected-error @+1 {{expected a numeric type for random_uniform, found 'tensor<2x!train.string>'}}
train.variable @s : tensor<2x!train.string> = #train.random_uniform<maxval = 3>

// -----

// V4, T2:
train.variable @s : tensor<2x!train.string>
func.func @f(%x: tensor<2x!train.string>) {
  // expected-error @+1 {{expected a numeric element type, found 'tensor<2x!train.string>'}}
  train.assign_add @s, %x : tensor<2x!train.string>
  return
}

// -----

// V4, T2:
func.func @f(%x: tensor<2x!train.string>) {
  // expected-error @+1 {{expected differentiated values of a floating-point type, found 'tensor<2x!train.string>'}}
  %0 = train.gradient %x wrt %x : (tensor<2x!train.string>, tensor<2x!train.string>) -> tensor<2x!train.string>
  return
}

// -----

// V4:
func.func @f(%x: tensor<2x!train.string>) {
  // expected-error @+1 {{operand #0 must be signless-integer-like, but got 'tensor<2x!train.string>'}}
  %0 = arith.addi %x, %x : tensor<2x!train.string>
  return
}

// -----

// V4:
func.func @f(%x: tensor<2x!train.string>, %y: tensor<3x!train.string>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%y' expects different type than prior uses}}
  %0 = train.string_equal %x, %y : tensor<2x!train.string>
  return
}

// -----

// V4:
func.func @f(%x: tensor<2xi64>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of A string of bytes, as an element of a tensor values, but got 'tensor<2xi64>'}}
  %0 = train.string_equal %x, %x : tensor<2xi64>
  return
}

// -----

// V4, I2:
func.func @f() {
  // expected-error @+1 {{Too many elements provided. Needed at most 1, but received 2}}
  %0 = train.string_constant ["a", "b"] : tensor<!train.string>
  return
}

// -----

// T2: names of hyper-parameters and their kinds.
func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected a parameter of #train.sgd (lr, momentum, decay, nesterov, name), found 'rate'}}
  train.minimize %loss : tensor<f32> with #train.sgd<rate = 0.1>
  return
}

// -----

func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected beta_1 within [0, 1), found 2.000000e+00}}
  train.minimize %loss : tensor<f32> with #train.adam<beta_1 = 2>
  return
}

// -----

// T2: the names in a list of variables are those of variables.
// expected-note @+1 {{defined here}}
func.func private @g()
func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected the name of a variable, found @g, which is a 'func.func'}}
  train.minimize %loss : tensor<f32> with #train.sgd var_list [@g]
  return
}

// -----

// V3, V10: an integer variable is trainable, but a list cannot name it.
train.variable @W : tensor<3xi32> {trainable = true}
func.func @f(%loss: tensor<f32>) {
  // expected-error @+1 {{expected variables of a floating-point type in var_list, found @W of type 'tensor<3xi32>'}}
  train.minimize %loss : tensor<f32> with #train.sgd var_list [@W]
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @types(%g: tensor<2xf32>) {
  // G9: expected-error @+1 {{'train.apply_gradients' op expected a gradient of @w's type 'tensor<3xf32>', found 'tensor<2xf32>'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @count(%g: tensor<3xf32>) {
  // G9: expected-error @+1 {{expected one gradient for each of the 1 variables of var_list, found 2}}
  train.apply_gradients %g, %g : tensor<3xf32>, tensor<3xf32> to [@w] with #train.sgd
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @twice(%g: tensor<3xf32>) {
  // G9: expected-error @+1 {{expected distinct variables in var_list, found @w twice}}
  train.apply_gradients %g, %g : tensor<3xf32>, tensor<3xf32> to [@w, @w] with #train.sgd
  return
}

// -----

func.func @unknown(%g: tensor<3xf32>) {
  // G9: expected-error @+1 {{@w}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd
  return
}

// -----

func.func @none() {
  // G9: expected-error @+1 {{No variables to optimize: var_list is empty}}
  "train.apply_gradients"() <{optimizer = #train.sgd, var_list = []}> : () -> ()
  return
}

// -----

// The variables of an optimizer can be read and assigned, and nothing else of its scope.
train.variable @w : tensor<f32>
func.func @scalars(%x: tensor<i32>) {
  %w = train.read @w : tensor<f32>
  %0 = train.read @"opt/lr" : tensor<f32>
  // expected-error @+1 {{expected the type of @"opt/iterations", a scalar of an optimizer, tensor<i64>, found 'tensor<i32>'}}
  train.assign @"opt/iterations", %x : tensor<i32>
  train.minimize %w : tensor<f32> with #train.sgd<name = "opt">
  return
}

// -----

train.variable @w : tensor<f32>
func.func @scalars(%x: tensor<f32>) {
  %w = train.read @w : tensor<f32>
  // expected-error @+1 {{expected the name of a variable, found no symbol @"opt/beta_1"}}
  train.assign @"opt/beta_1", %x : tensor<f32>
  train.minimize %w : tensor<f32> with #train.sgd<name = "opt">
  return
}

// -----

train.variable @w : tensor<f32>
func.func @name() {
  %w = train.read @w : tensor<f32>
  // expected-error @+1 {{expected a name of an optimizer without whitespace, ':' and '^', found "my opt"}}
  train.minimize %w : tensor<f32> with #train.sgd<name = "my opt">
  return
}

// -----

train.variable @w : tensor<f32>
func.func @unknown() {
  %w = train.read @w : tensor<f32>
  // expected-error @+1 {{unknown attribute `shampoo` in dialect `train`: the optimizers are #train.}}
  train.minimize %w : tensor<f32> with #train.shampoo<lr = 0.1>
  return
}

// -----

// Attributes that stages attach, from a file.
// expected-error@below {{'func.func' op expected a list of strings as 'train.symbols', found [2.000000e+00 : f32]}}
func.func private @symbols(memref<?xf32>) attributes {train.symbols = [2.0 : f32]}

// -----

// expected-error@below {{'func.func' op expected a list of lists of affine maps from symbols to one result as 'train.workspace_slots', found [7]}}
func.func private @slots() attributes {train.workspace_slots = [7]}

// -----

// expected-error@below {{'func.func' op expected a list of lists of affine maps from symbols to one result as 'train.workspace_slots', found [[affine_map<() -> ()>]]}}
func.func private @sizes() attributes {train.workspace_slots = [[affine_map<() -> ()>]]}

// -----

// expected-error@below {{'train.variable' op expected a list of symbols of variables as 'train.initial_reads', found ["v"]}}
train.variable @v : tensor<3xf32> {train.initial_reads = ["v"]}

// -----

// expected-error@below {{'train.variable' op expected 'program', 'checkpoint' or 'restored' as 'train.start', found "elsewhere"}}
train.variable @v : tensor<3xf32> {train.start = "elsewhere"}

// -----

// expected-error@below {{'builtin.module' op expected a list of strings as 'train.constants', found 3}}
module attributes {train.constants = 3} {}
