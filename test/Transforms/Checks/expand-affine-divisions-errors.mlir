// RUN: flywheel-opt %s --flywheel-expand-affine-divisions --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @zero(%i: index) -> index {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'affine.apply' op expected a divisor of 1 or more, found 0}}
  %0 = affine.apply affine_map<(i)[s] -> (i floordiv s)>(%i)[%c0]
  return %0 : index
}

// -----

func.func @negative(%i: index, %j: index) -> index {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{'affine.max' op expected a divisor of 1 or more, found -3}}
  %0 = affine.max affine_map<(i)[s, t] -> (i mod t, i mod (s - 5))>(%i)[%c2, %j]
  return %0 : index
}
