// RUN: flywheel-opt %s --flywheel-check-divisions --split-input-file --verify-diagnostics

func.func @zero(%x: tensor<2xi32>) -> tensor<2xi32> {
  %y = arith.constant dense<[1, 0]> : tensor<2xi32>
  // expected-error @+1 {{expected a divisor other than zero}}
  %q = arith.remsi %x, %y : tensor<2xi32>
  return %q : tensor<2xi32>
}

// -----

func.func @branch(%x: i32, %y: i32, %c: i1) -> i32 {
  %q = scf.if %c -> i32 {
    // expected-error @+1 {{expected a constant divisor inside 'scf.if', where a division by zero cannot be checked: divide at the top level of the function}}
    %r = arith.divui %x, %y : i32
    scf.yield %r : i32
  } else {
    scf.yield %x : i32
  }
  return %q : i32
}
