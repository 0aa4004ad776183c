// RUN: flywheel-opt %s --flywheel-fit-workspace="memory-budget=12300 workers=2 min-work=0 min-loop-work=0" 2>%t.wide | FileCheck %s --check-prefix=WIDE
// RUN: count 0 < %t.wide
// RUN: flywheel-opt %s --flywheel-fit-workspace="memory-budget=9000 workers=2 min-work=0 min-loop-work=0" 2>%t.one | FileCheck %s --check-prefix=ONE
// RUN: FileCheck %s --check-prefix=SAYS < %t.one

#id = affine_map<(d0) -> (d0)>
#turned = affine_map<(d0) -> (-d0 + 1023)>

// T10: An op that reads other elements than its worker wrote is after a barrier:
// with a buffer of 4096 bytes each for %a and %b, and one for %c where the first is
// read no more.
// WIDE-LABEL: func.func @chain(
// WIDE-SAME: codegen.workers = 2
// WIDE: codegen.barrier
// ONE-LABEL: func.func @chain(
// ONE-NOT: codegen.worker
// ONE: return
// SAYS: warning: one worker executes 'chain': no plan for several was found within the memory budget of 9000 bytes
// SAYS: warning: one worker executes 'second'
// SAYS: warning: one worker executes 'third'
func.func @chain(%x: memref<1024xf32>, %r: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  %b = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  %c = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%c : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  return
}

// Other functions are compiled at the same time, and say what is theirs.
func.func @second(%x: memref<1024xf32>, %r: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  %b = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  %c = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%c : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  return
}

func.func @third(%x: memref<1024xf32>, %r: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  %b = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  %c = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%c : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  return
}
