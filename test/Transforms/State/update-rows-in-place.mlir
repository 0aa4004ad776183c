// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize | FileCheck %s

// O30: the step of a large table updates the rows that it looks up, in the buffers
// of the table and of its slots, which are arguments: nothing of their size is in
// the workspace, and no copy is made.
// CHECK-LABEL: func.func @step.kernel(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %[[WORKSPACE:[^:]*]]: memref<?xi8>,
// CHECK-DAG: %[[TABLE:.*]] = memref.view %[[STATE]][%c{{[0-9]+}}][] : memref<?xi8> to memref<1000000x64xf32>
// CHECK-DAG: %[[M:.*]] = memref.view %[[STATE]][%c{{[0-9]+}}][] : memref<?xi8> to memref<1000000x64xf32>
// CHECK-DAG: %[[V:.*]] = memref.view %[[STATE]][%c{{[0-9]+}}][] : memref<?xi8> to memref<1000000x64xf32>
// CHECK-NOT: memref.view %[[WORKSPACE]]{{.*}}1000000
// CHECK-NOT: memref.copy
// CHECK: linalg_ext.gather ins(%[[TABLE]],
// CHECK-NOT: memref.view %[[WORKSPACE]]{{.*}}1000000
// CHECK-NOT: memref.copy
// CHECK: linalg_ext.update_rows ins(%{{.*}} : memref<1024xi32>, memref<1024xi64>, memref<1024x64xf32>)
// CHECK-SAME: outs(%[[TABLE]], %{{.*}}, %{{.*}} : memref<1000000x64xf32>, memref<1000000x64xf32>, memref<1000000x64xf32>)
// CHECK-NOT: memref.view %[[WORKSPACE]]{{.*}}1000000
// CHECK-NOT: memref.copy
// CHECK: return
train.variable @table : tensor<1000000x64xf32> = #train.zeros
func.func @step(%ids: tensor<1024xi32>, %y: tensor<1024x64xf32>) -> tensor<f32> {
  %t = train.read @table : tensor<1000000x64xf32>
  %e = nn.gather %t, %ids axis 0 : (tensor<1000000x64xf32>, tensor<1024xi32>) -> tensor<1024x64xf32>
  %loss = nn.mean_squared_error %e, %y : (tensor<1024x64xf32>, tensor<1024x64xf32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam sparse lazy
  return %loss : tensor<f32>
}

// Without slots, without being asked.
// CHECK-LABEL: func.func @descend.kernel(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %[[WORKSPACE:[^:]*]]: memref<?xi8>,
// CHECK-NOT: memref.copy
// CHECK: linalg_ext.update_rows ins({{.*}}) outs(%{{.*}} : memref<1000000x64xf32>)
// CHECK-NOT: memref.view %[[WORKSPACE]]{{.*}}1000000
// CHECK-NOT: memref.copy
// CHECK: return
func.func @descend(%ids: tensor<?xi32>) {
  %t = train.read @table : tensor<1000000x64xf32>
  %e = nn.gather %t, %ids axis 0 : (tensor<1000000x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  %loss = arith.mulf %e, %e : tensor<?x64xf32>
  train.minimize %loss : tensor<?x64xf32> with #train.gradient_descent<lr = 0.1>
  return
}
