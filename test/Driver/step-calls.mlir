// RUN: flywheel-compile %s --emit=llvm-ir --cpu=x86-64-v3 -o - | FileCheck %s

// A step computes the address of a variable beside each call that takes it: no
// address waits in a register from the beginning of the step.
// Nor are calls duplicated where a step branches on the number of a worker.
// CHECK: define internal {{.*}}@step.kernel(ptr {{[^%]*}}%[[STATE:[0-9]+]], {{.*}} #[[ATTRIBUTES:[0-9]+]] {
// CHECK: %[[A:.*]] = getelementptr i8, ptr %[[STATE]], i64 [[OFFSET:[0-9]+]]
// CHECK: call void @step.{{[^(]*}}({{.*}}ptr %[[A]]{{[,)]}}
// CHECK: %[[AGAIN:.*]] = getelementptr i8, ptr %[[STATE]], i64 [[OFFSET]]
// CHECK: call void @step.{{[^(]*}}({{.*}}ptr %[[AGAIN]]{{[,)]}}
// CHECK: attributes #[[ATTRIBUTES]] = { noduplicate noinline
train.variable @w : tensor<64x64xf32>
func.func @step(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %w = train.read @w : tensor<64x64xf32>
  %y = nn.dense %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = math.tanh %y : tensor<64x64xf32>
  %z = nn.dense %r, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %z : tensor<64x64xf32>
}
