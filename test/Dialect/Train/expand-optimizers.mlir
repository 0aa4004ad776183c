// RUN: flywheel-opt %s --train-expand-optimizers --split-input-file | FileCheck %s

// Slots and scalars follow the parameters; the default list is what the loss
// depends on: neither @frozen nor @other.
// CHECK: train.variable @w : tensor<3xf32>
// CHECK: train.variable @frozen
// CHECK: train.variable @other
// CHECK: train.variable @step
// CHECK-NEXT: train.variable @"SGD/iterations" : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
// CHECK-NEXT: train.variable @"SGD/lr" : tensor<f32> = dense<1.000000e-01> : tensor<f32> {trainable = false}
// CHECK-NEXT: train.variable @"SGD/momentum" : tensor<f32> = dense<5.000000e-01> : tensor<f32> {trainable = false}
// CHECK-NEXT: train.variable @"w/SGD" : tensor<3xf32> = #train.zeros {slot_of = @w, trainable = false}
// CHECK-NOT: train.variable
train.variable @w : tensor<3xf32>
train.variable @frozen : tensor<3xf32> {trainable = false}
train.variable @other : tensor<3xf32>
train.variable @step : tensor<i32> {trainable = false}

// CHECK-LABEL: func @sgd
// CHECK: %[[READ:.*]] = train.read @w
// CHECK: %[[LOSS:.*]] = arith.mulf
// CHECK: %[[G:.*]] = train.gradient %[[LOSS]] wrt %[[READ]]
// CHECK: %[[T:.*]] = train.read @"SGD/iterations"
// CHECK: %[[LR:.*]] = train.read @"SGD/lr"
// CHECK: %[[MOMENTUM:.*]] = train.read @"SGD/momentum"
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]]
// CHECK: %[[W:.*]] = train.read @w
// CHECK: %[[V:.*]] = train.read @"w/SGD"
// CHECK: %[[NEW:.*]]:2 = train.update %[[W]], %[[V]] along %[[G]] with %[[LR]], %[[MOMENTUM]] : {{.*}} by #train.sgd<lr = 1.000000e-01, momentum = 5.000000e-01>
// CHECK: train.assign @w, %[[NEW]]#0
// CHECK: train.assign @"w/SGD", %[[NEW]]#1
// CHECK: train.assign @"SGD/iterations", %[[NEXT]]
// CHECK: train.assign_add @step
// CHECK-NOT: train.minimize
func.func @sgd() -> tensor<3xf32> {
  %w = train.read @w : tensor<3xf32>
  %f = train.read @frozen : tensor<3xf32>
  %loss = arith.mulf %w, %f : tensor<3xf32>
  train.minimize %loss : tensor<3xf32> with #train.sgd<lr = 0.1, momentum = 0.5> global_step @step
  return %loss : tensor<3xf32>
}

// -----

// A list overrides `trainable`, keeps its order, and skips what the loss does not
// depend on. Any f64 parameter makes the scalars f64.
train.variable @a : tensor<3xf32>
train.variable @b : tensor<f64> {trainable = false}
train.variable @c : tensor<3xf32>
// CHECK: train.variable @"Momentum/lr" : tensor<f64>
// CHECK-NEXT: train.variable @"Momentum/momentum" : tensor<f64>
// CHECK-NEXT: train.variable @"b/Momentum" : tensor<f64>
// CHECK-NEXT: train.variable @"a/Momentum" : tensor<3xf32>
// CHECK-NOT: train.variable

// CHECK-LABEL: func @list
// CHECK: train.update {{.*}} : (tensor<f64>, {{.*}} by #train.momentum<lr = 1.000000e-01, nesterov = true>
// CHECK: arith.truncf %{{.*}} : tensor<f64> to tensor<f32>
// CHECK: train.update {{.*}} : (tensor<3xf32>, {{.*}} by #train.momentum<lr = 1.000000e-01, nesterov = true>
func.func @list() {
  %a = train.read @a : tensor<3xf32>
  %b = train.read @b : tensor<f64>
  %b32 = arith.truncf %b : tensor<f64> to tensor<f32>
  %bs = nn.broadcast %b32 dims [] : (tensor<f32>) -> tensor<3xf32>
  %loss = arith.mulf %a, %bs : tensor<3xf32>
  train.minimize %loss : tensor<3xf32> with #train.momentum<lr = 0.1, nesterov = true> var_list [@b, @c, @a]
  return
}

// -----

// O11: what is skipped has no slots.
train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
// CHECK: train.variable @"SGD/momentum"
// CHECK-NEXT: train.variable @"a/SGD" : tensor<3xf32>
// CHECK-NOT: train.variable

// CHECK-LABEL: func @skip
// CHECK-COUNT-1: train.update
// CHECK-NOT: train.update
func.func @skip() {
  %a = train.read @a : tensor<3xf32>
  train.minimize %a : tensor<3xf32> with #train.sgd var_list [@b, @a] unconnected skip
  return
}

// -----

// Two optimizers of one kind are told apart, and so are their slots.
train.variable @v : tensor<3xf32>
// CHECK: train.variable @"Adam/iterations"
// CHECK: train.variable @"v/Adam" :
// CHECK: train.variable @"v/Adam_1" :
// CHECK: train.variable @"Adam_1/iterations"
// CHECK: train.variable @"Adam_1/decay"
// CHECK: train.variable @"v/Adam_2" :
// CHECK: train.variable @"v/Adam_3" :
// CHECK: train.variable @"v/Adam_4" :

// CHECK-LABEL: func @first
// CHECK: train.update {{.*}} by #train.adam{{$}}
func.func @first() {
  %v = train.read @v : tensor<3xf32>
  train.minimize %v : tensor<3xf32> with #train.adam
  return
}
// CHECK-LABEL: func @second
// CHECK: train.update {{.*}} by #train.adam<decay = 1.000000e-01, amsgrad = true>
func.func @second() {
  %v = train.read @v : tensor<3xf32>
  train.minimize %v : tensor<3xf32> with #train.adam<amsgrad = true, decay = 0.1>
  return
}

// -----

// The gradients of several reads are added up, also of those inside of a call.
// The callee itself stays, and its own optimizer is expanded once.
train.variable @u : tensor<3xf32>
// CHECK: train.variable @"u/SGD" :
// CHECK: train.variable @"u/SGD_1" :
// CHECK-NOT: train.variable

// CHECK-LABEL: func @caller
// CHECK-NOT: call
// CHECK: %[[R0:.*]] = train.read @u
// CHECK: %[[R1:.*]] = train.read @u
// CHECK: train.update
// CHECK: train.assign @"u/SGD"
// CHECK: %[[G:.*]]:2 = train.gradient %{{.*}} wrt
// CHECK: arith.addf %[[G]]#0, %[[G]]#1
// CHECK: train.assign @"u/SGD_1"
func.func @caller() {
  %a = train.read @u : tensor<3xf32>
  %b = func.call @callee() : () -> tensor<3xf32>
  %loss = arith.mulf %a, %b : tensor<3xf32>
  train.minimize %loss : tensor<3xf32> with #train.sgd
  return
}
// CHECK-LABEL: func @callee
// CHECK: train.assign @"u/SGD",
func.func @callee() -> tensor<3xf32> {
  %u = train.read @u : tensor<3xf32>
  train.minimize %u : tensor<3xf32> with #train.sgd
  return %u : tensor<3xf32>
}

// -----

// C1, C2, C4: the default list is the collection TRAINABLE, whatever says that a
// variable is in it.
train.variable @plain : tensor<f32>
train.variable @local : tensor<f32> {collections = ["LOCAL"]}
train.variable @local_trainable : tensor<f32> {collections = ["LOCAL"], trainable = true}
train.variable @mine : tensor<f32> {collections = ["mine"]}
train.variable @listed : tensor<f32> {collections = ["LOCAL", "TRAINABLE"]}
train.variable @frozen : tensor<f32> {collections = ["mine"], trainable = false}

// CHECK-LABEL: func @collections
// CHECK: train.gradient %{{.*}} wrt %plain, %local_trainable, %mine, %listed unconnected zeros :
func.func @collections() {
  %0 = train.read @plain : tensor<f32>
  %1 = train.read @local : tensor<f32>
  %2 = train.read @local_trainable : tensor<f32>
  %3 = train.read @mine : tensor<f32>
  %4 = train.read @listed : tensor<f32>
  %5 = train.read @frozen : tensor<f32>
  %a = arith.mulf %0, %1 : tensor<f32>
  %b = arith.mulf %a, %2 : tensor<f32>
  %c = arith.mulf %b, %3 : tensor<f32>
  %d = arith.mulf %c, %4 : tensor<f32>
  %loss = arith.mulf %d, %5 : tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd
  return
}

// -----

// V13, O12: the projection is between the update and the assignment; a slot has
// neither the constraint nor the collections of its parameter, but its device.
// CHECK: train.variable @"w/SGD" : tensor<2x2xf32> = #train.zeros {device = "/gpu:1", slot_of = @w, trainable = false}
train.variable @w : tensor<2x2xf32> {collections = ["mine"], constraint = #train.max_norm<max = 3.0>, device = "/gpu:1"}

// CHECK-LABEL: func @constraint
// CHECK: %[[NEW:.*]]:2 = train.update
// CHECK: %[[PROJECTED:.*]] = train.project %[[NEW]]#0 : tensor<2x2xf32> by #train.max_norm<max = 3.000000e+00>
// CHECK: train.assign @w, %[[PROJECTED]]
// CHECK: train.assign @"w/SGD", %[[NEW]]#1
func.func @constraint() {
  %w = train.read @w : tensor<2x2xf32>
  train.minimize %w : tensor<2x2xf32> with #train.sgd
  return
}

// CHECK-LABEL: func @assign
// CHECK-NOT: train.project
func.func @assign(%x: tensor<2x2xf32>) {
  train.assign @w, %x : tensor<2x2xf32>
  return
}

// -----

// O20, N2: two optimizers of one kind on one variable have slots and scalars of
// their own.
// CHECK: train.variable @"Adam/iterations"
// CHECK: train.variable @"w/Adam" : tensor<f32> = #train.zeros {slot_of = @w, trainable = false}
// CHECK-NEXT: train.variable @"w/Adam_1" : tensor<f32> = #train.zeros {slot_of = @w, trainable = false}
// CHECK: train.variable @"Adam_1/iterations"
// CHECK: train.variable @"w/Adam_2" : tensor<f32> = #train.zeros {slot_of = @w, trainable = false}
// CHECK-NEXT: train.variable @"w/Adam_3" : tensor<f32> = #train.zeros {slot_of = @w, trainable = false}
train.variable @w : tensor<f32>
func.func @one() {
  %w = train.read @w : tensor<f32>
  train.minimize %w : tensor<f32> with #train.adam
  return
}
func.func @two() {
  %w = train.read @w : tensor<f32>
  train.minimize %w : tensor<f32> with #train.adam
  return
}

// -----

// A variable that the body of a loop reads is read before it, once.
train.variable @w : tensor<3xf32>
// CHECK-LABEL: func @read_in_loop
func.func @read_in_loop(%x: tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[W:.*]] = train.read @w : tensor<3xf32>
  // CHECK-NEXT: scf.for
  // CHECK-NOT: train.read
  // CHECK: arith.mulf %{{.*}}, %[[W]]
  // CHECK: arith.addf %{{.*}}, %[[W]]
  // CHECK: train.gradient %{{.*}} wrt %[[W]]
  %h = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %x) -> tensor<3xf32> {
    %w = train.read @w : tensor<3xf32>
    %p = arith.mulf %h, %w : tensor<3xf32>
    %v = train.read @w : tensor<3xf32>
    %q = arith.addf %p, %v : tensor<3xf32>
    scf.yield %q : tensor<3xf32>
  }
  train.minimize %h : tensor<3xf32> with #train.sgd
  return
}

// -----

// Given gradients, in the order of the list; nothing is differentiated.
train.variable @w : tensor<3xf32>
train.variable @v : tensor<f32>
train.variable @n : tensor<i32> = dense<0> : tensor<i32> {trainable = false}
// CHECK: train.variable @"v/Adam"
// CHECK: train.variable @"w/Adam"
// CHECK-LABEL: func @apply
// CHECK-SAME: (%[[DV:.*]]: tensor<f32>, %[[DW:.*]]: tensor<3xf32>)
// CHECK-NOT: train.gradient
// CHECK: train.update %{{.*}}, %{{.*}}, %{{.*}} along %[[DV]]
// CHECK: train.assign @v
// CHECK: train.update %{{.*}}, %{{.*}}, %{{.*}} along %[[DW]]
// CHECK: train.assign @w
// CHECK: train.assign_add @n
func.func @apply(%dv: tensor<f32>, %dw: tensor<3xf32>) {
  train.apply_gradients %dv, %dw : tensor<f32>, tensor<3xf32> to [@v, @w] with #train.adam global_step @n
  return
}

// -----

// A branch on a flag that a call gives as a constant is the branch that is taken
// (C1): variables of the other one are not parameters.
train.variable @w : tensor<3xf32>
train.variable @other : tensor<3xf32>
train.variable @count : tensor<3xf32> {trainable = false}

func.func private @layer(%x: tensor<3xf32>, %training: tensor<i1>) -> tensor<3xf32> {
  %yes = arith.constant dense<true> : tensor<i1>
  %both = arith.andi %training, %yes : tensor<i1>
  %flag = tensor.extract %both[] : tensor<i1>
  %y = scf.if %flag -> tensor<3xf32> {
    %w = train.read @w : tensor<3xf32>
    train.assign_add @count, %x : tensor<3xf32>
    %c = train.read @count : tensor<3xf32>
    %z = arith.mulf %x, %w : tensor<3xf32>
    scf.yield %z : tensor<3xf32>
  } else {
    %o = train.read @other : tensor<3xf32>
    scf.yield %o : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func @flag
// CHECK-NOT: scf.if
// CHECK: %[[W:.*]] = train.read @w
// CHECK: train.assign_add @count
// CHECK: %[[LOSS:.*]] = arith.mulf
// CHECK-NOT: scf.for
// CHECK: train.gradient %{{.*}} wrt %[[W]] unconnected zeros :
func.func @flag(%x: tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.constant dense<true> : tensor<i1>
  %y = func.call @layer(%x, %yes) : (tensor<3xf32>, tensor<i1>) -> tensor<3xf32>
  %z = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %y) -> tensor<3xf32> {
    %b = arith.mulf %a, %a : tensor<3xf32>
    scf.yield %b : tensor<3xf32>
  }
  %u = scf.for %i = %c0 to %c0 step %c1 iter_args(%a = %z) -> tensor<3xf32> {
    %o = train.read @other : tensor<3xf32>
    %b = arith.mulf %a, %o : tensor<3xf32>
    scf.yield %b : tensor<3xf32>
  }
  train.minimize %u : tensor<3xf32> with #train.sgd<lr = 0.1>
  return
}

// -----

// A scalar that the module declares is the optimizer's: with its own initial
// value, or with that of the optimizer. It need not be declared to be used.
// CHECK: train.variable @"SGD/lr" : tensor<f32> = dense<5.000000e-01> : tensor<f32> {collections = ["GLOBAL", "rates"]}
// CHECK: train.variable @"SGD/momentum" : tensor<f32> = dense<2.500000e-01> : tensor<f32> {trainable = false}
// CHECK: train.variable @"SGD/iterations" : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
// CHECK-NOT: SGD_1
// CHECK-LABEL: func @declared
// CHECK: %[[COUNT:.*]] = train.read @"SGD/iterations" : tensor<i64>
// CHECK: train.assign @"SGD/lr"
// CHECK: train.read @"SGD/iterations"
// CHECK: train.read @"SGD/lr"
// CHECK: train.is_initialized @"SGD/iterations"
train.variable @v : tensor<3xf32>
train.variable @"SGD/lr" : tensor<f32> = dense<0.5> : tensor<f32> {collections = ["GLOBAL", "rates"]}
train.variable @"SGD/momentum" : tensor<f32>
func.func @declared() -> (tensor<i64>, tensor<i1>) {
  %v = train.read @v : tensor<3xf32>
  %count = train.read @"SGD/iterations" : tensor<i64>
  %lr = arith.constant dense<0.25> : tensor<f32>
  train.assign @"SGD/lr", %lr : tensor<f32>
  train.minimize %v : tensor<3xf32> with #train.sgd<lr = 0.1, momentum = 0.25>
  %is = train.is_initialized @"SGD/iterations" : tensor<i1>
  return %count, %is : tensor<i64>, tensor<i1>
}

// -----

// N15: the slots of an optimizer whose name ends in a number are in a folder of
// its own: `w/Adam_1` is the second slot of Adam, in this module or another.
train.variable @w : tensor<3xf32>
// CHECK: train.variable @"w/Adam_1/slot" : {{.*}} {slot_of = @w, trainable = false}
// CHECK: train.variable @"w/Adam_1/slot_1" : {{.*}} {slot_of = @w, trainable = false}
// CHECK-NOT: train.variable @"w/Adam
// CHECK-LABEL: func @second_of_two
func.func @second_of_two() {
  %w = train.read @w : tensor<3xf32>
  train.minimize %w : tensor<3xf32> with #train.adam<name = "Adam_1">
  return
}

// -----

// Optimizers of one name are one: hyper-parameters, counter, and the slots of
// the variable that both update. Those are f64 where one may update f64.
train.variable @a : tensor<3xf32>
train.variable @b : tensor<2xf64>
// CHECK: train.variable @"opt/iterations" : tensor<i64>
// CHECK: train.variable @"opt/lr" : tensor<f64> = dense<1.000000e-03> : tensor<f64>
// CHECK: train.variable @"opt/beta_1" : tensor<f64>
// CHECK: train.variable @"opt/beta_2" : tensor<f64>
// CHECK: train.variable @"a/opt" : {{.*}} {slot_of = @a, trainable = false}
// CHECK: train.variable @"a/opt_1" :
// CHECK: train.variable @"b/opt" :
// CHECK: train.variable @"b/opt_1" :
// CHECK: train.variable @"Adam/iterations"
// CHECK: train.variable @"b/Adam" :
// CHECK-NOT: train.variable @"{{(opt|a/opt)}}_
// CHECK-LABEL: func @first
// CHECK: train.read @"a/opt"
// CHECK-LABEL: func @second
// CHECK: train.read @"opt/lr"
// CHECK: train.read @"a/opt"
// CHECK: train.read @"b/opt"
// CHECK: train.assign @"opt/iterations"
func.func @first() {
  %a = train.read @a : tensor<3xf32>
  train.minimize %a : tensor<3xf32> with #train.adam<name = "opt"> var_list [@a]
  return
}
func.func @second() {
  %a = train.read @a : tensor<3xf32>
  %b = train.read @b : tensor<2xf64>
  train.apply_gradients %a, %b : tensor<3xf32>, tensor<2xf64> to [@a, @b] with #train.adam<name = "opt">
  train.apply_gradients %b : tensor<2xf64> to [@b] with #train.adam
  return
}

// -----

// A name that is that of a kind is taken.
train.variable @a : tensor<3xf32>
// CHECK-DAG: train.variable @"SGD/lr" : tensor<f32> = dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: train.variable @"SGD_1/lr" : tensor<f32> = dense<2.500000e-01> : tensor<f32>
// CHECK-DAG: train.variable @"a/SGD_1/slot"
// CHECK-DAG: train.variable @"a/SGD"
func.func @taken() {
  %a = train.read @a : tensor<3xf32>
  train.minimize %a : tensor<3xf32> with #train.sgd<lr = 0.25>
  train.minimize %a : tensor<3xf32> with #train.momentum<lr = 0.5, name = "SGD">
  return
}

// -----

// A loss that is one result of a branch or a loop depends on what that result
// does, not on what only the others do.
train.variable @a : tensor<f32>
train.variable @b : tensor<f32>
train.variable @c : tensor<f32>
train.variable @d : tensor<f32>
// CHECK: train.variable @"a/Momentum"
// CHECK-NEXT: train.variable @"c/Momentum"
// CHECK-NOT: train.variable

// CHECK-LABEL: func @results
func.func @results(%p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = train.read @a : tensor<f32>
  %b = train.read @b : tensor<f32>
  %c = train.read @c : tensor<f32>
  %d = train.read @d : tensor<f32>
  %0:2 = scf.if %p -> (tensor<f32>, tensor<f32>) {
    %e = arith.mulf %a, %a : tensor<f32>
    scf.yield %e, %b : tensor<f32>, tensor<f32>
  } else {
    scf.yield %a, %b : tensor<f32>, tensor<f32>
  }
  %1:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %0#0, %y = %0#1) -> (tensor<f32>, tensor<f32>) {
    %e = arith.mulf %x, %c : tensor<f32>
    %f = arith.mulf %y, %d : tensor<f32>
    scf.yield %e, %f : tensor<f32>, tensor<f32>
  }
  train.minimize %1#0 : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9>
  return
}

// -----

// A slot of another type than its parameter is a variable on the same device; a
// parameter that is not a matrix has one of its own type.
// CHECK: train.variable @"w/Adafactor" : tensor<4xf32> = #train.zeros {device = "/gpu:1", trainable = false}
// CHECK: train.variable @"w/Adafactor_1" : tensor<5xf32> = #train.zeros {device = "/gpu:1", trainable = false}
// CHECK: train.variable @"b/Adafactor" : tensor<5xf32> = #train.zeros {slot_of = @b, trainable = false}
train.variable @w : tensor<4x5xf32> {device = "/gpu:1"}
train.variable @b : tensor<5xf32>
func.func @adafactor(%dw: tensor<4x5xf32>, %db: tensor<5xf32>) {
  train.apply_gradients %dw, %db : tensor<4x5xf32>, tensor<5xf32> to [@w, @b] with #train.adafactor
  return
}

// -----

// A parameter that is not a matrix is updated by AdamW.
// CHECK-LABEL: func @muon
// CHECK: nn.matmul
// CHECK: train.assign @w
// CHECK: train.update {{.*}} by #train.adamw<lr = 3.000000e-04, beta_2 = 9.500000e-01, epsilon = 1.000000e-10, weight_decay = 0.000000e+00>
train.variable @w : tensor<4x5xf32>
train.variable @b : tensor<5xf32>
func.func @muon(%dw: tensor<4x5xf32>, %db: tensor<5xf32>) {
  train.apply_gradients %dw, %db : tensor<4x5xf32>, tensor<5xf32> to [@w, @b] with #train.muon
  return
}

// -----

// O10, V13: first the norm of all gradients, then the value; the decay is in the
// update, before the projection; the rate is assigned before it is read.
// CHECK-LABEL: func @around
// CHECK-SAME: (%[[DW:.*]]: tensor<4xf32>, %[[DB:.*]]: tensor<f32>)
// CHECK: %[[T:.*]] = train.read @"GradientDescent/iterations"
// CHECK: train.assign @"GradientDescent/lr"
// CHECK: train.assign @"GradientDescent/iterations"
// CHECK: %[[LR:.*]] = train.read @"GradientDescent/lr"
// CHECK: nn.reduce sum
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: arith.maximumf
// CHECK: arith.divf
// CHECK: arith.maximumf
// CHECK: %[[CLIPPED:.*]] = arith.minimumf {{.*}} : tensor<4xf32>
// CHECK: %[[DECAY:.*]] = arith.mulf %[[LR]],
// CHECK: %[[NEW:.*]] = train.update %{{.*}} along %[[CLIPPED]] with %[[LR]] decay %[[DECAY]] :
// CHECK: train.project %[[NEW]]
// CHECK: train.update %{{.*}} along %{{.*}} with %[[LR]] :
train.variable @w : tensor<4xf32> {constraint = #train.non_neg}
train.variable @b : tensor<f32>
func.func @around(%dw: tensor<4xf32>, %db: tensor<f32>) {
  train.apply_gradients %dw, %db : tensor<4xf32>, tensor<f32> to [@w, @b] with #train.gradient_descent<lr = 0.1>
      lr #train.constant_rate<rate = 0.2> weight_decay 0.5 no_decay [@b] clip_global_norm 1.0 clip_value 0.5
  return
}

// -----

// O30: `sparse lazy` is on the update.
train.variable @w : tensor<3xf32>

// CHECK-LABEL: func @lazy
// CHECK: train.update {{.*}} by #train.sgd<{{.*}}> {train.lazy}
// CHECK: train.update {{.*}} by #train.sgd<{{.*}}>{{$}}
func.func @lazy() {
  %w = train.read @w : tensor<3xf32>
  %loss = arith.mulf %w, %w : tensor<3xf32>
  train.minimize %loss : tensor<3xf32> with #train.sgd<lr = 0.1> sparse lazy
  train.apply_gradients %w : tensor<3xf32> to [@w] with #train.sgd<lr = 0.1>
  return
}

// -----

// O29: the optimizer's own counter, as the global step, is assigned once.
train.variable @w : tensor<3xf32>
train.variable @"o/iterations" : tensor<i64> = dense<0> : tensor<i64> {trainable = false}

// CHECK-LABEL: func @own_counter
// CHECK: train.assign @"o/iterations"
// CHECK-NOT: @"o/iterations"
// CHECK: return
func.func @own_counter(%g: tensor<3xf32>) {
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd<name = "o"> global_step @"o/iterations"
  return
}

// -----

// Counts that no f64 holds, and a mask with a variable of another loss.
train.variable @v : tensor<3xf32>
train.variable @w : tensor<3xf32>

// CHECK-LABEL: func @counts
// CHECK: arith.constant dense<9223372036854775807> : tensor<i64>
func.func @counts() {
  %w = train.read @w : tensor<3xf32>
  train.minimize %w : tensor<3xf32> with #train.sgd l2 0.5 no_decay [@v] accumulate 9223372036854775807
  return
}

// -----

// O1: the gradient of the scaled loss; branches of whether it is finite, and of
// whether it is the last one; a master weight and its rounded value in one update.
// The scale starts at a number of f16, and gradients are divided by that number.
// CHECK-DAG: train.variable @"Adam/loss_scale" : tensor<f32> = dense<3.276800e+04> : tensor<f32> {trainable = false}
// CHECK-DAG: train.variable @"Adam/good_steps" : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
// CHECK-DAG: train.variable @"Adam/micro_step" : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
// CHECK-DAG: train.variable @"w/Adam/gradient_sum" : tensor<3xf32> = #train.zeros {trainable = false}
// CHECK-DAG: train.variable @"w/Adam/master" : tensor<3xf32> = #train.zeros {trainable = false}
// CHECK-DAG: train.variable @"w/Adam_1" : tensor<3xf32> = #train.zeros {slot_of = @"w/Adam/master", trainable = false}
train.variable @w : tensor<3xf16>
train.variable @step : tensor<i64> = dense<0> : tensor<i64> {trainable = false}

// CHECK-LABEL: func @narrow
// CHECK: %[[SCALE:.*]] = train.read @"Adam/loss_scale"
// CHECK: %[[NARROW:.*]] = arith.truncf %[[SCALE]] : tensor<f32> to tensor<f16>
// CHECK: %[[SEED:.*]] = nn.broadcast %[[NARROW]] dims [] : (tensor<f16>) -> tensor<3xf16>
// CHECK: %[[G:.*]] = train.gradient %{{.*}} wrt %{{.*}} grad_ys %[[SEED]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[G]]
// CHECK: arith.subf %[[WIDE]], %[[WIDE]]
// CHECK: nn.reduce sum
// CHECK: %[[FINITE:.*]] = arith.cmpf oeq
// CHECK: %[[MAKE:.*]] = tensor.extract %[[FINITE]][]
// CHECK: scf.if %[[MAKE]] {
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %{{.*}} : tensor<f32> to tensor<f16>
// CHECK:   %[[DIVISOR:.*]] = arith.extf %[[ROUNDED]] : tensor<f16> to tensor<f32>
// CHECK:   %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[DIVISOR]] : tensor<f32>
// CHECK:   train.assign @"Adam/loss_scale"
// CHECK:   train.assign @"Adam/good_steps"
// CHECK:   scf.if {{.*}} {
// CHECK:     nn.broadcast %[[INVERSE]]
// CHECK:     %[[SUM:.*]] = train.read @"w/Adam/gradient_sum"
// CHECK:     arith.addf %[[SUM]]
// CHECK:     %[[MEAN:.*]] = arith.mulf
// CHECK:     %[[NEW:.*]]:4 = train.update %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} rounded along %[[MEAN]]
// CHECK:     train.assign @"w/Adam/master", %[[NEW]]#0
// CHECK:     train.assign @w, %[[NEW]]#3 : tensor<3xf16>
// CHECK:     train.assign_add @step
// CHECK:     train.assign @"w/Adam/gradient_sum"
// CHECK:   } else {
// CHECK:     train.assign_add @"w/Adam/gradient_sum"
// CHECK:     train.assign @"Adam/micro_step"
// CHECK:   }
// CHECK: } else {
// CHECK:   train.assign @"Adam/loss_scale"
// CHECK:   train.assign @"Adam/good_steps"
// CHECK: }
func.func @narrow() {
  %w = train.read @w : tensor<3xf16>
  %loss = arith.mulf %w, %w : tensor<3xf16>
  train.minimize %loss : tensor<3xf16> with #train.adam global_step @step
      loss_scale #train.loss_scale accumulate 2 master_weights
  return
}

// -----

// A variable of a wide type has no master; a scale that stays has no counter.
// CHECK-NOT: master
// CHECK-NOT: good_steps
train.variable @w : tensor<3xf32>
// CHECK-LABEL: func @wide
func.func @wide(%g: tensor<3xf32>) {
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd
      loss_scale #train.loss_scale<growth = 1.0, backoff = 1.0> master_weights
  return
}

// -----

// The least that there is: a variable, a rate, a gradient, an update.
// CHECK: train.variable @"GradientDescent/lr" : tensor<f32> = dense<1.000000e-01>
// CHECK-LABEL: func @descend
// CHECK: %[[G:.*]] = train.gradient %{{.*}} wrt
// CHECK: %[[LR:.*]] = train.read @"GradientDescent/lr"
// CHECK: %[[W:.*]] = train.read @w
// CHECK: %[[NEW:.*]] = train.update %[[W]] along %[[G]] with %[[LR]]
// CHECK: train.assign @w, %[[NEW]]
// EXAMPLE: --train-expand-optimizers
train.variable @w : tensor<3xf32>
func.func @descend(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = train.read @w : tensor<3xf32>
  %loss = arith.mulf %w, %x : tensor<3xf32>
  train.minimize %loss : tensor<3xf32> with #train.gradient_descent<lr = 0.1>
  return %loss : tensor<3xf32>
}
