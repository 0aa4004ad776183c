// RUN: flywheel-opt %s --flywheel-verify-supported-ops --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s --implicit-check-not=func.func

// The error of a refused op is at its location, and names a replacement.
func.func @fft(%x: tensor<2x4xf32>, %i: tensor<1xindex>) -> tensor<1x4xf32> {
  // expected-error @+1 {{'tensor.gather' op is not supported: expected 'nn.gather', whose indices are checked; docs/OpSupport.md lists what is}}
  %y = tensor.gather %x[%i] gather_dims([0]) : (tensor<2x4xf32>, tensor<1xindex>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// -----

func.func @vectors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'vector.step' op is not supported: expected an op of arith, math, tensor, linalg, tosa, scf, func, nn or train, or one of a plugin that implements 'LowerableOpInterface' or 'CompositeOpInterface'; docs/OpSupport.md lists what is}}
  %v = vector.step : vector<4xindex>
  return %x : tensor<4xf32>
}

// -----

// The op that a type is used in, rather than the function around it.
func.func @wide(%x: tensor<4xf80>) -> tensor<4xf80> {
  // expected-error @+1 {{'arith.addf' op is not supported for operand #0 of type 'tensor<4xf80>': expected ranked tensors, or single elements, of f16, bf16, f32, f64, index or integers of 1, 8, 16, 32 or 64 bits}}
  %y = arith.addf %x, %x : tensor<4xf80>
  return %y : tensor<4xf80>
}

// -----

// expected-error @+1 {{'func.func' op is not supported for argument #0 of type 'memref<4xf32>'}}
func.func @buffer(%x: memref<4xf32>) {
  return
}

// -----

func.func @unranked(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tensor.cast' op is not supported for result #0 of type 'tensor<*xf32>'}}
  %y = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  %z = tensor.cast %y : tensor<*xf32> to tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

train.variable @w : tensor<2xf32>
// expected-error @+1 {{'train.read' op is outside of any function: expected it in the body of a 'func.func'}}
%w = train.read @w : tensor<2xf32>

// -----

// Nothing is said of what is not compiled.
// CHECK: func.func @entry(
func.func @entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// CHECK: func.func private @unused(
func.func private @unused(%x: memref<4xf32>) {
  return
}

// -----

func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tosa.custom' op is not supported: expected 'func.call' of a function of the module}}
  %y = tosa.custom %x {operator_name = "mine", domain_name = "mine", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  // expected-error @+1 {{'tosa.add' op is not supported with integers that are signed or unsigned by their type: expected signless ones, as 'tensor.bitcast' makes}}
  %y = tosa.add %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @no_resource() -> tensor<2xf32> {
  // expected-error @+1 {{'arith.constant' op expected the module to define the resource 'nowhere', found none of this name}}
  %c = arith.constant dense_resource<nowhere> : tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

func.func @short_resource() -> tensor<2xf32> {
  // expected-error @+1 {{'arith.constant' op expected 8 bytes in the resource 'short', for a 'tensor<2xf32>', found 1}}
  %c = arith.constant dense_resource<short> : tensor<2xf32>
  return %c : tensor<2xf32>
}

{-# dialect_resources: { builtin: { short: "0x0400000000" } } #-}

// -----

// Ops that are not evaluated are checked too.
func.func @long_resource(%x: tensor<1xi64>, %p: i1) -> tensor<1xi64> {
  %y = scf.if %p -> tensor<1xi64> {
    // expected-error @+1 {{'tosa.const' op expected 8 bytes in the resource 'long', for a 'tensor<1xi64>', found 9}}
    %c = "tosa.const"() <{values = dense_resource<long> : tensor<1xi64>}> : () -> tensor<1xi64>
    scf.yield %c : tensor<1xi64>
  } else {
    scf.yield %x : tensor<1xi64>
  }
  return %y : tensor<1xi64>
}

{-# dialect_resources: { builtin: { long: "0x04000000000000000000000000" } } #-}

// -----

// Numbers of f64 that are converted to booleans have no defined value.
func.func @drawn(%low: f64, %high: f64, %seed: i32, %out: tensor<3x4xi1>) -> tensor<3x4xi1> {
  // expected-error @+1 {{'linalg.fill_rng_2d' op is not supported with elements of type 'i1': expected 'train.random' and a comparison}}
  %y = linalg.fill_rng_2d ins(%low, %high, %seed : f64, f64, i32) outs(%out : tensor<3x4xi1>) -> tensor<3x4xi1>
  return %y : tensor<3x4xi1>
}

// -----

func.func @signed(%x: tensor<4xsi8>) -> tensor<4xi8> {
  // expected-error @+1 {{'tensor.bitcast' op is not supported from 'tensor<4xsi8>' to 'tensor<4xi8>': expected integers that are signless or unsigned}}
  %y = tensor.bitcast %x : tensor<4xsi8> to tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @carry_of_index(%x: tensor<2xindex>) -> tensor<2xindex> {
  // expected-error @+1 {{'arith.addui_extended' op is not supported for index: expected integers of a width, as 'arith.index_cast' makes}}
  %y, %c = arith.addui_extended %x, %x : tensor<2xindex>, tensor<2xi1>
  return %y : tensor<2xindex>
}
