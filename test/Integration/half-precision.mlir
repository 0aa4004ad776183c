// V3, X1: products of f16 and bf16 accumulate in f32 and round once. 2048 + 1
// is 2048 in f16 and 256 + 1 is 256 in bf16, so that rounding on the way would
// lose every 1.
// RUN: flywheel-opt %s --convert-nn-to-linalg --cse | %run_linalg | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  %a = arith.constant dense<[[2048., 1., 1., 1., 1.]]> : tensor<1x5xf16>
  %b = arith.constant dense<1.0> : tensor<5x1xf16>
  %0 = nn.matmul %a, %b : (tensor<1x5xf16>, tensor<5x1xf16>) -> tensor<1x1xf16>
  %1 = arith.extf %0 : tensor<1x1xf16> to tensor<1x1xf32>
  %2 = tensor.cast %1 : tensor<1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%2) : (tensor<*xf32>) -> ()
  // CHECK: {{\[\[}}2052]]

  %c = arith.constant dense<[[256., 1., 1., 1., 1.]]> : tensor<1x5xbf16>
  %3 = nn.reduce sum %c axes [1] : tensor<1x5xbf16> -> tensor<1xbf16>
  %4 = arith.extf %3 : tensor<1xbf16> to tensor<1xf32>
  %5 = tensor.cast %4 : tensor<1xf32> to tensor<*xf32>
  call @printMemrefF32(%5) : (tensor<*xf32>) -> ()
  // CHECK: [260]

  // Each op rounds: 2048 + 1 is 2048.
  %one = arith.constant dense<1.0> : tensor<1xf16>
  %big = arith.constant dense<2048.0> : tensor<1xf16>
  %6 = arith.addf %big, %one : tensor<1xf16>
  %7 = arith.extf %6 : tensor<1xf16> to tensor<1xf32>
  %8 = tensor.cast %7 : tensor<1xf32> to tensor<*xf32>
  call @printMemrefF32(%8) : (tensor<*xf32>) -> ()
  // CHECK: [2048]
  return
}
