// RUN: flywheel-opt %s --flywheel-lower-state --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// expected-error@below {{expected one block and no results, found a function that was not proven in place}}
func.func @returns(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

// expected-error@below {{expected a variable @v in the module}}
func.func @unknown(%x: memref<4xf32> {train.variable = @v}) {
  return
}

// -----

func.func @nested(%x: memref<i1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ok = memref.load %x[] : memref<i1>
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error@below {{at the top level of a function, where it comes before every write, found one inside 'scf.for'}}
    linalg_ext.check data %ok, "no"
  }
  return
}

// -----

// expected-error@below {{expected a list of strings as 'train.strings', found [1]}}
module attributes {train.strings = [1]} {
}

// -----

train.variable @v : tensor<2xf32>
train.variable @w : tensor<2xf32>
// expected-error@below {{expected argument 0 of type 'memref<2x2xf32>' to stand for the variables [@v, @w], found 'memref<3x2xf32>'}}
func.func @init(%all: memref<3x2xf32> {train.variable = [@v, @w], train.writes}) {
  return
}

// -----

train.variable @v : tensor<2xf32>
train.variable @w : tensor<2xf32>
func.func @init(%all: memref<2x2xf32> {train.variable = [@v, @w], train.writes}) {
  %zero = arith.constant 0.0 : f32
  // expected-error@below {{expected a slice of one of the variables [@v, @w], found another use}}
  linalg.fill ins(%zero : f32) outs(%all : memref<2x2xf32>)
  return
}

// -----

func.func @f(%x: memref<i1>) {
  %ok = memref.load %x[] : memref<i1>
  // expected-error @+1 {{'cf.assert' op expected a 'linalg_ext.check', which -flywheel-convert-asserts makes of an assertion before ops are ordered}}
  cf.assert %ok, "no"
  return
}
