// T32: the op after a depthwise convolution, whose borders are computed apart, is computed in its output: one image is the
// workspace, on a machine with vectors and on one without, and with a budget. The numbers are those of the reference.
// RUN: flywheel-compile %s -o %t.o --report 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: flywheel-compile %s -o %t.o --report --target-triple=thumbv7em-none-eabihf 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: flywheel-compile %s -o %t.o --report --memory-budget=64KiB 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: workspace of f {{ *}}65536 bytes
// RUN: flywheel-run %s --entry=f --feed x=1 --lowering=reference > %t.reference
// RUN: flywheel-run %s --entry=f --feed x=1 > %t.optimized && cmp %t.reference %t.optimized
// RUN: flywheel-run %s --entry=f --feed x=1 --threads=2 > %t.threads && cmp %t.reference %t.threads
train.variable @w : tensor<3x3x1x16xf32> = dense<0.5> : tensor<3x3x1x16xf32>
train.variable @p : tensor<1x1x16x16xf32> = dense<0.25> : tensor<1x1x16x16xf32>
func.func @f(%x: tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32> {
  %w = train.read @w : tensor<3x3x1x16xf32>
  %p = train.read @p : tensor<1x1x16x16xf32>
  %y = nn.conv2d %x, %w padding explicit [[1, 1], [1, 1]] : (tensor<1x32x32x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x32x32x16xf32>
  %r = nn.relu %y : tensor<1x32x32x16xf32>
  %v = nn.conv2d %r, %p : (tensor<1x32x32x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x32x32x16xf32>
  return %v : tensor<1x32x32x16xf32>
}
