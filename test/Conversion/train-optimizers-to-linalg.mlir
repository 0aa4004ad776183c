// RUN: flywheel-opt %s --convert-train-updates-to-linalg | FileCheck %s

// O28: the update of each optimizer is one loop that reads the gradient once, and
// writes the parameter and its slots where they are.

// CHECK-LABEL: func @sgd(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg2, %arg3, %arg4 :
// CHECK-SAME: outs(%arg0, %arg1 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @sgd(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:2 = train.update %s0, %s1 along %g with %v0, %v1
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>) by #train.sgd
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @rmsprop(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg2, %arg3, %arg4 :
// CHECK-SAME: outs(%arg0, %arg1 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @rmsprop(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:2 = train.update %s0, %s1 along %g with %v0, %v1
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>) by #train.rmsprop
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @adagrad(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg2, %arg3 :
// CHECK-SAME: outs(%arg0, %arg1 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @adagrad(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:2 = train.update %s0, %s1 along %g with %v0
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>) by #train.adagrad
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @adadelta(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @adadelta(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.adadelta
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @adam(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg4, %arg5, %arg6, %arg7 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2, %arg3 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @adam(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %s3: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:4 = train.update %s0, %s1, %s2, %s3 along %g with %v0, %v1, %v2
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.adam<amsgrad = true>
  return %0#0, %0#1, %0#2, %0#3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @adamax(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4, %arg5, %arg6 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @adamax(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0, %v1, %v2
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.adamax
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @nadam(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @nadam(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>, %v3: tensor<f32>, %v4: tensor<f32>, %v5: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0, %v1, %v2, %v3, %v4, %v5
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.nadam
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @gradient_descent(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg1, %arg2 :
// CHECK-SAME: outs(%arg0 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
// EXAMPLE: --convert-train-updates-to-linalg
func.func @gradient_descent(%s0: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>)
    -> (tensor<8x4xf32>) {
  %0 = train.update %s0 along %g with %v0
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>)
      -> (tensor<8x4xf32>) by #train.gradient_descent<lr = 0.1>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @momentum(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg2, %arg3, %arg4 :
// CHECK-SAME: outs(%arg0, %arg1 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @momentum(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:2 = train.update %s0, %s1 along %g with %v0, %v1
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>) by #train.momentum<lr = 0.1>
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @tf_adam(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4, %arg5, %arg6 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @tf_adam(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0, %v1, %v2
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.tf_adam
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @tf_adagrad(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg2, %arg3 :
// CHECK-SAME: outs(%arg0, %arg1 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @tf_adagrad(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:2 = train.update %s0, %s1 along %g with %v0
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>) by #train.tf_adagrad<lr = 0.1>
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @tf_rmsprop(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg4, %arg5, %arg6, %arg7 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2, %arg3 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @tf_rmsprop(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %s3: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:4 = train.update %s0, %s1, %s2, %s3 along %g with %v0, %v1, %v2
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.tf_rmsprop<lr = 0.1, centered = true>
  return %0#0, %0#1, %0#2, %0#3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @tf_adadelta(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4, %arg5 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @tf_adadelta(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0, %v1
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.tf_adadelta
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @ftrl(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4, %arg5, %arg6, %arg7 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @ftrl(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>, %v3: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0, %v1, %v2, %v3
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.ftrl<lr = 0.1>
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @adamw(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4, %arg5, %arg6, %arg7, %arg8 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @adamw(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>, %v3: tensor<f32>, %v4: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0, %v1, %v2, %v3, %v4
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.adamw
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @nadamw(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @nadamw(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>, %v3: tensor<f32>, %v4: tensor<f32>, %v5: tensor<f32>, %v6: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0, %v1, %v2, %v3, %v4, %v5, %v6
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.nadamw
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @adabelief(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg3, %arg4, %arg5, %arg6, %arg7, %arg8 :
// CHECK-SAME: outs(%arg0, %arg1, %arg2 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @adabelief(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %s2: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>, %v3: tensor<f32>, %v4: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:3 = train.update %s0, %s1, %s2 along %g with %v0, %v1, %v2, %v3, %v4
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) by #train.adabelief
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @lion(
// CHECK-NEXT: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%arg2, %arg3, %arg4, %arg5, %arg6 :
// CHECK-SAME: outs(%arg0, %arg1 :
// CHECK-NOT: linalg
// CHECK: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @lion(%s0: tensor<8x4xf32>, %s1: tensor<8x4xf32>, %g: tensor<8x4xf32>, %v0: tensor<f32>, %v1: tensor<f32>, %v2: tensor<f32>, %v3: tensor<f32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:2 = train.update %s0, %s1 along %g with %v0, %v1, %v2, %v3
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>) by #train.lion
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}
