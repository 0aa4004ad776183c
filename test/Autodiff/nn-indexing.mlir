// RUN: flywheel-opt %s --train-autodiff --split-input-file | FileCheck %s

// X12: what each row received is added up.
// CHECK-LABEL: func @gather
// CHECK-SAME: (%[[X:.*]]: tensor<8x5xf32>, %[[I:.*]]: tensor<?xi32>, %[[G:.*]]: tensor<?x5xf32>)
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<8x5xf32>
// CHECK: nn.scatter_add %[[ZEROS]], %[[I]], %[[G]] axis 0 : (tensor<8x5xf32>, tensor<?xi32>, tensor<?x5xf32>) -> tensor<8x5xf32>
func.func @gather(%x: tensor<8x5xf32>, %i: tensor<?xi32>, %g: tensor<?x5xf32>) -> tensor<8x5xf32> {
  %y = nn.gather %x, %i axis 0 : (tensor<8x5xf32>, tensor<?xi32>) -> tensor<?x5xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<?x5xf32>, tensor<8x5xf32>, tensor<?x5xf32>) -> tensor<8x5xf32>
  return %d : tensor<8x5xf32>
}

// -----

// CHECK-LABEL: func @scatter_add
// CHECK-SAME: (%{{.*}}: tensor<8x5xf32>, %[[I:.*]]: tensor<?xi32>, %{{.*}}: tensor<?x5xf32>, %[[G:.*]]: tensor<8x5xf32>)
// CHECK: %[[U:.*]] = nn.gather %[[G]], %[[I]] axis 0 : (tensor<8x5xf32>, tensor<?xi32>) -> tensor<?x5xf32>
// CHECK: return %[[G]], %[[U]]
func.func @scatter_add(%x: tensor<8x5xf32>, %i: tensor<?xi32>, %u: tensor<?x5xf32>, %g: tensor<8x5xf32>)
    -> (tensor<8x5xf32>, tensor<?x5xf32>) {
  %y = nn.scatter_add %x, %i, %u axis 0 : (tensor<8x5xf32>, tensor<?xi32>, tensor<?x5xf32>) -> tensor<8x5xf32>
  %d:2 = train.gradient %y wrt %x, %u grad_ys %g
      : (tensor<8x5xf32>, tensor<8x5xf32>, tensor<?x5xf32>, tensor<8x5xf32>) -> (tensor<8x5xf32>, tensor<?x5xf32>)
  return %d#0, %d#1 : tensor<8x5xf32>, tensor<?x5xf32>
}

// -----

// CHECK-LABEL: func @take_along_axis
// CHECK-SAME: (%{{.*}}: tensor<?x5xf32>, %[[I:.*]]: tensor<?x2xi32>, %[[G:.*]]: tensor<?x2xf32>)
// CHECK: %[[ZEROS:.*]] = nn.broadcast
// CHECK: nn.scatter_add_along_axis %[[ZEROS]], %[[I]], %[[G]] axis 1 : (tensor<?x5xf32>, tensor<?x2xi32>, tensor<?x2xf32>) -> tensor<?x5xf32>
func.func @take_along_axis(%x: tensor<?x5xf32>, %i: tensor<?x2xi32>, %g: tensor<?x2xf32>) -> tensor<?x5xf32> {
  %y = nn.take_along_axis %x, %i axis 1 : (tensor<?x5xf32>, tensor<?x2xi32>) -> tensor<?x2xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<?x2xf32>, tensor<?x5xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
  return %d : tensor<?x5xf32>
}

// -----

// CHECK-LABEL: func @scatter_add_along_axis
// CHECK-SAME: (%{{.*}}: tensor<4x5xf32>, %[[I:.*]]: tensor<4x2xi32>, %{{.*}}: tensor<4x2xf32>, %[[G:.*]]: tensor<4x5xf32>)
// CHECK: %[[U:.*]] = nn.take_along_axis %[[G]], %[[I]] axis 1 : (tensor<4x5xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
// CHECK: return %[[G]], %[[U]]
func.func @scatter_add_along_axis(%x: tensor<4x5xf32>, %i: tensor<4x2xi32>, %u: tensor<4x2xf32>, %g: tensor<4x5xf32>)
    -> (tensor<4x5xf32>, tensor<4x2xf32>) {
  %y = nn.scatter_add_along_axis %x, %i, %u axis 1 : (tensor<4x5xf32>, tensor<4x2xi32>, tensor<4x2xf32>) -> tensor<4x5xf32>
  %d:2 = train.gradient %y wrt %x, %u grad_ys %g
      : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x2xf32>, tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x2xf32>)
  return %d#0, %d#1 : tensor<4x5xf32>, tensor<4x2xf32>
}

// -----

// Only the last slice for a place has a derivative: the one whose number is
// there when all numbers have been scattered.
// CHECK-LABEL: func @scatter
// CHECK-SAME: (%{{.*}}: tensor<8x5xf32>, %[[I:.*]]: tensor<?xi32>, %{{.*}}: tensor<?x5xf32>, %[[G:.*]]: tensor<8x5xf32>)
// CHECK: %[[DY:.*]] = nn.gather %[[G]], %[[I]] axis 0
// CHECK: %[[DX:.*]] = nn.scatter %[[G]], %[[I]], %{{.*}} axis 0
// CHECK: %[[NUMBERS:.*]] = nn.iota axis 0 like %[[I]] : (tensor<?xi32>) -> tensor<?xi64>
// CHECK: %[[OWNERS:.*]] = nn.scatter %{{.*}}, %[[I]], %[[NUMBERS]] axis 0 : (tensor<8xi64>, tensor<?xi32>, tensor<?xi64>) -> tensor<8xi64>
// CHECK: %[[OWNER:.*]] = nn.gather %[[OWNERS]], %[[I]] axis 0
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[OWNER]], %[[NUMBERS]]
// CHECK: nn.broadcast %[[LAST]] dims [0]
// CHECK: %[[DU:.*]] = arith.select %{{.*}}, %[[DY]],
// CHECK: return %[[DX]], %[[DU]]
func.func @scatter(%x: tensor<8x5xf32>, %i: tensor<?xi32>, %u: tensor<?x5xf32>, %g: tensor<8x5xf32>)
    -> (tensor<8x5xf32>, tensor<?x5xf32>) {
  %y = nn.scatter %x, %i, %u axis 0 : (tensor<8x5xf32>, tensor<?xi32>, tensor<?x5xf32>) -> tensor<8x5xf32>
  %d:2 = train.gradient %y wrt %x, %u grad_ys %g
      : (tensor<8x5xf32>, tensor<8x5xf32>, tensor<?x5xf32>, tensor<8x5xf32>) -> (tensor<8x5xf32>, tensor<?x5xf32>)
  return %d#0, %d#1 : tensor<8x5xf32>, tensor<?x5xf32>
}

// -----

// One index has no other, and few are compared with each other.
// CHECK-LABEL: func @scatter_few
// CHECK-SAME: %[[G:[^ ]*]]: tensor<8x5xf32>)
// CHECK: %[[ONE:.*]] = nn.gather %[[G]], %{{.*}} -> tensor<5xf32>
// CHECK-NOT: nn.scatter {{.*}}xi64>
// CHECK: arith.cmpi eq, {{.*}} : tensor<2x2xi32>
// CHECK: arith.cmpi slt, {{.*}} : tensor<2x2xi64>
// CHECK-NOT: nn.scatter {{.*}}xi64>
// CHECK: %[[TWO:.*]] = arith.select {{.*}} : tensor<2x5xi1>, tensor<2x5xf32>
// CHECK: return %[[ONE]], %[[TWO]]
func.func @scatter_few(%x: tensor<8x5xf32>, %i: tensor<i32>, %u: tensor<5xf32>, %j: tensor<2xi32>, %v: tensor<2x5xf32>, %g: tensor<8x5xf32>)
    -> (tensor<5xf32>, tensor<2x5xf32>) {
  %y = nn.scatter %x, %i, %u axis 0 : (tensor<8x5xf32>, tensor<i32>, tensor<5xf32>) -> tensor<8x5xf32>
  %d = train.gradient %y wrt %u grad_ys %g
      : (tensor<8x5xf32>, tensor<5xf32>, tensor<8x5xf32>) -> tensor<5xf32>
  %z = nn.scatter %x, %j, %v axis 0 : (tensor<8x5xf32>, tensor<2xi32>, tensor<2x5xf32>) -> tensor<8x5xf32>
  %e = train.gradient %z wrt %v grad_ys %g
      : (tensor<8x5xf32>, tensor<2x5xf32>, tensor<8x5xf32>) -> tensor<2x5xf32>
  return %d, %e : tensor<5xf32>, tensor<2x5xf32>
}

// -----

// The other way round.
// CHECK-LABEL: func @cumsum
// CHECK-SAME: (%{{.*}}: tensor<?x5xf32>, %[[G:.*]]: tensor<?x5xf32>)
// CHECK: nn.cumsum %[[G]] axis 0 exclusive reverse : tensor<?x5xf32> -> tensor<?x5xf32>
func.func @cumsum(%x: tensor<?x5xf32>, %g: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %y = nn.cumsum %x axis 0 exclusive : tensor<?x5xf32> -> tensor<?x5xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %d : tensor<?x5xf32>
}

// -----

// The product of the factors before an element, times sums of products of those after
// it, which a loop computes from the last one on; nothing is divided.
// CHECK-LABEL: func @cumprod
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32>, %[[G:.*]]: tensor<3x4xf32>)
// CHECK-NOT: arith.divf
// CHECK: nn.cumprod %[[X]] axis 1 exclusive
// CHECK: %[[BEFORE:.*]] = nn.cumprod %[[X]] axis 1 exclusive
// CHECK: %[[BEHIND:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[ALL:.*]] = %{{.*}}) -> (tensor<3x1xf32>, tensor<3x4xf32>)
// CHECK: %[[K:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK: %[[DY:.*]] = tensor.extract_slice %[[G]][0, %[[K]]] [3, 1]
// CHECK: %[[XK:.*]] = tensor.extract_slice %[[X]][0, %[[K]]] [3, 1]
// CHECK: %[[P:.*]] = arith.mulf %[[XK]],
// CHECK: %[[NEXT:.*]] = arith.addf %[[DY]], %[[P]]
// CHECK: %[[INTO:.*]] = tensor.insert_slice %[[S]] into %[[ALL]][0, %[[K]]] [3, 1]
// CHECK: scf.yield %[[NEXT]], %[[INTO]]
// CHECK: %[[D:.*]] = arith.mulf %[[BEFORE]],
// CHECK-NOT: arith.divf
// CHECK: return %[[D]]
func.func @cumprod(%x: tensor<3x4xf32>, %g: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = nn.cumprod %x axis 1 exclusive : tensor<3x4xf32> -> tensor<3x4xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %d : tensor<3x4xf32>
}

// -----

// No exponential is of a positive number. The loop goes backwards, and adds what
// the sums behind take of a sum.
// CHECK-LABEL: func @logcumsumexp
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32>, %[[G:.*]]: tensor<3x4xf32>)
// CHECK: %[[Y:.*]] = nn.logcumsumexp %[[X]] axis 1
// CHECK: %[[SUMS:.*]]:3 = scf.for %[[N:.*]] = %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[BEHIND:.*]] = %{{.*}}, %[[ALL:.*]] = %{{.*}})
// CHECK: %[[POSITION:.*]] = arith.subi %{{.*}}, %[[N]]
// CHECK-DAG: %[[OWN:.*]] = tensor.extract_slice %[[Y]][0, %[[POSITION]]]
// CHECK-DAG: %[[DY:.*]] = tensor.extract_slice %[[G]][0, %[[POSITION]]]
// CHECK: %[[EXP:.*]] = math.exp
// CHECK: %[[PART:.*]] = arith.mulf %[[EXP]], %[[S]]
// CHECK: %[[SUM:.*]] = arith.addf %[[DY]], %[[PART]]
// CHECK: tensor.insert_slice %[[SUM]] into %[[ALL]][0, %[[POSITION]]]
// CHECK: arith.subf %[[X]], %[[Y]]
// CHECK: %[[SHARE:.*]] = math.exp
// CHECK: arith.mulf %[[SHARE]], %[[SUMS]]#2
func.func @logcumsumexp(%x: tensor<3x4xf32>, %g: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = nn.logcumsumexp %x axis 1 : tensor<3x4xf32> -> tensor<3x4xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %d : tensor<3x4xf32>
}

// -----

// L14: no factor is computed again.
// CHECK-LABEL: func @cholesky
// CHECK-SAME: (%{{.*}}: tensor<3x3xf64>, %[[G:.*]]: tensor<3x3xf64>)
// CHECK: %[[L:.*]] = nn.cholesky
// CHECK: nn.matmul %[[G]], %[[L]] {transpose_a}
// CHECK-COUNT-2: nn.triangular_solve lower %[[L]], %{{.*}} transpose :
// CHECK-NOT: nn.cholesky
func.func @cholesky(%a: tensor<3x3xf64>, %g: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %y = nn.cholesky %a : tensor<3x3xf64>
  %d = train.gradient %y wrt %a grad_ys %g : (tensor<3x3xf64>, tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  return %d : tensor<3x3xf64>
}

// -----

// CHECK-LABEL: func @triangular_solve
// CHECK-SAME: (%[[A:.*]]: tensor<3x3xf64>, %[[B:.*]]: tensor<3x?xf64>, %[[G:.*]]: tensor<3x?xf64>)
// CHECK: %[[X:.*]] = nn.triangular_solve lower %[[A]], %[[B]] unit_diagonal
// CHECK: %[[DB:.*]] = nn.triangular_solve lower %[[A]], %[[G]] transpose unit_diagonal
// CHECK: %[[P:.*]] = nn.matmul %[[DB]], %[[X]] {transpose_b}
// CHECK: nn.triangle lower %[[P]] diagonal -1
// CHECK: arith.negf
func.func @triangular_solve(%a: tensor<3x3xf64>, %b: tensor<3x?xf64>, %g: tensor<3x?xf64>)
    -> (tensor<3x3xf64>, tensor<3x?xf64>) {
  %y = nn.triangular_solve lower %a, %b unit_diagonal : (tensor<3x3xf64>, tensor<3x?xf64>) -> tensor<3x?xf64>
  %d:2 = train.gradient %y wrt %a, %b grad_ys %g
      : (tensor<3x?xf64>, tensor<3x3xf64>, tensor<3x?xf64>, tensor<3x?xf64>) -> (tensor<3x3xf64>, tensor<3x?xf64>)
  return %d#0, %d#1 : tensor<3x3xf64>, tensor<3x?xf64>
}
