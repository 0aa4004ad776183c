// Every op and attribute, both syntaxes, and a fixpoint of print and parse.
// T1:
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s > %t.1 && flywheel-opt %t.1 > %t.2 && diff %t.1 %t.2
// RUN: flywheel-opt %s -mlir-print-debuginfo > %t.3 && flywheel-opt %t.3 -mlir-print-debuginfo > %t.4 && diff %t.3 %t.4

// V3, V9: every element type, with its default initial value.
// CHECK: train.variable @f16 : tensor<2xf16>{{$}}
train.variable @f16 : tensor<2xf16>
// CHECK: train.variable @bf16 : tensor<2xbf16>{{$}}
train.variable @bf16 : tensor<2xbf16>
// CHECK: train.variable @f32 : tensor<2xf32>{{$}}
train.variable @f32 : tensor<2xf32>
// CHECK: train.variable @f64 : tensor<2xf64>{{$}}
train.variable @f64 : tensor<2xf64>
// CHECK: train.variable @i1 : tensor<2x2xi1>{{$}}
train.variable @i1 : tensor<2x2xi1>
// CHECK: train.variable @i8 : tensor<2xi8>{{$}}
train.variable @i8 : tensor<2xi8>
// CHECK: train.variable @i16 : tensor<2xi16>{{$}}
train.variable @i16 : tensor<2xi16>
// CHECK: train.variable @i32 : tensor<2xi32>{{$}}
train.variable @i32 : tensor<2xi32>
// CHECK: train.variable @i64 : tensor<i64>{{$}}
train.variable @i64 : tensor<i64>
// CHECK: train.variable @ui8 : tensor<2xui8>{{$}}
train.variable @ui8 : tensor<2xui8>
// CHECK: train.variable @ui16 : tensor<2xui16> = dense<65535> : tensor<2xui16>
train.variable @ui16 : tensor<2xui16> = dense<65535> : tensor<2xui16>
// CHECK: train.variable @ui32 : tensor<2xui32> = #train.constant<dense<4294967295> : tensor<1xui32>>
train.variable @ui32 : tensor<2xui32> = #train.constant<dense<4294967295> : tensor<1xui32>>
// CHECK: train.variable @ui64 : tensor<ui64> = #train.random_uniform<maxval = 1.8446744073709552e+19>
train.variable @ui64 : tensor<ui64> = #train.random_uniform<maxval = 18446744073709551616.0>
// V4: CHECK: train.variable @text : tensor<2x!train.string> = #train.strings<["Fruit", "or\00\FFange"]>
train.variable @text : tensor<2x!train.string> = #train.strings<["Fruit", "or\00\ffange"]>
// CHECK: train.variable @no_text : tensor<!train.string>{{$}}
train.variable @no_text : tensor<!train.string>
// CHECK: train.variable @empty_text : tensor<0x!train.string> = #train.strings<[]>
train.variable @empty_text : tensor<0x!train.string> = #train.strings<[]>
// CHECK-LABEL: func.func @strings(
// CHECK-SAME: %[[X:.*]]: tensor<?x!train.string>) -> tensor<?xi1>
// CHECK: %[[KIWI:.*]] = train.string_constant ["Kiwi", ""] : tensor<2x!train.string>
// CHECK: train.assign @text, %[[KIWI]] : tensor<2x!train.string>
// CHECK: train.string_equal %[[X]], %[[X]] : tensor<?x!train.string>
func.func @strings(%x: tensor<?x!train.string>) -> tensor<?xi1> {
  %kiwi = train.string_constant ["Kiwi", ""] : tensor<2x!train.string>
  train.assign @text, %kiwi : tensor<2x!train.string>
  %0 = train.string_equal %x, %x : tensor<?x!train.string>
  return %0 : tensor<?xi1>
}
// CHECK: train.variable @stored : tensor<2xi8> {element_type = ui8}
train.variable @stored : tensor<2xi8> {element_type = ui8}
// V7: zero-sized dimension sizes.
// CHECK: train.variable @none : tensor<3x0xf32>{{$}}
train.variable @none : tensor<3x0xf32>

// I1: CHECK: train.variable @zeros : tensor<3xf32> = #train.zeros
train.variable @zeros : tensor<3xf32> = #train.zeros
// CHECK: train.variable @ones : tensor<3xi1> = #train.ones
train.variable @ones : tensor<3xi1> = #train.ones
// I2: CHECK: train.variable @constant : tensor<3x2xf32> = #train.constant<dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>>
train.variable @constant : tensor<3x2xf32> = #train.constant<dense<[1.0, 2.0]> : tensor<2xf32>>
// V8: CHECK: train.variable @dense : tensor<2x2xi32> = dense<{{\[\[}}2, 3], [4, 5]]> : tensor<2x2xi32>
train.variable @dense : tensor<2x2xi32> = dense<[[2, 3], [4, 5]]> : tensor<2x2xi32>
// I3: CHECK: train.variable @uniform : tensor<4x5xf32> = #train.random_uniform<minval = -1.000000e+00, maxval = 1.000000e+00>
train.variable @uniform : tensor<4x5xf32> = #train.random_uniform<minval = -1, maxval = 1.0>
// CHECK: train.variable @uniform_default : tensor<4x5xf32> = #train.random_uniform{{$}}
train.variable @uniform_default : tensor<4x5xf32> = #train.random_uniform
// Numbers are printed to the last bit.
// CHECK: train.variable @uniform_i64 : tensor<4xi64> = #train.random_uniform<minval = -9.0071992547409920e+15, maxval = 9.0071992547409920e+15, seed = -7>
train.variable @uniform_i64 : tensor<4xi64> = #train.random_uniform<minval = -9007199254740992, maxval = 9007199254740992.0, seed = -7>
// I4: CHECK: train.variable @normal : tensor<3xf64> = #train.random_normal<mean = 1.000000e-01, stddev = {{3.0000000000000004e-01}}, seed = 3>
train.variable @normal : tensor<3xf64> = #train.random_normal<mean = 0.1, stddev = 0.30000000000000004, seed = 3>
// I5: CHECK: train.variable @truncated : tensor<784x256xf32> = #train.truncated_normal<stddev = 5.050763e-02>
train.variable @truncated : tensor<784x256xf32> = #train.truncated_normal<stddev = 0.05050763>
// I6: CHECK: train.variable @glorot : tensor<5x5x32x16xf32> = #train.glorot_uniform<seed = 42>
train.variable @glorot : tensor<5x5x32x16xf32> = #train.glorot_uniform<seed = 42>
// CHECK: train.variable @he : tensor<5xbf16> = #train.he_normal{{$}}
train.variable @he : tensor<5xbf16> = #train.he_normal

// V1, V14: CHECK: train.variable @step : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
train.variable @step : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
// CHECK: train.variable @"layer/w" : tensor<2x3xf32>{{$}}
train.variable @"layer/w" : tensor<2x3xf32>
// O20: CHECK: train.variable @"layer/w/Momentum" : tensor<2x3xf32> = #train.zeros {slot_of = @"layer/w", trainable = false}
train.variable @"layer/w/Momentum" : tensor<2x3xf32> = #train.zeros {slot_of = @"layer/w", trainable = false}
// N1: CHECK: train.variable @"odd!" : tensor<f32>{{$}}
train.variable @"odd!" : tensor<f32>
// The generic form. CHECK: train.variable @generic : tensor<f32> {trainable = false}
"train.variable"() <{sym_name = "generic", trainable = false, type = tensor<f32>}> ({}) : () -> ()

// CHECK-LABEL: func @state
func.func @state(%x: tensor<2xf32>) -> tensor<2xf32> {
  // V11: CHECK: %f32 = train.read @f32 : tensor<2xf32>
  %0 = train.read @f32 : tensor<2xf32>
  // A4: CHECK: train.assign @f32, %arg0 : tensor<2xf32>
  %1 = train.assign @f32, %x : tensor<2xf32>
  // CHECK: train.assign_nth [@f32][%{{.*}}], %arg0 : tensor<2xf32>
  %number = arith.constant 0 : index
  train.assign_nth [@f32][%number], %x : tensor<2xf32>
  // CHECK: train.assign_add @f32, %arg0 : tensor<2xf32>
  %2 = train.assign_add @f32, %x : tensor<2xf32>
  // CHECK: train.assign_sub @f32, %arg0 : tensor<2xf32>
  %3 = train.assign_sub @f32, %x : tensor<2xf32>
  // CHECK: train.stop_gradient %f32 : tensor<2xf32>
  %4 = train.stop_gradient %0 : tensor<2xf32>
  // CHECK: train.parameter %f32 : tensor<2xf32>
  %p = train.parameter %0 : tensor<2xf32>
  // CHECK: train.read @f32 : tensor<2xf32>
  %5 = "train.read"() <{variable = @f32}> : () -> tensor<2xf32>
  return %5 : tensor<2xf32>
}

// CHECK-LABEL: func @jacobians
func.func @jacobians(%y: tensor<?x2xf32>, %a: tensor<3xf32>, %b: tensor<f64>) {
  // CHECK: train.jacobian %arg0 wrt %arg1 : (tensor<?x2xf32>, tensor<3xf32>) -> tensor<?x2x3xf32>
  %0 = train.jacobian %y wrt %a mode auto : (tensor<?x2xf32>, tensor<3xf32>) -> tensor<?x2x3xf32>
  // CHECK: train.jacobian %arg0 wrt %arg1, %arg2 mode reverse chunk 16 unconnected zeros :
  // CHECK-SAME: (tensor<?x2xf32>, tensor<3xf32>, tensor<f64>) -> (tensor<?x2x3xf32>, tensor<?x2xf64>)
  %1:2 = train.jacobian %y wrt %a, %b mode reverse chunk 16 unconnected zeros
      : (tensor<?x2xf32>, tensor<3xf32>, tensor<f64>) -> (tensor<?x2x3xf32>, tensor<?x2xf64>)
  // CHECK: train.jacobian %arg1 wrt %arg1 mode forward :
  %2 = train.jacobian %a wrt %a mode forward : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// CHECK-LABEL: func @gradients
func.func @gradients(%y: tensor<f32>, %z: tensor<?xf32>, %a: tensor<2xf32>, %b: tensor<?x3xf64>) {
  // CHECK: train.gradient %arg0 wrt %arg2 : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %0 = train.gradient %y wrt %a : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: train.gradient %arg0, %arg1 wrt %arg2, %arg3 grad_ys %arg0, %arg1 unconnected zeros :
  %1:2 = train.gradient %y, %z wrt %a, %b grad_ys %y, %z unconnected zeros
      : (tensor<f32>, tensor<?xf32>, tensor<2xf32>, tensor<?x3xf64>, tensor<f32>, tensor<?xf32>)
      -> (tensor<2xf32>, tensor<?x3xf64>)
  return
}

// CHECK-LABEL: func @minimize
func.func @minimize(%loss: tensor<f32>) {
  // O2: CHECK: train.minimize %arg0 : tensor<f32> with #train.sgd{{$}}
  train.minimize %loss : tensor<f32> with #train.sgd
  // CHECK: with #train.sgd<lr = 1.000000e-01, momentum = 9.000000e-01, decay = 5.000000e-01, nesterov = true>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1, momentum = 0.9, decay = 0.5, nesterov = true>
  // CHECK: with #train.sgd<lr = 1.000000e-01, name = "opt">
  train.minimize %loss : tensor<f32> with #train.sgd<name = "opt", lr = 0.1>
  // CHECK: with #train.adam<name = "nets/opt">
  train.minimize %loss : tensor<f32> with #train.adam<name = "nets/opt">
  // V14: CHECK: train.read @"opt/lr" : tensor<f32>
  %rate = train.read @"opt/lr" : tensor<f32>
  // CHECK: train.assign_add @"nets/opt/lr"
  train.assign_add @"nets/opt/lr", %rate : tensor<f32>
  // T2: a negative rate is allowed. CHECK: with #train.sgd<lr = -1.000000e-01>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = -0.1>
  // O22: CHECK: with #train.momentum<lr = 1.000000e-01> var_list [@f32, @"layer/w"] global_step @step
  train.minimize %loss : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9> var_list [@f32, @"layer/w"] global_step @step
  // O11: CHECK: with #train.sgd var_list [@f32] unconnected skip global_step @step
  train.minimize %loss : tensor<f32> with #train.sgd var_list [@f32] unconnected skip global_step @step
  // O11: CHECK: with #train.sgd unconnected error{{$}}
  train.minimize %loss : tensor<f32> with #train.sgd unconnected error
  // O6: CHECK: with #train.adam{{$}}
  train.minimize %loss : tensor<f32> with #train.adam
  // G9: CHECK: train.apply_gradients %f32 : tensor<2xf32> to [@f32] with #train.sgd{{$}}
  %g = train.read @f32 : tensor<2xf32>
  train.apply_gradients %g : tensor<2xf32> to [@f32] with #train.sgd
  // G9: CHECK: train.apply_gradients %f32 : tensor<2xf32> to [@f32] with #train.adam global_step @step
  train.apply_gradients %g : tensor<2xf32> to [@f32] with #train.adam global_step @step
  // CHECK: with #train.adam<lr = 2.000000e-03, beta_1 = 8.000000e-01, beta_2 = 9.900000e-01, epsilon = 1.000000e-08, decay = 1.000000e+00, amsgrad = true>
  train.minimize %loss : tensor<f32> with #train.adam<amsgrad = true, lr = 0.002, beta_1 = 0.8, beta_2 = 0.99, epsilon = 1.0e-8, decay = 1>
  return
}

// CHECK-LABEL: func @updates
func.func @updates(%p: tensor<2xf32>, %v: tensor<2xf32>, %g: tensor<2xf32>, %s: tensor<f32>) {
  // CHECK: train.update %arg0, %arg1 along %arg2 with %arg3, %arg3 : ({{.*}}) -> (tensor<2xf32>, tensor<2xf32>) by #train.sgd{{$}}
  %0:2 = train.update %p, %v along %g with %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) by #train.sgd
  // CHECK: train.update %arg0, %arg1 along %arg2 with %arg3, %arg3 : {{.*}} by #train.momentum<lr = 1.000000e-01, nesterov = true>{{$}}
  %1:2 = train.update %p, %v along %g with %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) by #train.momentum<lr = 0.1, nesterov = true>
  // CHECK: train.update %arg0, %arg1, %arg1 along %arg2 with %arg3, %arg3, %arg3 : {{.*}} by #train.adam<epsilon = 1.000000e-08>{{$}}
  %2:3 = train.update %p, %v, %v along %g with %s, %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) by #train.adam<epsilon = 1.0e-8>
  // CHECK: train.update %arg0, %arg1, %arg1, %arg1 along %arg2 with {{.*}} by #train.adam<epsilon = 1.000000e-08, amsgrad = true>{{$}}
  %3:4 = train.update %p, %v, %v, %v along %g with %s, %s, %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) by #train.adam<epsilon = 1.0e-8, amsgrad = true>
  return
}

// X13, R10:
// CHECK-LABEL: func @dropout_and_averages
func.func @dropout_and_averages(%x: tensor<?x3xf16>, %flag: tensor<i1>, %on: i1, %v: tensor<f32>) {
  // CHECK: train.dropout %arg0 rate 5.000000e-01 : tensor<?x3xf16>
  %0 = train.dropout %x rate 0.5 : tensor<?x3xf16>
  // CHECK: train.dropout %arg0 rate 2.500000e-01 seed 7 training %arg1 : tensor<?x3xf16>, tensor<i1>
  %1 = train.dropout %x rate 0.25 seed 7 training %flag : tensor<?x3xf16>, tensor<i1>
  // CHECK: train.dropout %arg0 rate 2.500000e-01 training %arg2 : tensor<?x3xf16>, i1
  %2 = train.dropout %x rate 0.25 training %on : tensor<?x3xf16>, i1
  // CHECK: train.moving_average @average, %arg3 momentum 7.500000e-01 : tensor<f32>
  %3 = train.moving_average @average, %v momentum 0.75 : tensor<f32>
  // CHECK: train.moving_average @average, %arg3 momentum 7.500000e-01 zero_debias : tensor<f32>
  %4 = train.moving_average @average, %v momentum 0.75 zero_debias : tensor<f32>
  return
}
// CHECK: train.variable @average : tensor<f32>
train.variable @average : tensor<f32>
