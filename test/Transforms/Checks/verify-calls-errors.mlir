// RUN: flywheel-opt %s --flywheel-verify-calls --verify-diagnostics \
// RUN:   | not grep module

// Each function calls the one before it eight times.

func.func private @f0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @f1(%arg: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @f0(%arg) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @f0(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @f0(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @f0(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @f0(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = call @f0(%5) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = call @f0(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = call @f0(%7) : (tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}
func.func private @f2(%arg: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @f1(%arg) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @f1(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @f1(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @f1(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @f1(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = call @f1(%5) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = call @f1(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = call @f1(%7) : (tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}
func.func private @f3(%arg: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @f2(%arg) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @f2(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @f2(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @f2(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @f2(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = call @f2(%5) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = call @f2(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = call @f2(%7) : (tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}
func.func private @f4(%arg: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @f3(%arg) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @f3(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @f3(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @f3(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @f3(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = call @f3(%5) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = call @f3(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = call @f3(%7) : (tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}
func.func private @f5(%arg: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @f4(%arg) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @f4(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @f4(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @f4(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @f4(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = call @f4(%5) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = call @f4(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = call @f4(%7) : (tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}
// expected-error@below {{'f6' would have more than 1048576 ops of other functions after inlining}}
func.func @f6(%arg: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @f5(%arg) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @f5(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @f5(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @f5(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @f5(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = call @f5(%5) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = call @f5(%6) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = call @f5(%7) : (tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}

// Others say what is wrong with this.
func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
