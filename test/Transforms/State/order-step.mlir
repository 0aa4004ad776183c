// RUN: flywheel-opt %s --flywheel-order-step --split-input-file --verify-diagnostics | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Ops that overwrite the old value come after its readers, also those through a
// slice, and after every check (S3, A10). The materialization of a value that
// was computed in place is dropped.
// CHECK-LABEL: func.func @order(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[OK:[^:]*]]: tensor<i1>, %[[R:[^:]*]]: tensor<2xf32>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: linalg_ext.check
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[V]]
// CHECK: %[[READ:.*]] = linalg.exp ins(%[[SLICE]]
// CHECK: %[[NEW:.*]] = linalg.add ins(%[[V]], %[[X]] : {{.*}}) outs(%[[V]]
// CHECK: return %[[READ]], %[[NEW]]
func.func @order(%x: tensor<4xf32>, %ok: tensor<i1>,
                 %r: tensor<2xf32> {train.result = 0 : i64},
                 %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes})
    -> (tensor<2xf32>, tensor<4xf32>) {
  %new = linalg.add ins(%v, %x : tensor<4xf32>, tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %slice = tensor.extract_slice %v[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %read = linalg.exp ins(%slice : tensor<2xf32>) outs(%r : tensor<2xf32>) -> tensor<2xf32>
  %bit = tensor.extract %ok[] : tensor<i1>
  linalg_ext.check data %bit, "no"
  %m = linalg_ext.store %new in %v : tensor<4xf32> in tensor<4xf32>
  return %read, %m : tensor<2xf32>, tensor<4xf32>
}

// -----

// A swap has no order: both are overwritten at once (A10). Readers of an old
// value come before that.
// CHECK-LABEL: func.func @swap(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32>{{[^%]*}}%[[B:[^:]*]]: tensor<4xf32>
// CHECK: %[[SUM:.*]] = linalg.add ins(%[[A]], %[[B]]
// CHECK: %[[NEWA:.*]], %[[NEWB:.*]] = linalg_ext.exchange %[[A]], %[[B]] : tensor<4xf32>
// CHECK: return %[[NEWA]], %[[NEWB]], %[[SUM]]
func.func @swap(%a: tensor<4xf32> {train.variable = @a, train.reads, train.writes},
                %b: tensor<4xf32> {train.variable = @b, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg_ext.store %b in %a : tensor<4xf32> in tensor<4xf32>
  %1 = linalg_ext.store %a in %b : tensor<4xf32> in tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %2 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Three that go round have no such op: the smallest cycle's copy is made once.
// CHECK-LABEL: func.func @rotation(
// CHECK-COUNT-1: train.snapshot
// CHECK-NOT: train.snapshot
// CHECK: return
func.func @rotation(%a: tensor<4xf32> {train.variable = @a, train.reads, train.writes},
                    %b: tensor<4xf32> {train.variable = @b, train.reads, train.writes},
                    %c: tensor<4xf32> {train.variable = @c, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg_ext.store %b in %a : tensor<4xf32> in tensor<4xf32>
  %1 = linalg_ext.store %c in %b : tensor<4xf32> in tensor<4xf32>
  // expected-remark@below {{in a cycle of assignments: one copy of 'tensor<4xf32>'}}
  %2 = linalg_ext.store %a in %c : tensor<4xf32> in tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// An op that reads elsewhere than it writes needs a copy of what it reads.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4x4xf32>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @a} ins(%[[A]]
// CHECK: linalg.transpose ins(%[[OLD]] {{.*}} outs(%[[A]]
func.func @transpose(%a: tensor<4x4xf32> {train.variable = @a, train.reads, train.writes})
    -> tensor<4x4xf32> {
  // expected-remark@below {{the old value of variable @a is needed by the op that overwrites it: one copy of 'tensor<4x4xf32>'}}
  %0 = linalg.transpose ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) permutation = [1, 0]
  return %0 : tensor<4x4xf32>
}

// -----

// Only the part that is read is copied.
// CHECK-LABEL: func.func @shift(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[A]]
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @a} ins(%[[PART]]
// CHECK: tensor.insert_slice %[[OLD]] into %[[A]]
// EXAMPLE: --flywheel-order-step
func.func @shift(%a: tensor<4xf32> {train.variable = @a, train.reads, train.writes})
    -> tensor<4xf32> {
  %part = tensor.extract_slice %a[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
  // expected-remark@below {{one copy of 'tensor<3xf32>'}}
  %0 = tensor.insert_slice %part into %a[1] [3] [1] : tensor<3xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A new value computed elsewhere is stored after the readers.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME: %[[R:[^:]*]]: tensor<4xf32> {train.result = 0 : i64}, %[[A:[^:]*]]: tensor<4xf32> {train.reads, train.variable = @a, train.writes}) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[A]] : tensor<4xf32>) outs(%[[EMPTY]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[EXP_2:.*]] = linalg.exp ins(%[[A]] : tensor<4xf32>) outs(%[[R]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[MATERIALIZE_IN_DESTINATION:.*]] = linalg_ext.store %[[EXP]] in %[[A]] : tensor<4xf32> in tensor<4xf32>
// CHECK-NEXT: return %[[EXP_2]], %[[MATERIALIZE_IN_DESTINATION]] : tensor<4xf32>, tensor<4xf32>
func.func @elsewhere(%r: tensor<4xf32> {train.result = 0 : i64},
                     %a: tensor<4xf32> {train.variable = @a, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg_ext.store %0 in %a : tensor<4xf32> in tensor<4xf32>
  %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %1, %m : tensor<4xf32>, tensor<4xf32>
}

// -----

// An update runs as soon as its gradient is computed and nothing else reads the
// variable, with the rate that it needs: what the gradient is made of need not
// be kept. A product of the old value is computed in the loops of its only
// user, which is such a reader.
// CHECK-LABEL: func.func @eager(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x4xf32>{{[^%]*}}%[[R:[^:]*]]: tensor<4x4xf32>{{[^%]*}}%[[RATE:[^:]*]]: tensor<f32>{{[^%]*}}%[[W:[^:]*]]: tensor<4x4xf32>
// CHECK: %[[A:.*]] = linalg.exp ins(%[[X]]
// CHECK: %[[G:.*]] = linalg.matmul ins(%[[X]], %[[A]]
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[A]], %[[W]]
// CHECK: %[[E:.*]] = linalg.tanh ins(%[[P]]
// CHECK: %[[OLD:.*]] = tensor.extract %[[RATE]][]
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[G]] {{.*}} outs(%[[W]]
// CHECK: linalg.abs
// CHECK: linalg.exp {{.*}} outs(%[[R]]
// CHECK: return {{.*}}, %[[NEW]]
func.func @eager(%x: tensor<4x4xf32>,
                 %r: tensor<4x4xf32> {train.result = 0 : i64},
                 %rate: tensor<f32> {train.variable = @rate, train.reads},
                 %w: tensor<4x4xf32> {train.variable = @w, train.reads, train.writes})
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%a, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = linalg.matmul ins(%x, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.tanh ins(%p : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %u = linalg.abs ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.exp ins(%u : tensor<4x4xf32>) outs(%r : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = tensor.extract %rate[] : tensor<f32>
  %new = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%w : tensor<4x4xf32>) {
  ^bb0(%in: f32, %old: f32):
    %d = arith.mulf %s, %in : f32
    %v = arith.subf %old, %d : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  return %y, %new : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// An op that starts from the new value of a variable, but does not update it,
// starts from a copy; so does one that reads elsewhere in the middle of a chain.
// CHECK-LABEL: func.func @started(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[NEW:.*]] = linalg.add ins(%[[V]], %[[X]] : {{.*}}) outs(%[[V]]
// CHECK: %[[START:.*]] = linalg.copy {train.snapshot = @v} ins(%[[NEW]]
// CHECK: %[[INSERT:.*]] = tensor.insert %{{.*}} into %[[START]]
// CHECK: %[[E:.*]] = linalg.exp ins(%[[INSERT]] {{.*}} outs(%[[R]]
// CHECK: return %[[E]], %[[NEW]]
func.func @started(%x: tensor<4xf32>,
                   %r: tensor<4xf32> {train.result = 0 : i64},
                   %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %new = linalg.add ins(%v, %x : tensor<4xf32>, tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{the old value of variable @v is needed by the op that overwrites it: one copy of 'tensor<4xf32>'}}
  %i = tensor.insert %one into %new[%c0] : tensor<4xf32>
  %e = linalg.exp ins(%i : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %e, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @shifted(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32>
// CHECK: %[[NEW:.*]] = linalg.exp ins(%[[X]] {{.*}} outs(%[[R]]
// CHECK-DAG: %[[OLD:.*]] = linalg.copy ins(%{{.*}} : tensor<2xf32>) outs(%{{[0-9]+}}
// CHECK-DAG: %[[TO:.*]] = tensor.extract_slice %[[NEW]][2] [2] [1]
// CHECK: %[[PART:.*]] = linalg.copy ins(%[[OLD]] {{.*}} outs(%[[TO]]
// CHECK: tensor.insert_slice %[[PART]] into %[[NEW]]
func.func @shifted(%x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64}) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %from = tensor.extract_slice %0[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %to = tensor.extract_slice %0[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %part = linalg.copy ins(%from : tensor<2xf32>) outs(%to : tensor<2xf32>) -> tensor<2xf32>
  %1 = tensor.insert_slice %part into %0[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Ops that a check needs come before it, other ops after it.
// CHECK-LABEL: func.func @checked(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[NEW:.*]] = linalg.add ins(%[[V]], %[[X]] {{.*}} outs(%{{.*}} :
// CHECK: linalg_ext.check
// CHECK-NEXT: %[[STORED:.*]] = linalg_ext.store %[[NEW]] in %[[V]]
// CHECK-NEXT: return %[[STORED]]
func.func @checked(%x: tensor<4xf32>,
                   %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %new = linalg.add ins(%v, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg_ext.store %new in %v : tensor<4xf32> in tensor<4xf32>
  %first = tensor.extract %new[%c0] : tensor<4xf32>
  %ok = arith.cmpf oge, %first, %zero : f32
  linalg_ext.check data %ok, "negative"
  return %m : tensor<4xf32>
}

// -----

// S3: a branch that writes, and yields whether its check has passed, comes before
// the check; so does what was written before. Neither is in place any more: the
// variable is not `train.updated`. Ops that the check does not need come after it.
// CHECK-LABEL: func.func @after(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[V:[^:]*]]: tensor<4xf32> {train.reads, train.variable = @v, train.writes}, %[[W:[^:]*]]: tensor<4xf32> {train.updated, train.variable = @w, train.writes})
// CHECK: %[[FIRST:.*]] = linalg.exp ins(%[[V]] : tensor<4xf32>) outs(%[[V]] : tensor<4xf32>)
// CHECK: %[[IF:.*]]:2 = scf.if %[[C]] -> (tensor<4xf32>, i1) {
// CHECK-NEXT: %[[SECOND:.*]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[FIRST]] : tensor<4xf32>)
// CHECK: scf.yield %[[SECOND]], %{{.*}} : tensor<4xf32>, i1
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[FIRST]], %{{.*}} : tensor<4xf32>, i1
// CHECK-NEXT: }
// CHECK-NEXT: linalg_ext.check data %[[IF]]#1, "no"
// CHECK-NEXT: %[[NEWW:.*]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[W]] : tensor<4xf32>)
// CHECK-NEXT: return %[[IF]]#0, %[[NEWW]]
func.func @after(%c: i1, %x: tensor<4xf32>,
                 %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes, train.updated},
                 %w: tensor<4xf32> {train.variable = @w, train.writes, train.updated})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %first = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = scf.if %c -> (tensor<4xf32>, i1) {
    %new = linalg.exp ins(%x : tensor<4xf32>) outs(%first : tensor<4xf32>) -> tensor<4xf32>
    %e = tensor.extract %new[%c0] : tensor<4xf32>
    %ok = arith.cmpf olt, %e, %zero : f32
    scf.yield %new, %ok : tensor<4xf32>, i1
  } else {
    scf.yield %first, %true : tensor<4xf32>, i1
  }
  %neww = linalg.exp ins(%x : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  linalg_ext.check data %r#1, "no"
  return %r#0, %neww : tensor<4xf32>, tensor<4xf32>
}

// -----

// A cycle of three through ops that read: the smallest variable is copied, in
// front of the op that overwrites it, and only for who comes too late.
// CHECK-LABEL: func.func @cycle(
// CHECK-SAME: %[[A:[^:]*]]: tensor<8xf32>{{.*}}%[[B:[^:]*]]: tensor<4xf32>{{.*}}%[[R:[^:]*]]: tensor<4xf32>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[A]][0] [4] [1]
// CHECK: %[[EARLY:.*]] = linalg.abs ins(%[[B]] : tensor<4xf32>) outs(%[[R]]
// CHECK: %[[COPY:.*]] = linalg.copy {train.snapshot = @b} ins(%[[B]]
// CHECK: %[[NEWB:.*]] = linalg_ext.store %[[PART]] in %[[B]]
// CHECK: %[[NEWA:.*]] = tensor.insert_slice %[[COPY]] into %[[A]][0] [4] [1]
// CHECK: return %[[EARLY]], %[[NEWA]], %[[NEWB]]
func.func @cycle(%a: tensor<8xf32> {train.variable = @a, train.reads, train.writes},
                 %b: tensor<4xf32> {train.variable = @b, train.reads, train.writes},
                 %r: tensor<4xf32> {train.result = 0 : i64}) -> (tensor<4xf32>, tensor<8xf32>, tensor<4xf32>) {
  %part = tensor.extract_slice %a[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  // expected-remark@below {{the old value of variable @b is needed after it is overwritten, in a cycle of assignments: one copy of 'tensor<4xf32>'}}
  %newa = tensor.insert_slice %b into %a[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %newb = linalg_ext.store %part in %b : tensor<4xf32> in tensor<4xf32>
  %early = linalg.abs ins(%b : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %early, %newa, %newb : tensor<4xf32>, tensor<8xf32>, tensor<4xf32>
}

// -----

// One op cannot make two values in the place of one.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[COPY:.*]] = linalg.copy {train.snapshot = @v} ins(%[[V]]
// CHECK: linalg.generic {{.*}} outs(%[[V]], %[[COPY]] :
#id = affine_map<(d0) -> (d0)>
func.func @twice(%v: tensor<4xf32> {train.variable = @v, train.reads, train.writes},
                 %r: tensor<4xf32> {train.result = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark@below {{the old value of variable @v is needed by the op that overwrites it: one copy of 'tensor<4xf32>'}}
  %new:2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      outs(%v, %v : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    %1 = arith.mulf %x, %y : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %0 = linalg_ext.store %new#1 in %r : tensor<4xf32> in tensor<4xf32>
  return %0, %new#0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// An op that reads a part of the old value that a branch has yielded, out of
// another one, comes before the new value as well.
// CHECK-LABEL: func.func @passed(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<2xf32>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: %[[PART:.*]] = scf.if %[[C]]
// CHECK: %[[READ:.*]] = linalg.exp ins(%[[PART]] {{.*}} outs(%[[R]]
// CHECK-NEXT: %[[NEW:.*]] = linalg.exp ins(%[[X]] {{.*}} outs(%[[V]]
// CHECK-NEXT: return %[[READ]], %[[NEW]]
func.func @passed(%c: i1, %x: tensor<4xf32>, %r: tensor<2xf32> {train.result = 0 : i64},
                  %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes})
    -> (tensor<2xf32>, tensor<4xf32>) {
  %new = linalg.exp ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %part = scf.if %c -> tensor<2xf32> {
    %inner = scf.if %c -> tensor<2xf32> {
      %p = tensor.extract_slice %v[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
      scf.yield %p : tensor<2xf32>
    } else {
      %p = tensor.extract_slice %v[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
      scf.yield %p : tensor<2xf32>
    }
    scf.yield %inner : tensor<2xf32>
  } else {
    %p = tensor.extract_slice %v[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
    scf.yield %p : tensor<2xf32>
  }
  %read = linalg.exp ins(%part : tensor<2xf32>) outs(%r : tensor<2xf32>) -> tensor<2xf32>
  return %read, %new : tensor<2xf32>, tensor<4xf32>
}

// -----

// A check that comes too late costs more than one copy: what it needs overwrites
// what the other update reads, so that is copied.
// CHECK-LABEL: func.func @late(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[A:[^:]*]]: tensor<4xf32>{{[^%]*}}%[[B:[^:]*]]: tensor<4xf32>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @b} ins(%[[B]]
// CHECK: %[[NEWB:.*]] = linalg.exp ins(%[[X]] {{.*}} outs(%[[B]]
// CHECK: linalg_ext.check
// CHECK-NEXT: %[[NEWA:.*]] = linalg.add ins(%[[OLD]], %[[X]] {{.*}} outs(%[[A]]
// CHECK-NEXT: return %[[NEWA]], %[[NEWB]]
func.func @late(%x: tensor<4xf32>,
                %a: tensor<4xf32> {train.variable = @a, train.reads, train.writes},
                %b: tensor<4xf32> {train.variable = @b, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  // expected-remark@below {{the old value of variable @b is needed after it is overwritten, in a cycle of assignments: one copy of 'tensor<4xf32>'}}
  %newa = linalg.add ins(%b, %x : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %newb = linalg.exp ins(%x : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.extract %newb[%c0] : tensor<4xf32>
  %ok = arith.cmpf olt, %e, %zero : f32
  linalg_ext.check data %ok, "no"
  return %newa, %newb : tensor<4xf32>, tensor<4xf32>
}

// -----

// A value that is inserted, but not computed there, is computed in program order.
// CHECK-LABEL: func.func @inserted(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[R:[^:]*]]: tensor<4xf32>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[PART:.*]] = linalg.exp ins(%[[X]]
// CHECK-NEXT: %[[READ:.*]] = linalg.abs ins(%[[V]] {{.*}} outs(%[[R]]
// CHECK-NEXT: %[[NEW:.*]] = tensor.insert_slice %[[PART]] into %[[V]]
func.func @inserted(%x: tensor<2xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                    %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<2xf32>
  %part = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %read = linalg.abs ins(%v : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %new = tensor.insert_slice %part into %v[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %read, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// In a chain, what reads the value in between comes before the next op; one of its
// ops that reads the value before it reads a copy.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @v} ins(%[[V]]
// CHECK: %[[FIRST:.*]] = linalg.exp ins(%[[X]] {{.*}} outs(%[[V]]
// CHECK: %[[READ:.*]] = linalg.abs ins(%[[FIRST]] {{.*}} outs(%[[R]]
// CHECK: %[[LAST:.*]] = linalg.add ins(%[[OLD]], %[[X]] {{.*}} outs(%[[FIRST]]
// CHECK: return %[[READ]], %[[LAST]]
func.func @chain(%x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                 %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> (tensor<4xf32>, tensor<4xf32>) {
  %first = linalg.exp ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{the old value of variable @v is needed by the op that overwrites it: one copy of 'tensor<4xf32>'}}
  %last = linalg.add ins(%v, %x : tensor<4xf32>, tensor<4xf32>) outs(%first : tensor<4xf32>) -> tensor<4xf32>
  %read = linalg.abs ins(%first : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %read, %last : tensor<4xf32>, tensor<4xf32>
}

// -----

// A selected value, or one of another type or shape, is in the same memory.
// CHECK-LABEL: func.func @views(
// CHECK: %[[CHOSEN:.*]] = arith.select
// CHECK: %[[CAST:.*]] = tensor.cast %[[CHOSEN]]
// CHECK: %[[EXPANDED:.*]] = tensor.expand_shape %[[CAST]]
// CHECK: %[[WHOLE:.*]] = tensor.collapse_shape %[[EXPANDED]]
// CHECK: %[[READ:.*]] = linalg.abs ins(%[[WHOLE]]
// CHECK: %[[NEW:.*]] = linalg.exp
// CHECK: return %[[READ]], %[[NEW]]
func.func @views(%c: i1, %n: index, %x: tensor<4xf32>, %r: tensor<?xf32> {train.result = 0 : i64},
                 %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> (tensor<?xf32>, tensor<4xf32>) {
  %new = linalg.exp ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %chosen = arith.select %c, %x, %v : tensor<4xf32>
  %cast = tensor.cast %chosen : tensor<4xf32> to tensor<?xf32>
  %expanded = tensor.expand_shape %cast [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
  %whole = tensor.collapse_shape %expanded [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %read = linalg.abs ins(%whole : tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %read, %new : tensor<?xf32>, tensor<4xf32>
}

// -----

// A part of the old value that is read after the new one is stored is one of a copy.
// CHECK-LABEL: func.func @part(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xi64>, %[[R:[^:]*]]: tensor<2xi64>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xi64>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @v} ins(%[[V]]
// CHECK: %[[NEW:.*]] = linalg.add ins(%[[X]], %[[X]] {{.*}} outs(%[[V]]
// CHECK: tensor.extract %[[NEW]]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[OLD]]
// CHECK: %[[READ:.*]] = linalg.copy ins(%[[PART]] {{.*}} outs(%[[R]]
// CHECK: return %[[READ]], %[[NEW]]
func.func @part(%x: tensor<4xi64>, %r: tensor<2xi64> {train.result = 0 : i64},
                %v: tensor<4xi64> {train.variable = @v, train.reads, train.writes}) -> (tensor<2xi64>, tensor<4xi64>) {
  %c0 = arith.constant 0 : index
  %new = linalg.add ins(%x, %x : tensor<4xi64>, tensor<4xi64>) outs(%v : tensor<4xi64>) -> tensor<4xi64>
  %e = tensor.extract %new[%c0] : tensor<4xi64>
  %k = arith.index_cast %e : i64 to index
  // expected-remark@below {{the old value of variable @v is needed after it is overwritten, in a cycle of assignments: one copy of 'tensor<4xi64>'}}
  %part = tensor.extract_slice %v[%k] [2] [1] : tensor<4xi64> to tensor<2xi64>
  %read = linalg.copy ins(%part : tensor<2xi64>) outs(%r : tensor<2xi64>) -> tensor<2xi64>
  return %read, %new : tensor<2xi64>, tensor<4xi64>
}

// -----

// So is what a branch passes on that depends on the new value.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xi64>, %[[R:[^:]*]]: tensor<4xi64>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xi64>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @v} ins(%[[V]]
// CHECK: %[[NEW:.*]] = linalg.add ins(%[[X]], %[[X]] {{.*}} outs(%[[V]]
// CHECK: %[[IF:.*]] = scf.if
// CHECK: scf.yield %[[OLD]]
// CHECK: %[[READ:.*]] = linalg.copy ins(%[[IF]] {{.*}} outs(%[[R]]
// CHECK: return %[[READ]], %[[NEW]]
func.func @branch(%x: tensor<4xi64>, %r: tensor<4xi64> {train.result = 0 : i64},
                  %v: tensor<4xi64> {train.variable = @v, train.reads, train.writes}) -> (tensor<4xi64>, tensor<4xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %new = linalg.add ins(%x, %x : tensor<4xi64>, tensor<4xi64>) outs(%v : tensor<4xi64>) -> tensor<4xi64>
  %e = tensor.extract %new[%c0] : tensor<4xi64>
  %c = arith.cmpi slt, %e, %zero : i64
  %old = scf.if %c -> tensor<4xi64> {
    // expected-remark@below {{the old value of variable @v is needed after it is overwritten, in a cycle of assignments: one copy of 'tensor<4xi64>'}}
    scf.yield %v : tensor<4xi64>
  } else {
    scf.yield %x : tensor<4xi64>
  }
  %read = linalg.copy ins(%old : tensor<4xi64>) outs(%r : tensor<4xi64>) -> tensor<4xi64>
  return %read, %new : tensor<4xi64>, tensor<4xi64>
}

// -----

// Checks keep their order, and all come before what they do not need, however long
// they have to wait.
// CHECK-LABEL: func.func @checks(
// CHECK: %[[READ:.*]] = linalg.abs
// CHECK: %[[NEWV:.*]] = linalg.exp
// CHECK: linalg_ext.check data %{{.*}}, "first"
// CHECK: linalg_ext.check data %{{.*}}, "second"
// CHECK: %[[NEWW:.*]] = linalg.exp
// CHECK: %[[RESULT:.*]] = linalg_ext.store %[[READ]]
// CHECK-NEXT: return %[[RESULT]], %[[NEWV]], %[[NEWW]]
func.func @checks(%x: tensor<4xf32>, %ok: i1, %r: tensor<4xf32> {train.result = 0 : i64},
                  %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes},
                  %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %neww = linalg.exp ins(%x : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  %newv = linalg.exp ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.extract %newv[%c0] : tensor<4xf32>
  %first = arith.cmpf olt, %e, %zero : f32
  linalg_ext.check data %first, "first"
  linalg_ext.check data %ok, "second"
  %empty = tensor.empty() : tensor<4xf32>
  %read = linalg.abs ins(%v : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %result = linalg_ext.store %read in %r : tensor<4xf32> in tensor<4xf32>
  return %result, %newv, %neww : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A check that needs a variable comes after it, and is no reason to write another one
// early, however small that is.
// CHECK-LABEL: func.func @needed(
// CHECK-SAME: %[[W:[^:]*]]: tensor<2xf32> {train.reads, train.updated, train.variable = @w, train.writes}, %[[V:[^:]*]]: tensor<8xf32> {train.reads, train.variable = @v, train.writes})
// CHECK: linalg.exp {{.*}} outs(%[[V]]
// CHECK: linalg_ext.check
// CHECK: linalg.exp {{.*}} outs(%[[W]]
func.func @needed(%x: tensor<2xf32>, %y: tensor<8xf32>,
                  %w: tensor<2xf32> {train.variable = @w, train.reads, train.writes, train.updated},
                  %v: tensor<8xf32> {train.variable = @v, train.reads, train.writes, train.updated})
    -> (tensor<2xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %neww = linalg.exp ins(%x : tensor<2xf32>) outs(%w : tensor<2xf32>) -> tensor<2xf32>
  %newv = linalg.exp ins(%y : tensor<8xf32>) outs(%v : tensor<8xf32>) -> tensor<8xf32>
  %e = tensor.extract %newv[%c0] : tensor<8xf32>
  %ok = arith.cmpf olt, %e, %zero : f32
  linalg_ext.check data %ok, "no"
  return %neww, %newv : tensor<2xf32>, tensor<8xf32>
}

// -----

// If a copy of the check's operands is much larger, the check comes late: the
// variable is not `train.updated` any more.
// CHECK-LABEL: func.func @small(
// CHECK-SAME: %[[A:[^:]*]]: tensor<2xf32> {train.reads, train.variable = @a, train.writes}, %[[B:[^:]*]]: tensor<32xf32> {train.reads, train.variable = @b, train.writes})
// CHECK-NOT: linalg.copy
// CHECK: linalg.abs {{.*}} outs(%[[A]]
// CHECK: linalg.exp {{.*}} outs(%[[B]]
// CHECK: linalg_ext.check
func.func @small(%x: tensor<32xf32>,
                 %a: tensor<2xf32> {train.variable = @a, train.reads, train.writes, train.updated},
                 %b: tensor<32xf32> {train.variable = @b, train.reads, train.writes, train.updated})
    -> (tensor<2xf32>, tensor<32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %part = tensor.extract_slice %b[0] [2] [1] : tensor<32xf32> to tensor<2xf32>
  %newa = linalg.abs ins(%part : tensor<2xf32>) outs(%a : tensor<2xf32>) -> tensor<2xf32>
  %newb = linalg.exp ins(%x : tensor<32xf32>) outs(%b : tensor<32xf32>) -> tensor<32xf32>
  %e = tensor.extract %newb[%c0] : tensor<32xf32>
  %ok = arith.cmpf olt, %e, %zero : f32
  linalg_ext.check data %ok, "no"
  return %newa, %newb : tensor<2xf32>, tensor<32xf32>
}

// -----

// One copy serves all that read one value, and costs what it is once; one of a size
// that is not known costs much.
// CHECK-LABEL: func.func @readers(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32>{{[^%]*}}%[[B:[^:]*]]: tensor<6xf32>{{[^%]*}}%[[C:[^:]*]]: tensor<?xf32>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @a} ins(%[[A]]
// CHECK-NOT: linalg.copy
// CHECK: tensor.insert_slice %[[OLD]] into %[[B]]
// CHECK: tensor.insert_slice %[[OLD]] into %[[C]]
func.func @readers(%a: tensor<4xf32> {train.variable = @a, train.reads, train.writes},
                   %b: tensor<6xf32> {train.variable = @b, train.reads, train.writes},
                   %c: tensor<?xf32> {train.variable = @c, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<6xf32>, tensor<?xf32>) {
  %newb = tensor.insert_slice %a into %b[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
  // expected-remark@below {{the old value of variable @a is needed after it is overwritten, in a cycle of assignments: one copy of 'tensor<4xf32>'}}
  %newc = tensor.insert_slice %a into %c[0] [4] [1] : tensor<4xf32> into tensor<?xf32>
  %partb = tensor.extract_slice %b[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %partc = tensor.extract_slice %c[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  %newa = linalg.add ins(%partb, %partc : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %newa, %newb, %newc : tensor<4xf32>, tensor<6xf32>, tensor<?xf32>
}

// -----

// An op that only overwrites a value does not read it; and a result has no
// old value.
// CHECK-LABEL: func.func @unread(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32>{{[^,]*}}, %[[S:[^:]*]]: tensor<4xf32>{{[^,]*}}, %[[V:[^:]*]]: tensor<4xf32>
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @unread(%x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64}, %s: tensor<4xf32> {train.result = 1 : i64},
                  %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %new = linalg.exp ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %t = linalg.abs ins(%x : tensor<4xf32>) outs(%new : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.exp ins(%t : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %u = linalg.abs ins(%0 : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%u : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %new : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A value that is computed in a part of a variable is inserted in the variable
// itself, also if another variable reads a copy.
// CHECK-LABEL: func.func @place(
// CHECK-SAME: %[[V:[^:]*]]: tensor<4xf32>{{[^%]*}}%[[W:[^:]*]]: tensor<8xf32>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @v} ins(%[[V]]
// CHECK-DAG: tensor.insert_slice %{{.*}} into %[[V]][0] [2] [1]
// CHECK-DAG: tensor.insert_slice %[[OLD]] into %[[W]][0] [4] [1]
func.func @place(%v: tensor<4xf32> {train.variable = @v, train.reads, train.writes},
                 %w: tensor<8xf32> {train.variable = @w, train.reads, train.writes})
    -> (tensor<4xf32>, tensor<8xf32>) {
  %to = tensor.extract_slice %v[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %from = tensor.extract_slice %w[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %part = linalg.exp ins(%from : tensor<2xf32>) outs(%to : tensor<2xf32>) -> tensor<2xf32>
  %newv = tensor.insert_slice %part into %v[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  // expected-remark@below {{the old value of variable @v is needed after it is overwritten, in a cycle of assignments: one copy of 'tensor<4xf32>'}}
  %neww = tensor.insert_slice %v into %w[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %newv, %neww : tensor<4xf32>, tensor<8xf32>
}

// -----

// An iter_arg is read before it is overwritten as well; and a branch that yields
// the old value besides the new one yields a copy.
// CHECK-LABEL: func.func @carried(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK-NEXT: %[[READ:.*]] = linalg.abs ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK-NEXT: %[[NEW:.*]] = linalg.exp ins(%[[A]] {{.*}} outs(%[[A]]
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @v}
// CHECK: %[[NEWV:.*]] = linalg.exp
// CHECK: scf.yield %[[NEWV]], %[[OLD]]
func.func @carried(%c: i1, %n: index, %x: tensor<4xf32>, %y: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                   %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    %new = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    %read = linalg.abs ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %new, %read : tensor<4xf32>, tensor<4xf32>
  }
  %1:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %new = linalg.exp ins(%0#1 : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
    // expected-remark@below {{the old value of variable @v is needed by the op that overwrites it: one copy of 'tensor<4xf32>'}}
    scf.yield %new, %v : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %v, %x : tensor<4xf32>, tensor<4xf32>
  }
  %read = linalg.abs ins(%1#1 : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %read, %1#0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop that starts from a variable that it does not write, but the step does,
// starts from a copy that the program asks for.
// CHECK-LABEL: func.func @own(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[R:[^:]*]]: tensor<?xf32> {{{[^}]*}}}, %[[W:[^:]*]]: tensor<?xf32>
// CHECK: %[[DIM:.*]] = tensor.dim %[[W]]
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor(%[[DIM]])
// CHECK: %[[COPY:.*]] = linalg.copy {train.snapshot = @w} ins(%[[W]] {{.*}} outs(%[[OWN]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK: linalg_ext.store %[[X]] in %[[W]]
func.func @own(%x: tensor<?xf32>, %r: tensor<?xf32> {train.result = 0 : i64},
               %w: tensor<?xf32> {train.variable = @w, train.reads, train.writes}, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w) -> (tensor<?xf32>) {
    %e = math.exp %a : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %norm = math.exp %0 : tensor<?xf32>
  %result = linalg_ext.store %norm in %r : tensor<?xf32> in tensor<?xf32>
  %new = linalg_ext.store %x in %w : tensor<?xf32> in tensor<?xf32>
  return %result, %new : tensor<?xf32>, tensor<?xf32>
}

// -----

// A loop that starts from what a branch has written, but does not write it, starts
// from a copy as well.
// CHECK-LABEL: func.func @version(
// CHECK-SAME: %{{[^:]*}}: i1, %{{[^:]*}}: tensor<4xf32>, %{{[^:]*}}: tensor<4xf32> {{{[^}]*}}}, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: scf.if
// CHECK: %[[NEW:.*]] = linalg.exp {{.*}} outs(%[[W]]
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor()
// CHECK: %[[COPY:.*]] = linalg.copy {train.snapshot = @w} ins(%[[NEW]] {{.*}} outs(%[[OWN]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK: scf.yield %{{.*}}, %[[NEW]]
func.func @version(%c: i1, %x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                   %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %new = linalg.exp ins(%x : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
    %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %new) -> tensor<4xf32> {
      %e = math.exp %a : tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    }
    %norm = math.exp %1 : tensor<4xf32>
    scf.yield %norm, %new : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %x, %w : tensor<4xf32>, tensor<4xf32>
  }
  %result = linalg_ext.store %0#0 in %r : tensor<4xf32> in tensor<4xf32>
  return %result, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A part that is read after the update of another part is copied alone, though
// nothing has asked for the part by then.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @v} ins(%{{.*}} : tensor<2xf32>)
// CHECK-NOT: linalg.copy
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %{{.*}} into %[[V]][0] [2] [1]
// CHECK: linalg.exp ins(%[[OLD]]
// CHECK: tensor.insert_slice %{{.*}} into %[[FIRST]][2] [2] [1]
func.func @halves(%x: tensor<2xf32>, %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> tensor<4xf32> {
  %to = tensor.extract_slice %v[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %part = linalg.abs ins(%x : tensor<2xf32>) outs(%to : tensor<2xf32>) -> tensor<2xf32>
  %first = tensor.insert_slice %part into %v[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %behind = tensor.extract_slice %first[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %half = tensor.extract_slice %v[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  // expected-remark@below {{one copy of 'tensor<2xf32>'}}
  %other = linalg.exp ins(%half : tensor<2xf32>) outs(%behind : tensor<2xf32>) -> tensor<2xf32>
  %new = tensor.insert_slice %other into %first[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// An op with several blocks is not a branch: its result is a value of its own.
// CHECK-LABEL: func.func @blocks(
// CHECK: linalg_ext.store %{{.*}} in
func.func @blocks(%c: i1, %x: tensor<4xf32>, %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> tensor<4xf32> {
  %0 = scf.execute_region -> tensor<4xf32> {
    cf.cond_br %c, ^bb1(%x : tensor<4xf32>), ^bb1(%v : tensor<4xf32>)
  ^bb1(%t: tensor<4xf32>):
    scf.yield %t : tensor<4xf32>
  }
  %new = linalg_ext.store %0 in %v : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// An op that runs one of several regions is a branch, however many there are.
// CHECK-LABEL: func.func @cases(
// CHECK-SAME: %{{[^:]*}}: index, %{{[^:]*}}: tensor<4xf32>, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: scf.index_switch
// CHECK: linalg.exp ins(%{{.*}} : tensor<4xf32>) outs(%[[V]] : tensor<4xf32>)
// CHECK: linalg.abs ins(%{{.*}} : tensor<4xf32>) outs(%[[V]] : tensor<4xf32>)
// CHECK-NOT: linalg_ext.store
func.func @cases(%i: index, %x: tensor<4xf32>, %v: tensor<4xf32> {train.variable = @v, train.reads, train.writes}) -> tensor<4xf32> {
  %0 = scf.index_switch %i -> tensor<4xf32>
  case 0 {
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  case 1 {
    %b = linalg.abs ins(%x : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  default {
    scf.yield %v : tensor<4xf32>
  }
  %new = linalg_ext.store %0 in %v : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Parts of a part of a variable are written one after the other, and then the
// part is inserted: all of it is in place.
// CHECK-LABEL: func.func @parts_of_a_part(
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @parts_of_a_part(%x: tensor<4xf32>,
                           %v: tensor<17xf32> {train.variable = @v, train.reads, train.writes})
    -> tensor<17xf32> {
  %part = tensor.extract_slice %v[3] [8] [1] : tensor<17xf32> to tensor<8xf32>
  %low = tensor.extract_slice %part[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %new_low = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%low : tensor<4xf32>) {
    ^bb0(%a: f32, %old: f32):
      %sum = arith.addf %a, %old : f32
      linalg.yield %sum : f32
  } -> tensor<4xf32>
  %half = tensor.insert_slice %new_low into %part[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %high = tensor.extract_slice %half[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %new_high = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%high : tensor<4xf32>) {
    ^bb0(%a: f32, %old: f32):
      %sum = arith.addf %a, %old : f32
      linalg.yield %sum : f32
  } -> tensor<4xf32>
  %whole = tensor.insert_slice %new_high into %half[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %new = tensor.insert_slice %whole into %v[3] [8] [1] : tensor<8xf32> into tensor<17xf32>
  return %new : tensor<17xf32>
}
