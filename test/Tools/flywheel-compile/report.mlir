// T10, T33: what the workspace of a step has to hold, which contractions are not in registers, and why.
// RUN: flywheel-compile %s --target-triple=x86_64-unknown-linux-gnu --cpu=x86-64-v4 -o %t.o --report 2>&1 | FileCheck %s
// Objects are the same with and without it.
// RUN: flywheel-compile %s --target-triple=x86_64-unknown-linux-gnu --cpu=x86-64-v4 -o %t.plain.o --model-name=report 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=workspace --implicit-check-not=computes
// RUN: flywheel-compile %s --target-triple=x86_64-unknown-linux-gnu --cpu=x86-64-v4 -o %t.said.o --model-name=report --report 2>&1 | FileCheck %s
// RUN: cmp %t.plain.o %t.said.o

// PLAIN: without its output in registers

// A widened value has the location of its op.
// CHECK: report.mlir:[[#@LINE+7]]:1: remark: the workspace of 'step' is [[BYTES:[0-9]+]] bytes, of which at most {{[0-9]+}} are live at a time
// CHECK: report.mlir:[[#@LINE+8]]:8: note: {{[0-9]+}} bytes of these are 'memref<{{.*}}>'
// CHECK-NOT: <unknown>:0: note
// CHECK: report.mlir:[[#@LINE+9]]:8: remark: 'linalg.matmul' is computed as #codegen.vector<{{.*}}>, without its output in registers: expected C + A * B of f32 or f64
// CHECK: report.mlir:[[#@LINE+3]]:1: remark: 'step' computes 2 contractions, 1 of them with the output in registers
// CHECK: workspace of step {{ *}}[[BYTES]] bytes
train.variable @w : tensor<256x128xf16> = #train.ones
func.func @step(%x: tensor<64x256xf16>) -> tensor<64x32xf16> {
  %w = train.read @w : tensor<256x128xf16>
  %y = nn.dense %x, %w : (tensor<64x256xf16>, tensor<256x128xf16>) -> tensor<64x128xf16>
  %v = arith.constant dense<0.5> : tensor<128x32xf16>
  %c = arith.constant dense<0.0> : tensor<64x32xf16>
  %z = linalg.matmul ins(%y, %v : tensor<64x128xf16>, tensor<128x32xf16>) outs(%c : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %z : tensor<64x32xf16>
}
