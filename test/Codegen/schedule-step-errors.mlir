// RUN: flywheel-opt %s --flywheel-schedule-step --verify-diagnostics \
// RUN:   | not grep module

// A step that fails leaves every variable as it was (S3): no check comes after a
// write in the branch that both are in.
func.func @late(%c: i1, %v: tensor<i32> {train.variable = @v, train.reads, train.writes}) -> tensor<i32> {
  %c3 = arith.constant 3 : i32
  %r = scf.if %c -> tensor<i32> {
    %new = linalg.fill ins(%c3 : i32) outs(%v : tensor<i32>) -> tensor<i32>
    %n = tensor.extract %new[] : tensor<i32>
    %ok = arith.cmpi slt, %n, %c3 : i32
    // expected-error@below {{the check 'too big' depends on a value that is computed after variable @v is written: a check has to come before every write}}
    cf.assert %ok, "too big"
    scf.yield %new : tensor<i32>
  } else {
    scf.yield %v : tensor<i32>
  }
  return %r : tensor<i32>
}
