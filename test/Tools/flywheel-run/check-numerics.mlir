// RUN: not flywheel-run --check-numerics %s --entry step --feed x=1,0,3 2>&1 | FileCheck %s
// RUN: flywheel-run --check-numerics %s --entry step --feed x=1,2,3
// RUN: flywheel-run %s --entry step --feed x=1,0,3

// M4: the first op that has an infinity is named.
// CHECK: error: expected finite numbers, found NaN or infinity in 'math.log' at {{.*}}check-numerics.mlir:10:8 (step 1)
train.variable @w : tensor<3xf32> = #train.ones
func.func @step(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = train.read @w : tensor<3xf32>
  %y = math.log %x : tensor<3xf32>
  %z = arith.addf %y, %w : tensor<3xf32>
  train.assign @w, %z : tensor<3xf32>
  return %z : tensor<3xf32>
}
