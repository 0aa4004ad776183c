// RUN: flywheel-opt %s --flywheel-schedule-step --verify-diagnostics

// A step that fails leaves every variable as it was (S3).
func.func @late(%v: tensor<i32> {train.variable = @v, train.reads, train.writes}) -> tensor<i32> {
  %c3 = arith.constant 3 : i32
  %new = linalg.fill ins(%c3 : i32) outs(%v : tensor<i32>) -> tensor<i32>
  %n = tensor.extract %new[] : tensor<i32>
  %ok = arith.cmpi slt, %n, %c3 : i32
  // expected-error@below {{the check 'too big' depends on a value that is computed after variable @v is written: a check has to come before every write}}
  cf.assert %ok, "too big"
  return %new : tensor<i32>
}
