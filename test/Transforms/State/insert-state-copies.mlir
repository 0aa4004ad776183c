// RUN: flywheel-opt %s --flywheel-insert-state-copies --split-input-file --verify-diagnostics | FileCheck %s

// A value that is in its storage already is not copied, also after a cast or
// the same allocation.
// CHECK-LABEL: func.func @same(
// CHECK-SAME: %[[V:[^:]*]]: memref<4xf32>
// CHECK-NOT: copy
// CHECK-NOT: commit
func.func @same(%v: memref<4xf32> {train.variable = @v, train.writes}) {
  %0 = memref.cast %v : memref<4xf32> to memref<?xf32>
  linalg_ext.commit %0 to %v : memref<?xf32> to memref<4xf32>
  return
}

// -----

// A rotation of three: one buffer is read before all, and that is one copy more.
// CHECK-LABEL: func.func @rotate(
// CHECK-SAME: %[[A:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[B:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[C:[^:]*]]: memref<4xf32>
// CHECK: %[[T:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[B]], %[[T]]
// CHECK-NEXT: memref.copy %[[C]], %[[B]]
// CHECK-NEXT: memref.copy %[[A]], %[[C]]
// CHECK-NEXT: memref.copy %[[T]], %[[A]]
// CHECK-NEXT: return
// expected-remark@below {{variable @a gets its new value at the end of the step, as its old one is needed until then: one copy of 'memref<4xf32>'}}
// expected-remark@below {{variable @b gets its new value at the end of the step}}
// expected-remark@below {{variable @c gets its new value at the end of the step}}
func.func @rotate(%a: memref<4xf32> {train.variable = @a, train.writes}, %b: memref<4xf32> {train.variable = @b, train.writes}, %c: memref<4xf32> {train.variable = @c, train.writes}) {
  linalg_ext.commit %b, %c, %a to %a, %b, %c : memref<4xf32>, memref<4xf32>, memref<4xf32> to memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

// A chain needs an order, but no further copy: a := new, b := old a.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[A:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[B:[^:]*]]: memref<4xf32>
// CHECK: %[[NEW:.*]] = memref.alloc() : memref<4xf32>
// CHECK: linalg.exp ins(%[[A]] : memref<4xf32>) outs(%[[NEW]] : memref<4xf32>)
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.copy %[[NEW]], %[[A]]
// CHECK-NEXT: return
// expected-remark@below {{variable @b gets its new value at the end}}
func.func @chain(%a: memref<4xf32> {train.variable = @a, train.writes}, %b: memref<4xf32> {train.variable = @b, train.writes}) {
  // expected-remark@below {{variable @a gets its new value at the end}}
  %new = memref.alloc() : memref<4xf32>
  linalg.exp ins(%a : memref<4xf32>) outs(%new : memref<4xf32>)
  linalg_ext.commit %new, %a to %a, %b : memref<4xf32>, memref<4xf32> to memref<4xf32>, memref<4xf32>
  return
}

// -----

// A part may be of what another move overwrites, and what a branch passes on too.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[COND:[^:]*]]: i1, %[[X:[^:]*]]: memref<4xf32>, %[[R:[^:]*]]: memref<2xf32> {{{[^}]*}}}, %[[S:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[V:[^:]*]]: memref<4xf32>
// CHECK: %[[PART:.*]] = memref.subview %[[V]]
// CHECK: %[[IF:.*]] = scf.if
// CHECK: memref.copy %[[PART]], %[[R]]
// CHECK-NEXT: memref.copy %[[IF]], %[[S]]
// CHECK-NEXT: memref.copy %[[X]], %[[V]]
// CHECK: return
// expected-remark@below {{variable @v gets its new value at the end}}
func.func @parts(%c: i1, %x: memref<4xf32>, %r: memref<2xf32> {train.result = 0 : i64}, %s: memref<4xf32> {train.result = 1 : i64}, %v: memref<4xf32> {train.variable = @v, train.writes}) {
  %part = memref.subview %v[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  %0 = scf.if %c -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %v : memref<4xf32>
  }
  linalg_ext.commit %part, %0, %x to %r, %s, %v : memref<2xf32, strided<[1], offset: 1>>, memref<4xf32>, memref<4xf32> to memref<2xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

// A value that an iteration leaves elsewhere is copied back: here two values
// that are swapped, and one that bufferization has copied already.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32>
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[D:.*]] = memref.alloc() : memref<4xf32>
// CHECK: scf.for
// CHECK: %[[T:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[B]], %[[T]]
// CHECK-NEXT: memref.copy %[[X]], %[[D]]
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.copy %[[T]], %[[A]]
// CHECK-NEXT: scf.yield %[[A]], %[[B]], %[[D]]
// CHECK: memref.copy %[[A]], %[[X]]
func.func @loop(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %d = memref.alloc() : memref<4xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b, %s = %d) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
    %t = memref.alloc() : memref<4xf32>
    memref.copy %q, %t : memref<4xf32> to memref<4xf32>
    %u = memref.alloc() : memref<4xf32>
    memref.copy %p, %u : memref<4xf32> to memref<4xf32>
    %w = memref.alloc() : memref<4xf32>
    memref.copy %x, %w : memref<4xf32> to memref<4xf32>
    scf.yield %t, %u, %w : memref<4xf32>, memref<4xf32>, memref<4xf32>
  }
  memref.copy %r#0, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A copy that is changed afterwards is not the copied buffer.
// CHECK-LABEL: func.func @changed(
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: scf.for
// CHECK: %[[T:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %[[A]], %[[T]]
// CHECK: linalg.exp ins(%[[A]] : memref<4xf32>) outs(%[[T]] : memref<4xf32>)
// CHECK: memref.copy %[[T]], %[[A]]
func.func @changed(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> (memref<4xf32>) {
    %t = memref.alloc() : memref<4xf32>
    memref.copy %p, %t : memref<4xf32> to memref<4xf32>
    linalg.exp ins(%p : memref<4xf32>) outs(%t : memref<4xf32>)
    scf.yield %t : memref<4xf32>
  }
  return
}

// -----

// A while loop: what its first region passes on is where it began, and what the
// second leaves goes back there.
// CHECK-LABEL: func.func @while(
// CHECK-SAME: %[[GO:[^:]*]]: i1, %[[X:[^:]*]]: memref<4xf32>
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: scf.while
// CHECK: linalg.exp ins(%[[X]] : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK: scf.condition
// CHECK: %[[T:.*]] = memref.alloc() : memref<4xf32>
// CHECK: linalg.abs ins(%[[A]] : memref<4xf32>) outs(%[[T]] : memref<4xf32>)
// CHECK: memref.copy %[[T]], %[[A]]
// CHECK-NEXT: scf.yield %[[A]]
// CHECK: memref.copy %[[A]], %[[X]]
func.func @while(%go: i1, %x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %r = scf.while (%p = %a) : (memref<4xf32>) -> memref<4xf32> {
    linalg.exp ins(%x : memref<4xf32>) outs(%p : memref<4xf32>)
    scf.condition(%go) %p : memref<4xf32>
  } do {
  ^bb0(%q: memref<4xf32>):
    %t = memref.alloc() : memref<4xf32>
    linalg.abs ins(%q : memref<4xf32>) outs(%t : memref<4xf32>)
    scf.yield %t : memref<4xf32>
  }
  memref.copy %r, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Two carried values that start in one buffer are two.
// CHECK-LABEL: func.func @shared(
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.copy %[[B]], %[[A]]
// CHECK-NEXT: memref.copy %{{.*}}, %[[B]]
// CHECK-NEXT: scf.yield %[[A]], %[[B]]
func.func @shared(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %a) -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %q, %x : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

// A copy keeps the old value of its source: the rotation needs both.
// CHECK-LABEL: func.func @overwritten(
// CHECK-SAME: %[[C:[^:]*]]: memref<4xf32>
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<4xf32>
// CHECK: scf.for
// CHECK: %[[X:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[B]], %[[X]]
// CHECK-NEXT: memref.copy %[[C]], %[[B]]
// CHECK-NEXT: memref.copy %[[X]], %[[A]]
// CHECK-NEXT: scf.yield
func.func @overwritten(%c: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<4xf32>, memref<4xf32>) {
    %x = memref.alloc() : memref<4xf32>
    memref.copy %q, %x : memref<4xf32> to memref<4xf32>
    memref.copy %c, %q : memref<4xf32> to memref<4xf32>
    scf.yield %x, %q : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

// A value that is selected, yielded or a slice may alias the overwritten one: it is
// read first, whatever comes first.
// CHECK-LABEL: func.func @chosen(
// CHECK-SAME: %{{[^:]*}}: i1, %{{[^:]*}}: index, %[[X:[^:]*]]: memref<4xf32>, %[[V:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[R:[^:]*]]: memref<4xf32>
// CHECK: %[[SOURCE:.*]] = arith.select
// CHECK: memref.copy %[[SOURCE]], %[[R]]
// CHECK-NEXT: memref.copy %[[X]], %[[V]]
// EXAMPLE: --flywheel-insert-state-copies
// expected-remark@below {{variable @v gets its new value at the end}}
func.func @chosen(%c: i1, %n: index, %x: memref<4xf32>, %v: memref<4xf32> {train.variable = @v, train.writes}, %r: memref<4xf32> {train.result = 0 : i64}) {
  %0 = arith.select %c, %x, %v : memref<4xf32>
  linalg_ext.commit %x, %0 to %v, %r : memref<4xf32>, memref<4xf32> to memref<4xf32>, memref<4xf32>
  return
}

// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %{{[^:]*}}: i1, %{{[^:]*}}: index, %[[X:[^:]*]]: memref<4xf32>, %[[V:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[R:[^:]*]]: memref<4xf32>
// CHECK: %[[SOURCE:.*]] = scf.if
// CHECK: memref.copy %[[SOURCE]], %[[R]]
// CHECK-NEXT: memref.copy %[[X]], %[[V]]
// expected-remark@below {{variable @v gets its new value at the end}}
func.func @branch(%c: i1, %n: index, %x: memref<4xf32>, %v: memref<4xf32> {train.variable = @v, train.writes}, %r: memref<4xf32> {train.result = 0 : i64}) {
  %0 = scf.if %c -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %v : memref<4xf32>
  }
  linalg_ext.commit %x, %0 to %v, %r : memref<4xf32>, memref<4xf32> to memref<4xf32>, memref<4xf32>
  return
}

// CHECK-LABEL: func.func @case(
// CHECK-SAME: %{{[^:]*}}: i1, %{{[^:]*}}: index, %[[X:[^:]*]]: memref<4xf32>, %[[V:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[R:[^:]*]]: memref<4xf32>
// CHECK: %[[SOURCE:.*]] = scf.index_switch
// CHECK: memref.copy %[[SOURCE]], %[[R]]
// CHECK-NEXT: memref.copy %[[X]], %[[V]]
// expected-remark@below {{variable @v gets its new value at the end}}
func.func @case(%c: i1, %n: index, %x: memref<4xf32>, %v: memref<4xf32> {train.variable = @v, train.writes}, %r: memref<4xf32> {train.result = 0 : i64}) {
  %0 = scf.index_switch %n -> memref<4xf32>
  case 0 {
    scf.yield %x : memref<4xf32>
  }
  default {
    scf.yield %v : memref<4xf32>
  }
  linalg_ext.commit %x, %0 to %v, %r : memref<4xf32>, memref<4xf32> to memref<4xf32>, memref<4xf32>
  return
}

// CHECK-LABEL: func.func @part(
// CHECK-SAME: %{{[^:]*}}: i1, %{{[^:]*}}: index, %[[X:[^:]*]]: memref<4xf32>, %[[V:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[R:[^:]*]]: memref<2xf32>
// CHECK: %[[SOURCE:.*]] = memref.subview
// CHECK: memref.copy %[[SOURCE]], %[[R]]
// CHECK-NEXT: memref.copy %[[X]], %[[V]]
// expected-remark@below {{variable @v gets its new value at the end}}
func.func @part(%c: i1, %n: index, %x: memref<4xf32>, %v: memref<4xf32> {train.variable = @v, train.writes}, %r: memref<2xf32> {train.result = 0 : i64}) {
  %0 = memref.subview %v[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  linalg_ext.commit %x, %0 to %v, %r : memref<4xf32>, memref<2xf32, strided<[1], offset: 1>> to memref<4xf32>, memref<2xf32>
  return
}

// -----

// The values that a while loop yields are known, and one that may be in its own
// storage needs no other: there is no cycle.
// CHECK-LABEL: func.func @passed(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: memref<4xf32>, %[[A:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[B:[^:]*]]: memref<4xf32> {{{[^}]*}}}, %[[D:[^:]*]]: memref<4xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[CHOSEN:.*]] = arith.select
// CHECK: %[[WHILE:.*]] = scf.while
// CHECK: memref.copy %[[A]], %[[B]]
// CHECK: memref.copy %[[WHILE]], %[[A]]
// CHECK-NOT: memref.alloc
// CHECK: return
// expected-remark@below {{variable @b gets its new value at the end}}
func.func @passed(%c: i1, %x: memref<4xf32>, %a: memref<4xf32> {train.variable = @a, train.writes},
                  %b: memref<4xf32> {train.variable = @b, train.writes}, %d: memref<4xf32> {train.variable = @d, train.writes}) {
  // expected-remark@below {{variable @d gets its new value at the end}}
  %chosen = arith.select %c, %x, %d : memref<4xf32>
  // expected-remark@below {{variable @a gets its new value at the end}}
  %0 = scf.while : () -> memref<4xf32> {
    scf.condition(%c) %x : memref<4xf32>
  } do {
  ^bb0(%q: memref<4xf32>):
    scf.yield
  }
  linalg_ext.commit %0, %a, %chosen to %a, %b, %d : memref<4xf32>, memref<4xf32>, memref<4xf32> to memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

// Behind the condition, too.
// CHECK-LABEL: func.func @behind(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: memref<4xf32>)
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: ^bb0(%[[S:.*]]: memref<4xf32>):
// CHECK-NEXT: memref.copy %[[S]], %[[B]]
// CHECK-NEXT: memref.copy %[[X]], %[[A]]
// CHECK-NEXT: scf.yield %[[A]], %[[B]]
func.func @behind(%c: i1, %x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %r = scf.while (%p = %a, %q = %b) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32> {
    %s = arith.select %c, %p, %q : memref<4xf32>
    scf.condition(%c) %s : memref<4xf32>
  } do {
  ^bb0(%s: memref<4xf32>):
    scf.yield %x, %s : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

// A copy of an equal value is removed; one that may not execute is kept.
// CHECK-LABEL: func.func @copied(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: scf.for
// CHECK-NEXT: %[[U:.*]] = memref.alloc()
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.copy %[[A]], %[[U]]
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[U]], %[[B]]
// CHECK-NEXT: scf.yield %[[A]], %[[B]]
func.func @copied(%c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<4xf32>, memref<4xf32>) {
    %u = memref.alloc() : memref<4xf32>
    scf.if %c {
      memref.copy %p, %u : memref<4xf32> to memref<4xf32>
    }
    %t = memref.alloc() : memref<4xf32>
    memref.copy %p, %t : memref<4xf32> to memref<4xf32>
    scf.yield %t, %u : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

// The value that an iteration yields is a copy that the program asks for.
// CHECK-LABEL: func.func @marked(
// CHECK-SAME: %[[V:[^:]*]]: memref<4xf32>, %[[N:.*]]: index)
// CHECK: %[[H:.*]] = memref.alloc()
// CHECK: scf.for
// CHECK-NEXT: memref.copy %[[V]], %[[H]] {linalg_ext.assigned} :
func.func @marked(%v: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.alloc() : memref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %h) -> memref<4xf32> {
    scf.yield %v : memref<4xf32>
  }
  return
}
