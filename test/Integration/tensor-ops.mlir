// Contractions, reductions and index ops against numbers worked by hand.
// RUN: flywheel-opt %s --convert-nn-to-linalg --cse | %run_linalg | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32>)
func.func private @printMemrefI64(tensor<*xi64>)

func.func @show(%x: tensor<?x?xf32>) {
  %u = tensor.cast %x : tensor<?x?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
func.func @show1(%x: tensor<?xf32>) {
  %u = tensor.cast %x : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// X1: the four transpositions, on dimension sizes known only here.
func.func @matmuls(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) {
  %0 = nn.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  call @show(%0) : (tensor<?x?xf32>) -> ()
  %1 = nn.matmul %a, %a {transpose_a} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  call @show(%1) : (tensor<?x?xf32>) -> ()
  %2 = nn.matmul %a, %a {transpose_b} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  call @show(%2) : (tensor<?x?xf32>) -> ()
  %3 = nn.matmul %a, %b {transpose_a, transpose_b} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  call @show(%3) : (tensor<?x?xf32>) -> ()
  return
}

// X7:
func.func @reductions(%x: tensor<?x?xf32>) {
  %0 = nn.reduce sum %x axes [0] : tensor<?x?xf32> -> tensor<?xf32>
  call @show1(%0) : (tensor<?xf32>) -> ()
  %1 = nn.reduce mean %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  call @show1(%1) : (tensor<?xf32>) -> ()
  %2 = nn.reduce max %x axes [1] keepdims : tensor<?x?xf32> -> tensor<?x1xf32>
  %3 = tensor.cast %2 : tensor<?x1xf32> to tensor<?x?xf32>
  call @show(%3) : (tensor<?x?xf32>) -> ()
  %4 = nn.reduce min %x axes [0] : tensor<?x?xf32> -> tensor<?xf32>
  call @show1(%4) : (tensor<?xf32>) -> ()
  %5 = nn.reduce prod %x axes [0, 1] keepdims : tensor<?x?xf32> -> tensor<1x1xf32>
  %6 = tensor.cast %5 : tensor<1x1xf32> to tensor<?x?xf32>
  call @show(%6) : (tensor<?x?xf32>) -> ()
  // X7: NumPy broadcasting of a column and of a row.
  %7 = nn.broadcast %2 dims [0, 1] like %x : (tensor<?x1xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %8 = nn.broadcast %0 dims [1] like %x : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %9 = arith.addf %7, %8 : tensor<?x?xf32>
  call @show(%9) : (tensor<?x?xf32>) -> ()
  return
}

func.func @main() {
  %a = arith.constant dense<[[1., 2., 3.], [4., 5., 6.]]> : tensor<2x3xf32>
  %b = arith.constant dense<[[1., 0.], [0., 1.], [2., 2.]]> : tensor<3x2xf32>
  %ad = tensor.cast %a : tensor<2x3xf32> to tensor<?x?xf32>
  %bd = tensor.cast %b : tensor<3x2xf32> to tensor<?x?xf32>
  call @matmuls(%ad, %bd) : (tensor<?x?xf32>, tensor<?x?xf32>) -> ()
  // CHECK: {{\[\[}}7, 8],
  // CHECK-NEXT: [16, 17]]
  // CHECK: {{\[\[}}17, 22, 27],
  // CHECK-NEXT: [22, 29, 36],
  // CHECK-NEXT: [27, 36, 45]]
  // CHECK: {{\[\[}}14, 32],
  // CHECK-NEXT: [32, 77]]
  // CHECK: {{\[\[}}1, 4, 10],
  // CHECK-NEXT: [2, 5, 14],
  // CHECK-NEXT: [3, 6, 18]]

  call @reductions(%ad) : (tensor<?x?xf32>) -> ()
  // CHECK: [5, 7, 9]
  // CHECK: [2, 5]
  // CHECK: {{\[\[}}3],
  // CHECK-NEXT: [6]]
  // CHECK: [1, 2, 3]
  // CHECK: {{\[\[}}720]]
  // CHECK: {{\[\[}}8, 10, 12],
  // CHECK-NEXT: [11, 13, 15]]

  // The maximum of nothing, and with a NaN.
  %nothing = tensor.empty() : tensor<2x0xf32>
  %nd = tensor.cast %nothing : tensor<2x0xf32> to tensor<?x?xf32>
  %none = nn.reduce max %nd axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  call @show1(%none) : (tensor<?xf32>) -> ()
  // CHECK: [-inf, -inf]
  %odd = arith.constant dense<[[1., 0x7FC00000, 3., 0x7FC00000], [2., 5., 5., 1.], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<3x4xf32>
  %max = nn.reduce max %odd axes [1] : tensor<3x4xf32> -> tensor<3xf32>
  %maxd = tensor.cast %max : tensor<3xf32> to tensor<?xf32>
  call @show1(%maxd) : (tensor<?xf32>) -> ()
  // CHECK: [nan, 5, -inf]
  // X7: the first of equals; a NaN is largest.
  %arg = nn.argmax %odd axis 1 : tensor<3x4xf32> -> tensor<3xi64>
  %argu = tensor.cast %arg : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%argu) : (tensor<*xi64>) -> ()
  // CHECK: [1, 1, 0]
  %relu = nn.relu %odd : tensor<3x4xf32>
  %relud = tensor.cast %relu : tensor<3x4xf32> to tensor<?x?xf32>
  call @show(%relud) : (tensor<?x?xf32>) -> ()
  // CHECK: {{\[\[}}1, nan, 3, nan],
  // CHECK-NEXT: [2, 5, 5, 1],
  // CHECK-NEXT: [0, 0, 0, 0]]

  // Integers: order is signed, rows of an index outside are zeros.
  %i = arith.constant dense<[[3, -4], [-1, 7]]> : tensor<2x2xi32>
  %imin = nn.reduce min %i axes [1] : tensor<2x2xi32> -> tensor<2xi32>
  %iminu = tensor.cast %imin : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%iminu) : (tensor<*xi32>) -> ()
  // CHECK: [-4, -1]
  %iarg = nn.argmax %i axis 0 : tensor<2x2xi32> -> tensor<2xi32>
  %iargu = tensor.cast %iarg : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%iargu) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1]
  %hot = nn.one_hot %i : tensor<2x2xi32> -> tensor<2x2x4xi32>
  %hotu = tensor.cast %hot : tensor<2x2x4xi32> to tensor<*xi32>
  call @printMemrefI32(%hotu) : (tensor<*xi32>) -> ()
  // CHECK: {{\[\[\[}}0,    0,    0,    1],
  // CHECK-NEXT: [0,    0,    0,    0]],
  // CHECK-NEXT: {{\[\[}}0,    0,    0,    0],
  // CHECK-NEXT: [0,    0,    0,    0]]]
  return
}
