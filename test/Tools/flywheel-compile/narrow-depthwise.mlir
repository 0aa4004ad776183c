// T63: sums of a depthwise convolution of f16 are narrowed, with the bias and relu, in tiles: one image of f16 is the
// workspace, and a result takes none; the gradient has the turned filter of f16 alone. The numbers are those of the reference.
// RUN: flywheel-compile %s -o %t.o --report --max-batch=1 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: flywheel-compile %s -o %t.o --report --max-batch=1 --target-triple=thumbv7em-none-eabihf 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: workspace of border {{ *}}32768 bytes
// REPORT: workspace of batch {{ *}}32768 bytes
// REPORT: workspace of strided {{ *}}0 bytes
// REPORT: workspace of line {{ *}}0 bytes
// REPORT: workspace of backward {{ *}}320 bytes
// RUN: flywheel-run %s --entry=border --feed x=1 --lowering=reference > %t.reference
// RUN: flywheel-run %s --entry=border --feed x=1 > %t.optimized && cmp %t.reference %t.optimized
// RUN: flywheel-run %s --entry=border --feed x=1 --threads=2 > %t.threads && cmp %t.reference %t.threads
// RUN: flywheel-run %s --entry=backward --feed dy=1 --lowering=reference > %t.reference
// RUN: flywheel-run %s --entry=backward --feed dy=1 > %t.optimized && cmp %t.reference %t.optimized
train.variable @w : tensor<3x3x1x16xf16> = dense<0.5> : tensor<3x3x1x16xf16>
train.variable @b : tensor<16xf16> = dense<-1.0> : tensor<16xf16>
train.variable @p : tensor<1x1x16x16xf16> = dense<0.25> : tensor<1x1x16x16xf16>
func.func @border(%x: tensor<1x32x32x16xf16>) -> tensor<1x32x32x16xf16> {
  %w = train.read @w : tensor<3x3x1x16xf16>
  %b = train.read @b : tensor<16xf16>
  %p = train.read @p : tensor<1x1x16x16xf16>
  %y = nn.conv2d %x, %w padding explicit [[1, 1], [1, 1]] : (tensor<1x32x32x16xf16>, tensor<3x3x1x16xf16>) -> tensor<1x32x32x16xf16>
  %z = nn.add %y, %b : (tensor<1x32x32x16xf16>, tensor<16xf16>) -> tensor<1x32x32x16xf16>
  %r = nn.relu %z : tensor<1x32x32x16xf16>
  %v = nn.conv2d %r, %p : (tensor<1x32x32x16xf16>, tensor<1x1x16x16xf16>) -> tensor<1x32x32x16xf16>
  return %v : tensor<1x32x32x16xf16>
}
func.func @batch(%x: tensor<?x32x32x16xf16>) -> tensor<?x32x32x16xf16> {
  %w = train.read @w : tensor<3x3x1x16xf16>
  %p = train.read @p : tensor<1x1x16x16xf16>
  %y = nn.conv2d %x, %w padding explicit [[2, 2], [2, 2]] dilations [2, 2] : (tensor<?x32x32x16xf16>, tensor<3x3x1x16xf16>) -> tensor<?x32x32x16xf16>
  %r = nn.relu %y : tensor<?x32x32x16xf16>
  %v = nn.conv2d %r, %p : (tensor<?x32x32x16xf16>, tensor<1x1x16x16xf16>) -> tensor<?x32x32x16xf16>
  return %v : tensor<?x32x32x16xf16>
}
func.func @strided(%x: tensor<1x33x33x16xf16>) -> tensor<1x16x16x16xf16> {
  %w = train.read @w : tensor<3x3x1x16xf16>
  %y = nn.conv2d %x, %w strides [2, 2] : (tensor<1x33x33x16xf16>, tensor<3x3x1x16xf16>) -> tensor<1x16x16x16xf16>
  %r = nn.relu %y : tensor<1x16x16x16xf16>
  return %r : tensor<1x16x16x16xf16>
}
func.func @line(%x: tensor<1x66x1x16xf16>, %f: tensor<3x1x1x16xf16>) -> tensor<1x64x1x16xf16> {
  %y = nn.conv2d %x, %f : (tensor<1x66x1x16xf16>, tensor<3x1x1x16xf16>) -> tensor<1x64x1x16xf16>
  %r = nn.relu %y : tensor<1x64x1x16xf16>
  return %r : tensor<1x64x1x16xf16>
}
func.func @backward(%dy: tensor<1x32x32x16xf16>) -> tensor<1x32x32x16xf16> {
  %w = train.read @w : tensor<3x3x1x16xf16>
  %dx = nn.conv2d_transpose %dy, %w padding explicit [[1, 1], [1, 1]] : (tensor<1x32x32x16xf16>, tensor<3x3x1x16xf16>) -> tensor<1x32x32x16xf16>
  return %dx : tensor<1x32x32x16xf16>
}
