// RUN: flywheel-opt %s --train-convert-globals --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// expected-error @+1 {{'ml_program.global' op expected a tensor of a static shape, or a number, to keep between calls, found 'tensor<?xf32>'}}
ml_program.global private mutable @n(dense<0.0> : tensor<4xf32>) : tensor<?xf32>

// -----

// expected-error @+1 {{'ml_program.global' op expected an initial value of type 'tensor<4xf32>' that is in the module, found #ml_program.extern}}
ml_program.global private mutable @n(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>

// -----

// expected-error @+1 {{'ml_program.global' op expected an initial value of type 'tensor<4xf32>' that is in the module}}
ml_program.global private mutable @n(dense_resource<missing> : tensor<4xf32>) : tensor<4xf32>

// -----

// expected-error @+1 {{'ml_program.global' op expected an element type of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or !train.string, found 'complex<f32>'}}
ml_program.global private mutable @n : tensor<2xcomplex<f32>>

// -----

// expected-error @+1 {{'tosa.variable' op expected an element type of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or !train.string, found 'i4'}}
tosa.variable @n = dense<1> : tensor<2xi4>

// -----

ml_program.global private mutable @n(dense<0> : tensor<i64>) : tensor<i64>
func.func @escapes() -> !ml_program.token {
  %start = ml_program.token
  %n, %token = ml_program.global_load_graph @n ordering (%start -> !ml_program.token) : tensor<i64>
  // expected-error @+1 {{'func.return' op expected tokens to order loads and stores of globals}}
  return %token : !ml_program.token
}

// -----

// expected-error @+1 {{'memref.global' op keeps its contents between calls, outside of the state that the caller owns: expected a 'train.variable'}}
memref.global "private" @n : memref<i64> = dense<0>

// -----

// expected-error @+1 {{'llvm.mlir.global' op keeps its contents between calls}}
llvm.mlir.global internal @n(0 : i64) : i64

// -----

// expected-error @+1 {{'emitc.global' op keeps its contents between calls}}
emitc.global @n : i64 = 0

// -----

// A load is checked against the value of a constant.
ml_program.global private @c(dense<1.0> : tensor<2x2xf32>) : tensor<?xf32>
func.func @shape() -> tensor<?xf32> {
  // expected-error @+1 {{'ml_program.global_load_const' op expected the type of global @c, 'tensor<2x2xf32>', found 'tensor<?xf32>'}}
  %0 = ml_program.global_load_const @c : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

ml_program.global private @c(dense<1> : tensor<2xi32>) : tensor<?xf32>
func.func @element() -> tensor<?xf32> {
  // expected-error @+1 {{expected the type of global @c, 'tensor<2xi32>', found 'tensor<?xf32>'}}
  %0 = ml_program.global_load_const @c : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

ml_program.global private @c(dense<1.0> : tensor<2xf32>) : f32
func.func @number() -> f32 {
  // expected-error @+1 {{expected the type of global @c, 'tensor<2xf32>', found 'f32'}}
  %0 = ml_program.global_load_const @c : f32
  return %0 : f32
}

// -----

ml_program.global private @c(dense<1.0> : tensor<f64>) : f32
func.func @width() -> f32 {
  // expected-error @+1 {{expected the type of global @c, 'tensor<f64>', found 'f32'}}
  %0 = ml_program.global_load_const @c : f32
  return %0 : f32
}

// -----

// A resource is to have all bytes of its elements.
// expected-error @+1 {{'ml_program.global' op expected an initial value of type 'tensor<3xf32>' that is in the module}}
ml_program.global private mutable @n(dense_resource<short> : tensor<3xf32>) : tensor<3xf32>
{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000000803F00000040"
    }
  }
#-}

// -----

// expected-error @+1 {{'ml_program.global' op expected an initial value of type 'tensor<2xi1>' that is in the module}}
ml_program.global private mutable @n(dense_resource<flags> : tensor<2xi1>) : tensor<2xi1>
{-#
  dialect_resources: {
    builtin: {
      flags: "0x01000000010001"
    }
  }
#-}

// -----

// expected-error @+1 {{'ml_program.global' op expected an initial value of type 'tensor<1xcomplex<f32>>' that is in the module}}
ml_program.global private @n(dense_resource<complex> : tensor<1xcomplex<f32>>) : tensor<1xcomplex<f32>>
{-#
  dialect_resources: {
    builtin: {
      complex: "0x040000000000803F00000040"
    }
  }
#-}

// -----

// expected-error @+1 {{'ml_program.global' op expected an initial value of type 'tensor<4xf32>' that is in the module}}
ml_program.global private mutable @n(dense<1.0> : tensor<2xf32>) : tensor<4xf32>

// -----

// expected-error @+1 {{'ml_program.global' op expected an initial value of type 'tensor<f32>' that is in the module, found 1.000000e+00 : f64}}
ml_program.global private mutable @n(1.0 : f64) : tensor<f32>

// -----

// expected-error @+1 {{'ml_program.global' op expected an initial value of type 'tensor<4xf32>' that is in the module, found sparse}}
ml_program.global private mutable @n(sparse<[[0]], 0.5> : tensor<2xf32>) : tensor<4xf32>

// -----

// expected-error @+1 {{expected a tensor of a static shape, or a number, to keep between calls, found 'tensor<2xf32, "encoding">'}}
ml_program.global private mutable @n : tensor<2xf32, "encoding">
