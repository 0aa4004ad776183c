// RUN: flywheel-opt %s --flywheel-fit-workspace="memory-budget=100 workers=2 min-work=0 min-loop-work=0" --verify-diagnostics

// T10: A budget that one worker does not meet either, in functions that are
// compiled at the same time: what was said in attempts is said once.
// expected-error @below {{'first' needs a workspace of at least 8192 bytes, more than the memory budget of 100 bytes}}
func.func @first(%x: memref<1024xf32>, %r: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  // expected-note @below {{a value of 4096 bytes is computed here}}
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  // expected-note @below {{most is needed here: 2 values}}
  // expected-note @below {{a value of 4096 bytes is computed here}}
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  linalg.exp ins(%b : memref<1024xf32>) outs(%r : memref<1024xf32>)
  return
}

// expected-error @below {{'second' needs a workspace of at least 8192 bytes, more than the memory budget of 100 bytes}}
func.func @second(%x: memref<1024xf32>, %r: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  // expected-note @below {{a value of 4096 bytes is computed here}}
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  // expected-note @below {{most is needed here: 2 values}}
  // expected-note @below {{a value of 4096 bytes is computed here}}
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  linalg.exp ins(%b : memref<1024xf32>) outs(%r : memref<1024xf32>)
  return
}
