// REQUIRES: gdb
// T21: with -g a debugger stops at lines of the model, in code that is compiled in memory.
// RUN: gdb -q -batch -ex "set breakpoint pending on" -ex "set debuginfod enabled off" \
// RUN:   -ex "break %s:14" -ex run -ex "backtrace 2" \
// RUN:   --args flywheel-run %s --entry step --feed x=random -g 2>&1 | FileCheck %s
// CHECK: Breakpoint 1, step.dense.Nx8.{{[0-9]+}} () at {{.*}}debugger.mlir:14
// CHECK-NEXT: %y = nn.dense
// CHECK-NEXT: #0 step.dense.Nx8
// CHECK-NEXT: #1 {{.*}} step[kernel] () at {{.*}}debugger.mlir

train.variable @w : tensor<4x8xf32> = #train.ones
func.func @step(%x: tensor<?x4xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<4x8xf32>
  %y = nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %loss = nn.l2_loss %y : tensor<?x8xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.01>
  return %loss : tensor<f32>
}
