// RUN: flywheel-opt %s --flywheel-plan-workspace --split-input-file --verify-diagnostics

func.func @unbounded(%n: memref<index>) {
  %size = memref.load %n[] : memref<index>
  // expected-error@below {{expected a buffer whose size is bounded by the extents of the feeds, found 'memref<?xf32>'}}
  %a = memref.alloc(%size) : memref<?xf32>
  return
}

// -----

func.func @complex() {
  // expected-error@below {{expected a buffer of numbers, found elements of type 'complex<f32>'}}
  %a = memref.alloc() : memref<4xcomplex<f32>>
  return
}
