// T63: a value that is reshaped and returned is computed where it is returned: products, grouped convolutions and depthwise
// ones with a multiplier, with the bias and activation behind them; and what relu overwrites in a result.
// RUN: flywheel-compile %s -o %t.o --report --max-batch=4 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: flywheel-compile %s -o %t.o --report --max-batch=4 --target-triple=thumbv7em-none-eabihf 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: workspace of product {{ *}}0 bytes
// REPORT: workspace of split {{ *}}0 bytes
// REPORT: workspace of grouped {{ *}}0 bytes
// REPORT: workspace of multiplier {{ *}}0 bytes
// REPORT: workspace of dilated {{ *}}0 bytes
// REPORT: workspace of depthwise {{ *}}0 bytes
// REPORT: workspace of checked {{ *}}16448 bytes
// RUN: flywheel-run %s --entry=grouped --feed x=1 --lowering=reference > %t.reference
// RUN: flywheel-run %s --entry=grouped --feed x=1 > %t.optimized && cmp %t.reference %t.optimized
// RUN: flywheel-run %s --entry=multiplier --feed x=1 --lowering=reference > %t.reference
// RUN: flywheel-run %s --entry=multiplier --feed x=1 --threads=2 > %t.optimized && cmp %t.reference %t.optimized
train.variable @p : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
train.variable @g : tensor<3x3x4x16xf32> = dense<0.5> : tensor<3x3x4x16xf32>
train.variable @m : tensor<3x3x1x16xf16> = dense<0.5> : tensor<3x3x1x16xf16>
train.variable @d : tensor<3x3x1x16xf32> = dense<0.5> : tensor<3x3x1x16xf32>
train.variable @b : tensor<16xf32> = dense<-1.0> : tensor<16xf32>
func.func @product(%x: tensor<64x64xf32>) -> tensor<4096xf32> {
  %p = train.read @p : tensor<64x64xf32>
  %y = nn.matmul %x, %p : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = tensor.collapse_shape %y [[0, 1]] : tensor<64x64xf32> into tensor<4096xf32>
  return %r : tensor<4096xf32>
}
func.func @split(%x: tensor<64x64xf32>) -> tensor<8x8x64xf32> {
  %p = train.read @p : tensor<64x64xf32>
  %y = nn.matmul %x, %p : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = tensor.expand_shape %y [[0, 1], [2]] output_shape [8, 8, 64] : tensor<64x64xf32> into tensor<8x8x64xf32>
  return %r : tensor<8x8x64xf32>
}
func.func @grouped(%x: tensor<?x16x16x16xf32>) -> tensor<?x14x14x16xf32> {
  %g = train.read @g : tensor<3x3x4x16xf32>
  %b = train.read @b : tensor<16xf32>
  %y = nn.conv2d %x, %g : (tensor<?x16x16x16xf32>, tensor<3x3x4x16xf32>) -> tensor<?x14x14x16xf32>
  %z = nn.add %y, %b : (tensor<?x14x14x16xf32>, tensor<16xf32>) -> tensor<?x14x14x16xf32>
  %r = nn.relu %z : tensor<?x14x14x16xf32>
  return %r : tensor<?x14x14x16xf32>
}
func.func @multiplier(%x: tensor<1x17x17x8xf16>) -> tensor<1x8x8x16xf16> {
  %m = train.read @m : tensor<3x3x1x16xf16>
  %y = nn.conv2d %x, %m strides [2, 2] : (tensor<1x17x17x8xf16>, tensor<3x3x1x16xf16>) -> tensor<1x8x8x16xf16>
  %r = nn.relu %y : tensor<1x8x8x16xf16>
  return %r : tensor<1x8x8x16xf16>
}
func.func @dilated(%x: tensor<1x20x1x8xf32>, %f: tensor<3x1x1x16xf32>) -> tensor<1x16x1x16xf32> {
  %y = nn.conv2d %x, %f dilations [2, 1] : (tensor<1x20x1x8xf32>, tensor<3x1x1x16xf32>) -> tensor<1x16x1x16xf32>
  return %y : tensor<1x16x1x16xf32>
}
func.func @depthwise(%x: tensor<?x32x32x16xf32>) -> tensor<?x32x32x16xf32> {
  %d = train.read @d : tensor<3x3x1x16xf32>
  %y = nn.conv2d %x, %d padding explicit [[1, 1], [1, 1]] : (tensor<?x32x32x16xf32>, tensor<3x3x1x16xf32>) -> tensor<?x32x32x16xf32>
  %r = nn.relu %y : tensor<?x32x32x16xf32>
  return %r : tensor<?x32x32x16xf32>
}
// The sum that is checked depends on the value, which is then computed before a result may be written.
func.func @checked(%x: tensor<64x64xf32>) -> tensor<4096xf32> {
  %p = train.read @p : tensor<64x64xf32>
  %y = nn.matmul %x, %p : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = nn.reduce sum %y axes [0, 1] : tensor<64x64xf32> -> tensor<f32>
  %e = tensor.extract %s[] : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %isPositive = arith.cmpf oge, %e, %zero : f32
  cf.assert %isPositive, "the sum is negative"
  %r = tensor.collapse_shape %y [[0, 1]] : tensor<64x64xf32> into tensor<4096xf32>
  return %r : tensor<4096xf32>
}
