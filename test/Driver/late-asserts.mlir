// RUN: flywheel-compile %s --emit=flywheel-linalg > %t.linalg
// RUN: sed 's/linalg_ext.check data \(.*\)"sum is large"/cf.assert \1"sum is large"/' %t.linalg > %t.asserts
// RUN: grep 'cf.assert.*"sum is large"' %t.asserts
// RUN: flywheel-compile %t.linalg --emit=flywheel-bufferize > %t.1
// RUN: flywheel-compile %t.asserts --emit=flywheel-bufferize > %t.2
// RUN: diff %t.1 %t.2

// X1: an assertion that enters at a later stage comes before every write, as one of the source does.
train.variable @v : tensor<16xf32> = #train.zeros
func.func @step(%x: tensor<4x4xf32>) -> tensor<f32> {
  %y = nn.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = tensor.collapse_shape %y [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  train.assign @v, %r : tensor<16xf32>
  %s = nn.reduce sum %y axes [0, 1] : tensor<4x4xf32> -> tensor<f32>
  %e = tensor.extract %s[] : tensor<f32>
  %most = arith.constant 100.0 : f32
  %ok = arith.cmpf olt, %e, %most : f32
  cf.assert %ok, "sum is large"
  return %s : tensor<f32>
}
