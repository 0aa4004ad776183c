// RUN: flywheel-opt %s --flywheel-plan-workspace='memory-budget=64' --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @unbounded(%n: memref<index>) {
  %size = memref.load %n[] : memref<index>
  // expected-error@below {{expected a buffer whose size is bounded by the dimension sizes of the feeds, found 'memref<?xf32>'}}
  %a = memref.alloc(%size) : memref<?xf32>
  return
}

// -----

func.func @complex() {
  // expected-error@below {{expected a buffer of numbers, found elements of type 'complex<f32>'}}
  %a = memref.alloc() : memref<4xcomplex<f32>>
  return
}

// -----

// expected-error@below {{'large' needs a workspace of 128 bytes, more than the memory budget of 64 bytes}}
func.func @large(%x: memref<16xf32>, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.add ins(%a, %b : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// If nothing is dynamic, no call needs less.
func.func @static() {
  // expected-error@below {{this needs a buffer of type 'memref<4611686018427387904xf32>', more than 2^56 bytes}}
  %a = memref.alloc() : memref<4611686018427387904xf32>
  return
}

// -----

// expected-error@below {{'sum' needs a workspace of more than 2^56 bytes}}
func.func @sum() {
  %zero = arith.constant 0 : i8
  // expected-note@below {{its largest buffer is 72057594037927936 bytes}}
  %a = memref.alloc() : memref<72057594037927936xi8>
  %b = memref.alloc() : memref<72057594037927936xi8>
  linalg.fill ins(%zero : i8) outs(%a : memref<72057594037927936xi8>)
  linalg.fill ins(%zero : i8) outs(%b : memref<72057594037927936xi8>)
  linalg.copy ins(%a : memref<72057594037927936xi8>) outs(%b : memref<72057594037927936xi8>)
  return
}

// -----

// A check after a buffer is too late, one in a branch may not be made, and a
// negative number is above all sizes.
func.func @checked_late(%x: memref<?xf32> {train.dim_sizes = array<i64: 0>}, %n: memref<index>) attributes {train.symbols = ["batch"]} {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %size = memref.load %n[] : memref<index>
  // expected-error@below {{expected a buffer whose size is bounded by the dimension sizes of the feeds, found 'memref<?xf32>'}}
  %a = memref.alloc(%size) : memref<?xf32>
  %ok = linalg_ext.compare_sizes eq %size, %d
  linalg_ext.check sizes %ok, "expected equal sizes"
  return
}

// -----

func.func @checked_in_branch(%x: memref<?xf32> {train.dim_sizes = array<i64: 0>}, %n: memref<index>, %p: i1) attributes {train.symbols = ["batch"]} {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %size = memref.load %n[] : memref<index>
  %ok = linalg_ext.compare_sizes eq %size, %d
  scf.if %p {
    linalg_ext.check sizes %ok, "expected equal sizes"
  }
  // expected-error@below {{expected a buffer whose size is bounded by the dimension sizes of the feeds, found 'memref<?xf32>'}}
  %a = memref.alloc(%size) : memref<?xf32>
  return
}

// -----

func.func @below_negative(%x: memref<?xf32> {train.dim_sizes = array<i64: 0>}, %n: memref<index>) attributes {train.symbols = ["batch"]} {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %size = memref.load %n[] : memref<index>
  %c5 = arith.constant 5 : index
  %less = arith.subi %d, %c5 : index
  %ok = arith.cmpi ule, %size, %less : index
  linalg_ext.check sizes %ok, "expected less"
  // expected-error@below {{expected a buffer whose size is bounded by the dimension sizes of the feeds, found 'memref<?xf32>'}}
  %a = memref.alloc(%size) : memref<?xf32>
  return
}
