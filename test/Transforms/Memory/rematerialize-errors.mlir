// RUN: flywheel-opt %s --flywheel-rematerialize='memory-budget=100 dim-size=64' --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// expected-error@below {{'both' needs a workspace of at least 128 bytes, more than the memory budget of 100 bytes}}
func.func @both(%x: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  // expected-note@below {{a value of 64 bytes is computed here}}
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  // expected-note@below {{most is needed here: 2 values}}
  // expected-note@below {{a value of 64 bytes is computed here}}
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.mul ins(%a, %b : memref<16xf32>, memref<16xf32>) outs(%x : memref<16xf32>)
  return
}

// -----

// expected-error@below {{'dynamic' needs a workspace of at least 256 bytes where every dimension size is 64, more than the memory budget of 100 bytes}}
func.func @dynamic(%x: memref<?xf32> {train.dim_sizes = array<i64: 0>}) attributes {train.symbols = ["batch"]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  // expected-note@below {{most is needed here: 1 value}}
  // expected-note@below {{a value of 256 bytes is computed here}}
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.negf ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// -----

// Values of the old value of a variable cannot be recomputed after its update.
// expected-error@below {{'overwritten' needs a workspace of at least 128 bytes}}
func.func @overwritten(%x: memref<16xf32>, %v: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  // expected-note@below {{a value of 64 bytes is computed here}}
  linalg.exp ins(%v : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.copy ins(%a : memref<16xf32>) outs(%v : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  // expected-note@below {{most is needed here: 2 values}}
  // expected-note@below {{a value of 64 bytes is computed here}}
  linalg.negf ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.add ins(%b, %v : memref<16xf32>, memref<16xf32>) outs(%v : memref<16xf32>)
  linalg.mul ins(%a, %v : memref<16xf32>, memref<16xf32>) outs(%v : memref<16xf32>)
  return
}

// -----

// An op with other effects than on buffers is not repeated.
func.func private @count(memref<16xf32>)
// expected-error@below {{'called' needs a workspace of at least 128 bytes}}
func.func @called(%x: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  // expected-note@below {{a value of 64 bytes is computed here}}
  func.call @count(%a) : (memref<16xf32>) -> ()
  linalg.copy ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  // expected-note@below {{most is needed here: 2 values}}
  // expected-note@below {{a value of 64 bytes is computed here}}
  linalg.negf ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.add ins(%b, %x : memref<16xf32>, memref<16xf32>) outs(%x : memref<16xf32>)
  linalg.mul ins(%a, %x : memref<16xf32>, memref<16xf32>) outs(%x : memref<16xf32>)
  return
}

// -----

// A size that nothing bounds.
func.func @unbounded(%n: memref<index>) {
  %0 = memref.load %n[] : memref<index>
  // expected-error@below {{expected a buffer whose size is bounded by the dimension sizes of the feeds}}
  %a = memref.alloc(%0) : memref<?xf32>
  return
}
