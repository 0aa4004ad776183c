// F7: the table of what a step takes, by kernel, phase and in total; and a trace.
// RUN: flywheel-run %s --entry step --feed x=random --batch-size 16 --steps 5 --profile=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.json
// RUN: flywheel-run %s --entry step --feed x=random --batch-size 16 --steps 5 --profile --lowering=reference | FileCheck %s --check-prefix=PLAIN
// CHECK: step: 5 calls, {{[0-9.]+}} us a call, 1 thread; peak of this machine: {{[0-9.]+}} GFLOP/s, {{[0-9.]+}} GB/s
// CHECK-NEXT: kernel phase calls iterations us/call % GFLOP/s % GB/s % source
// CHECK-DAG: step.dense.{{[0-9]+}} forward 5 2560 {{.*}}nn.dense at {{.*}}profile.mlir:[[#@LINE+21]]:8
// CHECK-DAG: step.dense_grad.{{[0-9]+}} backward 5 2560 {{.*}}nn.dense at
// CHECK: other
// CHECK-NEXT: total forward
// CHECK-NEXT: total backward
// CHECK-NEXT: total update
// CHECK-NEXT: kernels are {{[0-9.]+}} % of the step
// CHECK-NEXT: {{[0-9a-z]+ kernels? takes? more than 3 times (its|their) bound}}
// TRACE: {"displayTimeUnit":"ns",{{.*}}"traceEvents":[{"cat":"step","dur":
// PLAIN: step.dense.

// An entry without a kernel, and none that is called.
// RUN: flywheel-run %s --entry nothing --profile | FileCheck %s --check-prefix=EMPTY
// EMPTY: nothing: 1 calls,
// EMPTY: other
// EMPTY: kernels are 0.0 % of the step
// EMPTY-NEXT: no kernel takes more than 3 times its bound

train.variable @w : tensor<4x8xf32> = #train.ones
func.func @step(%x: tensor<?x4xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<4x8xf32>
  %y = nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %loss = nn.l2_loss %y : tensor<?x8xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.01>
  return %loss : tensor<f32>
}
func.func @nothing() {
  return
}
