// RUN: flywheel-opt %s --train-convert-globals --split-input-file | FileCheck %s

// A mutable global is a variable of its name; what is not mutable, a constant.
// CHECK: train.variable @n : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
// CHECK-NOT: ml_program
// CHECK-LABEL: func.func @tick(
// CHECK: %[[N:.*]] = train.read @n : tensor<i64>
// CHECK: %[[STEP:.*]] = arith.constant dense<3> : tensor<i64>
// CHECK: %[[M:.*]] = arith.addi %[[N]], %[[STEP]]
// CHECK: train.assign @n, %[[M]] : tensor<i64>
// CHECK: train.read @n
// EXAMPLE: --train-convert-globals
ml_program.global private mutable @n(dense<0> : tensor<i64>) : tensor<i64>
ml_program.global private @step(dense<3> : tensor<i64>) : tensor<i64>
func.func @tick() -> (tensor<i64>, tensor<i64>) {
  %n = ml_program.global_load @n : tensor<i64>
  %step = ml_program.global_load_const @step : tensor<i64>
  %m = arith.addi %n, %step : tensor<i64>
  ml_program.global_store @n = %m : tensor<i64>
  %again = ml_program.global_load @n : tensor<i64>
  return %n, %again : tensor<i64>, tensor<i64>
}

// -----

// Numbers, tokens, a value of its own for what has none, and resources.
// CHECK: train.variable @seed : tensor<i64> = dense<7> : tensor<i64>
// CHECK: train.variable @empty : tensor<2x3xf32> = #train.zeros
// CHECK: train.variable @table : tensor<2xf32> = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: train.variable @flags : tensor<3xi1> = dense<[true, false, true]> : tensor<3xi1>
// CHECK-LABEL: func.func @draw(
// CHECK: %[[OLD:.*]] = train.read @seed : tensor<i64>
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[OLD]][]
// CHECK: %[[NEXT:.*]] = arith.addi %[[NUMBER]]
// CHECK: %[[NEW:.*]] = tensor.from_elements %[[NEXT]]
// CHECK: train.assign @seed, %[[NEW]] : tensor<i64>
// CHECK-NEXT: %[[TABLE:.*]] = train.read @table : tensor<2xf32>
// CHECK-NEXT: return %[[NUMBER]], %[[TABLE]]
ml_program.global private mutable @seed(7 : i64) : i64
ml_program.global private mutable @empty : tensor<2x3xf32>
ml_program.global private mutable @table(dense_resource<table> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @flags(dense_resource<flags> : tensor<3xi1>) : tensor<3xi1>
func.func @draw() -> (i64, tensor<2xf32>) {
  %start = ml_program.token
  %n, %loaded = ml_program.global_load_graph @seed ordering (%start -> !ml_program.token) : i64
  %one = arith.constant 1 : i64
  %m = arith.addi %n, %one : i64
  %stored = ml_program.global_store_graph @seed = %m ordering (%loaded -> !ml_program.token) : i64
  %t = ml_program.global_load @table : tensor<2xf32>
  return %n, %t : i64, tensor<2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      table: "0x040000000000803F00000040",
      flags: "0x01000000010001"
    }
  }
#-}

// -----

// The same of tosa.
// CHECK: train.variable @stored : tensor<2xf32> = dense<1.000000e+00> : tensor<2xf32> {trainable = false}
// CHECK-LABEL: func.func @tosa(
// CHECK: %[[OLD:.*]] = train.read @stored : tensor<2xf32>
// CHECK: train.assign @stored, %{{.*}} : tensor<2xf32>
// CHECK: return %[[OLD]]
tosa.variable @stored = dense<1.0> : tensor<2xf32>
func.func @tosa(%x: tensor<2xf32>) -> tensor<2xf32> {
  %old = tosa.variable_read @stored : tensor<2xf32>
  tosa.variable_write @stored, %x : tensor<2xf32>
  return %old : tensor<2xf32>
}

// -----

// A constant is not state.
// CHECK: memref.global "private" constant @table
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>

// -----

// A constant has the type of its value; what loads it, one of its own.
// CHECK: train.variable @sparse : tensor<2x2xf32> = dense<{{\[}}[0.000000e+00, 5.000000e-01], [0.000000e+00, 0.000000e+00]]>
// CHECK-LABEL: func.func @constants(
// CHECK: %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: %[[CAST:.*]] = tensor.cast %[[C]] : tensor<2xf32> to tensor<?xf32>
// CHECK: %[[COMPLEX:.*]] = arith.constant dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>
// CHECK: return %[[CAST]], %[[COMPLEX]]
ml_program.global private @c(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<?xf32>
ml_program.global private @complex(dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>) : tensor<1xcomplex<f32>>
ml_program.global private mutable @sparse(sparse<[[0, 1]], 0.5> : tensor<2x2xf32>) : tensor<2x2xf32>
func.func @constants() -> (tensor<?xf32>, tensor<1xcomplex<f32>>) {
  %c = ml_program.global_load_const @c : tensor<?xf32>
  %complex = ml_program.global_load_const @complex : tensor<1xcomplex<f32>>
  return %c, %complex : tensor<?xf32>, tensor<1xcomplex<f32>>
}

// -----

// So may what reads and writes a variable of tosa.
// CHECK-LABEL: func.func @casts(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>)
// CHECK: %[[V:.*]] = train.read @v : tensor<2xf32>
// CHECK: %[[OLD:.*]] = tensor.cast %[[V]] : tensor<2xf32> to tensor<?xf32>
// CHECK: %[[NEW:.*]] = tensor.cast %[[X]] : tensor<?xf32> to tensor<2xf32>
// CHECK: train.assign @v, %[[NEW]] : tensor<2xf32>
// CHECK: return %[[OLD]]
tosa.variable @v = dense<1.0> : tensor<2xf32>
func.func @casts(%x: tensor<?xf32>) -> tensor<?xf32> {
  %old = tosa.variable_read @v : tensor<?xf32>
  tosa.variable_write @v, %x : tensor<?xf32>
  return %old : tensor<?xf32>
}

// -----

// CHECK: llvm.mlir.global internal constant @text
llvm.mlir.global internal constant @text("text") : !llvm.array<4 x i8>
