// RUN: flywheel-opt %s --flywheel-verify-checks-first --split-input-file --verify-diagnostics

// X1: a check that fails has changed nothing.
func.func @plain(%v: memref<4xf32> {train.variable = @v, train.writes}, %c: i1) {
  %zero = arith.constant 0.0 : f32
  // expected-note@below {{the write}}
  linalg.fill ins(%zero : f32) outs(%v : memref<4xf32>)
  // expected-error@below {{expected before every write of a variable, found one of @v before it}}
  linalg_ext.check data %c, "checked"
  return
}

// -----

// By another name, in a loop, of a part.
func.func @forwarded(%v: memref<4xf32> {train.variable = @v, train.writes}, %c: i1, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%m = %v) -> (memref<4xf32>) {
    scf.yield %m : memref<4xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %part = memref.subview %l[%i] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1], offset: ?>>
    // expected-note@below {{the write}}
    linalg.fill ins(%zero : f32) outs(%part : memref<1xf32, strided<[1], offset: ?>>)
  }
  // expected-error@below {{expected before every write of a variable, found one of @v before it}}
  linalg_ext.check data %c, "checked"
  return
}
