// T33: a step whose sizes fill no tile has as many kernels of products as one whose sizes do: one for each product, and
// one more for the rest of the rows of each update. Compiling takes as long as there are kernels.
// RUN: flywheel-compile %s --cpu=x86-64-v4 --emit=flywheel-loops | FileCheck %s
// RUN: flywheel-compile %s --cpu=x86-64-v4 --emit=flywheel-loops -o %t.odd
// RUN: grep -c vector.fma %t.odd | FileCheck %s --check-prefix=MULTIPLY
// RUN: grep -c vector.shuffle %t.odd | FileCheck %s --check-prefix=SHUFFLE

// Forward and by x in tiles of 14 x 2 vectors; by w in tiles of 12 x 2, and 11 x 2 for the rest.
// MULTIPLY: {{^}}102{{$}}
// One network of shuffles in the copy of w.
// SHUFFLE: {{^}}64{{$}}

// CHECK-LABEL: func.func private @step.dense.
// CHECK-COUNT-28: vector.fma
// CHECK-NOT: vector.fma
// CHECK-LABEL: func.func private @step.dense_grad.
train.variable @w : tensor<767x255xf32> = #train.zeros
func.func @step(%x: tensor<97x767xf32>, %t: tensor<97x255xf32>) -> (tensor<f32>, tensor<97x767xf32>) {
  %w = train.read @w : tensor<767x255xf32>
  %y = nn.dense %x, %w : (tensor<97x767xf32>, tensor<767x255xf32>) -> tensor<97x255xf32>
  %d = arith.subf %y, %t : tensor<97x255xf32>
  %l = nn.l2_loss %d : tensor<97x255xf32> -> tensor<f32>
  %dx = train.gradient %l wrt %x : (tensor<f32>, tensor<97x767xf32>) -> tensor<97x767xf32>
  train.minimize %l : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9>
  return %l, %dx : tensor<f32>, tensor<97x767xf32>
}
