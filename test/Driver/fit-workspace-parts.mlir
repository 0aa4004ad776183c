// T10: A plan for several workers is sought with smaller and smaller budgets. Each worker has a buffer of the loop, and
// the recomputed values are chosen as if there were one.
// With four workers a plan fits that recomputes as if the budget were five sixteenths of it.
// RUN: flywheel-opt %s --flywheel-fit-workspace="memory-budget=82000 workers=4 min-work=0 min-loop-work=0" 2> %t.four | FileCheck %s --check-prefix=FOUR
// RUN: FileCheck %s --check-prefix=SAYS --implicit-check-not=warning < %t.four
// FOUR: func.func @f({{.*}}codegen.workers = 4
// SAYS: remark: 'f' recomputes 6 values, {{.*}} with one worker
// With eight it would have to be an eighth, where more is recomputed than several workers gain: half
// as many execute it.
// RUN: flywheel-opt %s --flywheel-fit-workspace="memory-budget=140000 workers=8 min-work=0 min-loop-work=0" 2>&1 >/dev/null | FileCheck %s --check-prefix=FEWER
// FEWER-NOT: recomputes
// FEWER: warning: at most 4 workers execute 'f': no plan for more was found within the memory budget of 140000 bytes

// Diagnostics of an attempt are held back in the thread of its function alone: others are compiled at the same
// time.
// RUN: %python %S/Inputs/copy_function.py %s 64 > %t.many.mlir
// RUN: flywheel-opt %t.many.mlir --flywheel-fit-workspace="memory-budget=82000 workers=4 min-work=0 min-loop-work=0" 2> %t.said > /dev/null
// RUN: grep -c "recomputes 6 values" %t.said | FileCheck %s --check-prefix=MANY
// RUN: grep -c "remark:" %t.said | FileCheck %s --check-prefix=MANY
// MANY: {{^64$}}

#id = affine_map<(d0) -> (d0)>
#turned = affine_map<(d0) -> (-d0 + 1023)>

func.func @f(%x: memref<1024xf32>, %r: memref<1024xf32>, %y: memref<64x64xf32>) {
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a0 = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a0 : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 0.5 : f32
    %e = arith.mulf %in, %c : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a0 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %out : f32
    linalg.yield %e : f32
  }
  %a1 = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a1 : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 1.5 : f32
    %e = arith.mulf %in, %c : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a1 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %out : f32
    linalg.yield %e : f32
  }
  %a2 = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a2 : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 2.5 : f32
    %e = arith.mulf %in, %c : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a2 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %out : f32
    linalg.yield %e : f32
  }
  %a3 = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a3 : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 3.5 : f32
    %e = arith.mulf %in, %c : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a3 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %out : f32
    linalg.yield %e : f32
  }
  %a4 = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a4 : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 4.5 : f32
    %e = arith.mulf %in, %c : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a4 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %out : f32
    linalg.yield %e : f32
  }
  %a5 = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a5 : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 5.5 : f32
    %e = arith.mulf %in, %c : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a5 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %out : f32
    linalg.yield %e : f32
  }
  %a6 = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a6 : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 6.5 : f32
    %e = arith.mulf %in, %c : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a6 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %out : f32
    linalg.yield %e : f32
  }
  %a7 = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%a7 : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 7.5 : f32
    %e = arith.mulf %in, %c : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a7 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.addf %in, %out : f32
    linalg.yield %e : f32
  }
  scf.for %i = %c0 to %c64 step %c8 {
    %s = memref.subview %y[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    %t = memref.alloc() : memref<8x512xf32>
    linalg.fill ins(%cst : f32) outs(%t : memref<8x512xf32>)
    %u = memref.subview %t[0, 0] [8, 64] [1, 1] : memref<8x512xf32> to memref<8x64xf32, strided<[512, 1]>>
    linalg.exp ins(%s : memref<8x64xf32, strided<[64, 1], offset: ?>>) outs(%u : memref<8x64xf32, strided<[512, 1]>>)
    memref.copy %u, %s : memref<8x64xf32, strided<[512, 1]>> to memref<8x64xf32, strided<[64, 1], offset: ?>>
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a7 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %out : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a6 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %out : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a5 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %out : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a4 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %out : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a3 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %out : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a2 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %out : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a1 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %out : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%a0 : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %out : f32
    linalg.yield %e : f32
  }
  return
}
