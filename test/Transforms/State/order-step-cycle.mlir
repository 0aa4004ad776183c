// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize 2>&1 | FileCheck %s
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg=lowering=reference --flywheel-fuse=lowering=reference --flywheel-bufferize=lowering=reference 2>&1 | FileCheck %s

// S3: a check that depends on a loop that writes, and variables that need each
// other's old values: there is an order, with copies.
// CHECK-NOT: error
// CHECK-LABEL: func.func @f.kernel(
// CHECK: scf.for
// CHECK: return
train.variable @b : tensor<3xf64> = #train.random_uniform<minval = -1.0, maxval = 1.0>
train.variable @c : tensor<3xf64> = #train.random_uniform<minval = -1.0, maxval = 1.0>
train.variable @m : tensor<4x3xf64> = #train.random_uniform<minval = -1.0, maxval = 1.0>

func.func @f(%y: tensor<4x3xf64>, %p0: tensor<i1>, %nt: tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.extract %nt[] : tensor<i64>
  %N = arith.index_cast %n : i64 to index
  %v1 = train.read @b : tensor<3xf64>
  train.minimize %v1 : tensor<3xf64> with #train.sgd<lr = 0.3> var_list [@b]
  %v9 = train.read @b : tensor<3xf64>
  %v16 = train.read @m : tensor<4x3xf64>
  %v25 = train.read @b : tensor<3xf64>
  train.minimize %v25 : tensor<3xf64> with #train.sgd<lr = 0.3> var_list [@b]
  %v49 = train.read @c : tensor<3xf64>
  %v50 = train.read @b : tensor<3xf64>
  train.assign @c, %v50 : tensor<3xf64>
  train.assign @b, %v49 : tensor<3xf64>
  %v51 = scf.for %v53 = %c0 to %N step %c1 iter_args(%v52 = %v49) -> (tensor<3xf64>) {
  %v56 = arith.constant dense<[2, 3, 3, 2]> : tensor<4xi32>
  %v57 = nn.scatter %v16, %v56, %y axis 0 : (tensor<4x3xf64>, tensor<4xi32>, tensor<4x3xf64>) -> tensor<4x3xf64>
  %v58 = arith.constant dense<[1, 0, 1, 2]> : tensor<4xi32>
  %v59 = nn.scatter_add %v16, %v58, %v57 axis 0 : (tensor<4x3xf64>, tensor<4xi32>, tensor<4x3xf64>) -> tensor<4x3xf64>
  train.assign @m, %v59 : tensor<4x3xf64>
  %v60 = tensor.extract %p0[] : tensor<i1>
  %v61 = scf.if %v60 -> tensor<3xf64> {
  scf.yield %v25 : tensor<3xf64>
  } else {
  %v68 = train.read @c : tensor<3xf64>
  train.assign @b, %v68 : tensor<3xf64>
  scf.yield %v9 : tensor<3xf64>
  }
  scf.yield %v61 : tensor<3xf64>
  }
  return
}
