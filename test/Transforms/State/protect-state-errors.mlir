// RUN: flywheel-opt %s --flywheel-protect-state --split-input-file --verify-diagnostics

// S3: values that are written before such a check could not be kept apart.
func.func @nested(%c: i1, %x: tensor<4xf32>, %v: tensor<4xf32> {train.variable = @v, train.writes}) -> tensor<4xf32> {
  scf.if %c {
    // expected-error@below {{expected a check ("no") at the top level of a function, where it comes before every write, found one inside 'scf.if'}}
    linalg_ext.check data %c, "no"
  }
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private mutable @seed(7 : i64) : i64
func.func @global() -> i64 {
  // expected-error@below {{'ml_program.global_load' op expected variables, which train-convert-globals makes of globals}}
  %n = ml_program.global_load @seed : i64
  return %n : i64
}
