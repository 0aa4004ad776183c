// RUN: flywheel-opt %s --flywheel-check-sizes=last --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// X10, X11:
func.func @branch(%x: tensor<?xf32>, %i: tensor<i64>, %c: i1) -> tensor<?xf32> {
  // expected-error @+1 {{expected equal sizes of dimension 0 of result 0 of one branch and of the other, found sizes that are not known in front of it}}
  %r = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    %one = arith.constant dense<1> : tensor<i64>
    %init = tensor.empty() : tensor<i64>
    %j = linalg.add ins(%i, %one : tensor<i64>, tensor<i64>) outs(%init : tensor<i64>) -> tensor<i64>
    %number = tensor.extract %j[] : tensor<i64>
    %n = arith.index_cast %number : i64 to index
    %y = tensor.empty(%n) : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
