// RUN: flywheel-opt %s --flywheel-check-divisions --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @zero(%x: tensor<2xi32>) -> tensor<2xi32> {
  %y = arith.constant dense<[1, 0]> : tensor<2xi32>
  // expected-error @+1 {{expected a divisor other than zero}}
  %q = arith.remsi %x, %y : tensor<2xi32>
  return %q : tensor<2xi32>
}
