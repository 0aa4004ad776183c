// RUN: flywheel-opt %s --flywheel-sink-stores --split-input-file | FileCheck %s

// A value that branches yield is stored by each of them, through several
// levels; an unchanged value needs no store.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[IF:.*]] = scf.if %[[C]]
// CHECK: %[[INNER:.*]] = scf.if
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: %[[SE:.*]] = linalg_ext.store %[[E]] in %[[W]]
// CHECK: scf.yield %[[SE]]
// CHECK: } else {
// CHECK: %[[SX:.*]] = linalg_ext.store %[[X]] in %[[W]]
// CHECK: scf.yield %[[SX]]
// CHECK: scf.yield %[[INNER]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[W]]
// CHECK: return %[[IF]]
func.func @branches(%c: i1, %x: tensor<4xf32>,
                    %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = scf.if %c -> tensor<4xf32> {
      %e = math.exp %x : tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %new = linalg_ext.store %0 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// One place for each value: the variable's, before the result's.
// CHECK-LABEL: func.func @both(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32> {{{[^}]*}}}, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[IF:.*]] = scf.if
// CHECK: linalg_ext.store %{{.*}} in %[[W]]
// CHECK: linalg_ext.store %[[X]] in %[[W]]
// CHECK: %[[RESULT:.*]] = linalg_ext.store %[[IF]] in %[[R]]
// CHECK: return %[[RESULT]], %[[IF]]
func.func @both(%c: i1, %x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = scf.if %c -> tensor<4xf32> {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %result = linalg_ext.store %0 in %r : tensor<4xf32> in tensor<4xf32>
  %new = linalg_ext.store %0 in %w : tensor<4xf32> in tensor<4xf32>
  return %result, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop starts where its result goes, and stores what it computes where it found
// what that replaces; what only changes places is moved at the end of an iteration.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[INIT:.*]] = linalg_ext.store %[[X]] in %[[W]]
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[INIT]], %[[B:.*]] = %[[X]], %[[D:.*]] = %[[X]])
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: %[[STORED:.*]] = linalg_ext.store %[[E]] in %[[A]]
// CHECK: scf.yield %[[STORED]], %[[D]], %[[B]]
// CHECK: return %[[LOOP]]#0
func.func @loop(%x: tensor<4xf32>, %w: tensor<4xf32> {train.variable = @w, train.writes}, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x, %d = %x) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e, %d, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  %new = linalg_ext.store %0#0 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A loop that is in the place of a variable stays there, and a result that is the
// same value is copied.
// CHECK-LABEL: func.func @placed(
// CHECK-SAME: %[[R:[^:]*]]: tensor<4xf32> {{{[^}]*}}}, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[W]])
// CHECK: %[[RESULT:.*]] = linalg_ext.store %[[LOOP]] in %[[R]]
// CHECK: return %[[RESULT]], %[[LOOP]]
func.func @placed(%r: tensor<4xf32> {train.result = 0 : i64}, %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w) -> (tensor<4xf32>) {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %result = linalg_ext.store %0 in %r : tensor<4xf32> in tensor<4xf32>
  %new = linalg_ext.store %0 in %w : tensor<4xf32> in tensor<4xf32>
  return %result, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// A while loop stores on both ways.
// CHECK-LABEL: func.func @while(
// CHECK: scf.while (%[[A:.*]] = %{{.*}})
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: %[[SE:.*]] = linalg_ext.store %[[E]] in %[[A]]
// CHECK: scf.condition(%{{.*}}) %[[SE]]
// CHECK: ^bb0(%[[B:.*]]: tensor<4xf32>):
// CHECK: %[[T:.*]] = math.tanh %[[B]]
// CHECK: %[[ST:.*]] = linalg_ext.store %[[T]] in %[[B]]
// CHECK: scf.yield %[[ST]]
func.func @while(%x: tensor<4xf32>, %go: i1) -> tensor<4xf32> {
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = math.exp %a : tensor<4xf32>
    scf.condition(%go) %e : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %t = math.tanh %b : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// S3: operands of a check are not stored where a failing step must keep the old value.
// CHECK-LABEL: func.func @checked(
// CHECK-NOT: linalg_ext.store
// CHECK: linalg_ext.check
// CHECK: linalg_ext.store
func.func @checked(%c: i1, %x: tensor<4xf32>,
                   %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> tensor<4xf32> {
  %true = arith.constant true
  %0:2 = scf.if %c -> (tensor<4xf32>, i1) {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e, %c : tensor<4xf32>, i1
  } else {
    scf.yield %w, %true : tensor<4xf32>, i1
  }
  linalg_ext.check data %0#1, "no"
  %new = linalg_ext.store %0#0 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A store that changes the type stays where it is.
// CHECK-LABEL: func.func @shape(
// CHECK: %[[IF:.*]] = scf.if
// CHECK-NOT: linalg_ext.store
// CHECK: %[[NEW:.*]] = linalg_ext.store %[[IF]]
// CHECK-NEXT: return %[[NEW]]
// EXAMPLE: --flywheel-sink-stores
func.func @shape(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>, %w: tensor<4xf32> {train.variable = @w, train.writes}) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  %new = linalg_ext.store %0 in %w : tensor<?xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// So does one whose storage is created after the branch.
// CHECK-LABEL: func.func @behind(
// CHECK: %[[IF:.*]] = scf.if
// CHECK-NOT: linalg_ext.store
// CHECK: %[[NEW:.*]] = linalg.exp
// CHECK-NEXT: %[[STORED:.*]] = linalg_ext.store %[[IF]] in %[[NEW]]
// CHECK-NEXT: return %[[STORED]]
func.func @behind(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>, %w: tensor<4xf32> {train.variable = @w, train.writes}) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  %e = linalg.exp ins(%x : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  %new = linalg_ext.store %0 in %e : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A value that is computed on every path, and stored on one, stays where it is computed.
// CHECK-LABEL: func.func @outside(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>, %[[W:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: %[[VALUE:.*]] = scf.if %[[C]]
// CHECK-NEXT: scf.yield %[[X]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[Y]]
// CHECK: scf.if %[[C]]
// CHECK-NEXT: %[[STORED:.*]] = linalg_ext.store %[[VALUE]] in %[[W]]
// CHECK-NEXT: scf.yield %[[STORED]]
func.func @outside(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>,
                   %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  %1 = scf.if %c -> tensor<4xf32> {
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %new = linalg_ext.store %1 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A value that a branch stores already is not stored again, and is stored where a
// nested branch computes it.
// CHECK-LABEL: func.func @stored(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[W:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: %[[IF:.*]] = scf.if %[[C]]
// CHECK-NEXT: %[[ONE:.*]] = linalg_ext.store %[[X]] in %[[W]]
// CHECK-NEXT: scf.yield %[[ONE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[W]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[IF]]
func.func @stored(%c: i1, %x: tensor<4xf32>,
                  %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = linalg_ext.store %x in %w : tensor<4xf32> in tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %new = linalg_ext.store %0 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A loop that has its place, as that which another one starts from, keeps it: what
// else goes elsewhere is copied there.
// CHECK-LABEL: func.func @chained(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32> {{{[^}]*}}}, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[INIT:.*]] = linalg_ext.store %[[X]] in %[[W]]
// CHECK: %[[FIRST:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]])
// CHECK: %[[SECOND:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK: %[[RESULT:.*]] = linalg_ext.store %[[FIRST]] in %[[R]]
// CHECK-NEXT: return %[[RESULT]], %[[SECOND]]
func.func @chained(%x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                   %w: tensor<4xf32> {train.variable = @w, train.writes}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> tensor<4xf32> {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %result = linalg_ext.store %0 in %r : tensor<4xf32> in tensor<4xf32>
  %new = linalg_ext.store %1 in %w : tensor<4xf32> in tensor<4xf32>
  return %result, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// A value that an iteration yields is stored where each branch computes it; a
// value that is computed in the storage of the one that it replaces needs no
// store.
// CHECK-LABEL: func.func @carried(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}})
// CHECK-NEXT: %[[IF:.*]] = scf.if
// CHECK-NEXT: %[[E:.*]] = linalg.exp ins(%[[B]] {{.*}} outs(%[[A]]
// CHECK-NEXT: %[[SE:.*]] = linalg_ext.store %[[E]] in %[[A]]
// CHECK-NEXT: scf.yield %[[SE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[T:.*]] = linalg.abs ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK-NEXT: %[[ST:.*]] = linalg_ext.store %[[T]] in %[[A]]
// CHECK-NEXT: scf.yield %[[ST]]
// CHECK: %[[NEXT:.*]] = linalg.abs ins(%[[IF]] {{.*}} outs(%[[D]]
// CHECK-NEXT: scf.yield %[[IF]], %[[B]], %[[NEXT]]
func.func @carried(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %d = %z) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %1 = scf.if %c -> tensor<4xf32> {
      %e = linalg.exp ins(%b : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    } else {
      %t = linalg.abs ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    }
    %2 = linalg.abs ins(%1 : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1, %b, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}

// -----

// However deep the branch is that makes a value.
// CHECK-LABEL: func.func @levels(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[W:[^:]*]]: tensor<4xf32>
// CHECK-COUNT-3: scf.if %[[C]]
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK-NEXT: %[[STORED:.*]] = linalg_ext.store %[[E]] in %[[W]]
// CHECK-NEXT: scf.yield %[[STORED]]
// CHECK-NOT: linalg_ext.store
// CHECK: return
func.func @levels(%c: i1, %x: tensor<4xf32>,
                  %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = scf.if %c -> tensor<4xf32> {
      %2 = scf.if %c -> tensor<4xf32> {
        %e = math.exp %x : tensor<4xf32>
        scf.yield %e : tensor<4xf32>
      } else {
        scf.yield %w : tensor<4xf32>
      }
      scf.yield %2 : tensor<4xf32>
    } else {
      scf.yield %w : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %new = linalg_ext.store %0 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A value that a branch stores in a buffer of its own is stored to the result's; in
// the storage of an older version it stays.
// CHECK-LABEL: func.func @retargeted(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[A:[^:]*]]: tensor<4xf32>
// CHECK: %[[UPDATED:.*]] = linalg.exp {{.*}} outs(%[[A]]
// CHECK: %[[OWN:.*]] = scf.if %[[C]]
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: %[[S0:.*]] = linalg_ext.store %[[X]] in %[[A]]
// CHECK-NEXT: scf.yield %[[S0]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[S1:.*]] = linalg_ext.store %[[UPDATED]] in %[[A]]
// CHECK-NEXT: scf.yield %[[S1]]
// CHECK: return %[[OWN]]
func.func @retargeted(%c: i1, %x: tensor<4xf32>,
                      %a: tensor<4xf32> {train.variable = @a, train.writes}) -> tensor<4xf32> {
  %updated = linalg.exp ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %0 = scf.if %c -> tensor<4xf32> {
    %own = tensor.empty() : tensor<4xf32>
    %1 = linalg_ext.store %x in %own : tensor<4xf32> in tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %updated : tensor<4xf32>
  }
  %new = linalg_ext.store %0 in %a : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @older(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[A:[^:]*]]: tensor<4xf32>
// CHECK: %[[UPDATED:.*]] = linalg.exp {{.*}} outs(%[[A]]
// CHECK: scf.if %[[C]]
// CHECK-NEXT: linalg_ext.store %[[X]] in %[[UPDATED]]
// CHECK: scf.yield %[[UPDATED]]
func.func @older(%c: i1, %x: tensor<4xf32>,
                 %a: tensor<4xf32> {train.variable = @a, train.writes}) -> tensor<4xf32> {
  %updated = linalg.exp ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = linalg_ext.store %x in %updated : tensor<4xf32> in tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %updated : tensor<4xf32>
  }
  %new = linalg_ext.store %0 in %a : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// An element of another shape of what the loop carries is written where that is: nothing is stored.
// CHECK-LABEL: func.func @reshaped(
// CHECK-NOT: linalg_ext.store
// CHECK: return
func.func @reshaped(%x: tensor<4x3xf32>, %n: index) -> tensor<4x3xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = arith.constant 1.0 : f32
  %0 = scf.for %i = %zero to %n step %one iter_args(%p = %x) -> tensor<4x3xf32> {
    %list = tensor.collapse_shape %p [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
    %filled = linalg.fill ins(%y : f32) outs(%list : tensor<12xf32>) -> tensor<12xf32>
    %table = tensor.expand_shape %filled [[0, 1]] output_shape [4, 3] : tensor<12xf32> into tensor<4x3xf32>
    scf.yield %table : tensor<4x3xf32>
  }
  return %0 : tensor<4x3xf32>
}
