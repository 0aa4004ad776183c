// RUN: flywheel-opt %s --flywheel-index-on-gpu --split-input-file | FileCheck %s

// A gather is a launch with a thread for each element of its result; what is out of range is 0. It
// reads no more of a table than the table has.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:[^:]*]]: memref<5x3xf32>, %[[I:[^:]*]]: memref<?xi32>, %[[OUT:[^:]*]]: memref<?x3xf32>)
// CHECK: gpu.launch
// CHECK: scf.for %[[E:.*]] =
// CHECK: %[[COLUMN:.*]] = arith.remui %[[E]], %c3
// CHECK: %[[ROW:.*]] = arith.divui %[[E]], %c3
// CHECK: memref.load %[[I]][%[[ROW]]]
// CHECK: %[[INDEX:.*]] = arith.index_cast
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[INDEX]], %c5
// CHECK: %[[FOUND:.*]] = scf.if %[[IN]] -> (f32)
// CHECK: memref.load %[[X]][%[[INDEX]], %[[COLUMN]]]
// CHECK: memref.store %[[FOUND]], %[[OUT]][%[[ROW]], %[[COLUMN]]]
// CHECK: codegen.traffic = #codegen.traffic<read = 316, written = 768, accessed = 2304, flops = 0>
func.func @gather(%x: memref<5x3xf32>, %i: memref<?xi32>, %out: memref<?x3xf32>) {
  linalg_ext.gather ins(%x, %i : memref<5x3xf32>, memref<?xi32>) outs(%out : memref<?x3xf32>) axis 0
  return
}

// -----

// Without an order a thread for each element of a slice goes over the indices: sums are those of a
// loop.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[I:[^:]*]]: memref<3xi64>, %[[U:[^:]*]]: memref<2x3x4xf32>, %[[Y:[^:]*]]: memref<2x8x4xf32>)
// CHECK: gpu.launch
// CHECK: scf.for %[[E:.*]] =
// CHECK: %[[C:.*]] = arith.remui %[[E]], %c4
// CHECK: %[[O:.*]] = arith.divui %[[E]], %c4
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c3
// CHECK: memref.load %[[I]][%[[J]]]
// CHECK: %[[INDEX:.*]] = arith.index_cast
// CHECK: scf.if
// CHECK: %[[UPDATE:.*]] = memref.load %[[U]][%[[O]], %[[J]], %[[C]]]
// CHECK: %[[SUM:.*]] = memref.load %[[Y]][%[[O]], %[[INDEX]], %[[C]]]
// CHECK: %[[NEW:.*]] = arith.addf %[[SUM]], %[[UPDATE]]
// CHECK: memref.store %[[NEW]], %[[Y]][%[[O]], %[[INDEX]], %[[C]]]
// CHECK: gpu.terminator
func.func @scatter(%i: memref<3xi64>, %u: memref<2x3x4xf32>, %y: memref<2x8x4xf32>) {
  linalg_ext.scatter add ins(%i, %u : memref<3xi64>, memref<2x3x4xf32>) outs(%y : memref<2x8x4xf32>) axis 1
  return
}

// -----

// CHECK-LABEL: func.func @replace(
// CHECK: gpu.launch
// CHECK-NOT: arith.addf
// CHECK: memref.store
func.func @replace(%i: memref<i32>, %u: memref<4xf32>, %y: memref<8x4xf32>) {
  linalg_ext.scatter replace ins(%i, %u : memref<i32>, memref<4xf32>) outs(%y : memref<8x4xf32>) axis 0
  return
}

// -----

// D9: A block sorts a tile of the indices in workgroup memory: the index and the place after it are
// one number. Later launches merge tiles, as many as the indices take; a batch of less than a
// tile takes none.
// CHECK-LABEL: func.func @argsort(
// CHECK-SAME: %[[I:[^:]*]]: memref<?xi32>, %[[ORDER:[^:]*]]: memref<?xi64>, %[[SPARE:[^:]*]]: memref<?xi64>, %{{.*}}: memref<2048xi64>)
// CHECK: %[[N:.*]] = memref.dim %[[I]]
// CHECK: gpu.launch {{.*}} workgroup(%{{.*}} : memref<32768xi8, #gpu.address_space<workgroup>>)
// CHECK: memref.load %[[I]]
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[ORDER]]
// CHECK: gpu.terminator
// CHECK-NOT: memref.load
// CHECK: scf.for %{{.*}} = %c11{{.*}} to %{{.*}} step %c2
// CHECK: gpu.launch
// CHECK: memref.load %[[ORDER]]
// CHECK: memref.store %{{.*}}, %[[SPARE]]
// CHECK: gpu.launch
// CHECK: memref.load %[[SPARE]]
// CHECK: memref.store %{{.*}}, %[[ORDER]]
func.func @argsort(%i: memref<?xi32>, %order: memref<?xi64>, %spare: memref<?xi64>, %counts: memref<2048xi64>) {
  %limit = arith.constant 100 : index
  linalg_ext.argsort ins(%i : memref<?xi32>) below %limit outs(%order, %spare, %counts : memref<?xi64>, memref<?xi64>, memref<2048xi64>)
  return
}

// -----

// With an order there is a thread for each element of the slices: that at the first of some equal
// indices adds them up, in a register. Nothing is atomic.
// CHECK-LABEL: func.func @ordered(
// CHECK-SAME: %[[I:[^:]*]]: memref<?x2xi64>, %[[ORDER:[^:]*]]: memref<?xi64>, %[[U:[^:]*]]: memref<3x?x2x4xf32>, %[[Y:[^:]*]]: memref<3x8x4xf32>)
// CHECK: gpu.launch
// CHECK-NOT: atomic
// CHECK: memref.load %[[ORDER]]
// CHECK: memref.load %[[I]]
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = memref.load %[[U]]
// CHECK: %[[OLD:.*]] = memref.load %[[Y]]
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[FIRST]]
// CHECK: %[[ALL:.*]]:2 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %[[SUM]])
// CHECK-NOT: memref.store
// CHECK: memref.store %[[ALL]]#1, %[[Y]]
// CHECK: gpu.terminator
func.func @ordered(%i: memref<?x2xi64>, %order: memref<?xi64>, %u: memref<3x?x2x4xf32>, %y: memref<3x8x4xf32>) {
  linalg_ext.scatter add ins(%i, %u : memref<?x2xi64>, memref<3x?x2x4xf32>) outs(%y : memref<3x8x4xf32>) axis 1 order %order : memref<?xi64>
  return
}

// -----

// CHECK-LABEL: func.func @combine(
// CHECK-SAME: %[[I:[^:]*]]: memref<?xi32>, %[[ORDER:[^:]*]]: memref<?xi64>, %[[ROWS:[^:]*]]: memref<?x4xf32>)
// CHECK-COUNT-1: gpu.launch
// CHECK: scf.while
// CHECK: %[[ADDEND:.*]] = memref.load %[[ROWS]]
// CHECK: memref.store %cst{{.*}}, %[[ROWS]]
// CHECK: arith.addf %{{.*}}, %[[ADDEND]]
// CHECK: memref.store %{{.*}}, %[[ROWS]]
// CHECK-NOT: gpu.launch
func.func @combine(%i: memref<?xi32>, %order: memref<?xi64>, %rows: memref<?x4xf32>) {
  linalg_ext.combine_rows ins(%i, %order : memref<?xi32>, memref<?xi64>) outs(%rows : memref<?x4xf32>)
  return
}

// -----

// The rows that are looked up: a thread for each element of a row of the gradient.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %{{.*}}: memref<?xi32>, %{{.*}}: memref<?xi64>, %[[ROWS:[^:]*]]: memref<?x4xf32>, %[[TABLE:[^:]*]]: memref<100x4xf32>, %[[LR:[^:]*]]: f32)
// CHECK-COUNT-1: gpu.launch
// CHECK: scf.if
// CHECK: %[[G:.*]] = memref.load %[[ROWS]]
// CHECK: %[[P:.*]] = memref.load %[[TABLE]][%[[ROW:.*]], %[[COLUMN:.*]]]
// CHECK: %[[STEP:.*]] = arith.mulf %[[LR]], %[[G]]
// CHECK: %[[NEW:.*]] = arith.subf %[[P]], %[[STEP]]
// CHECK: memref.store %[[NEW]], %[[TABLE]][%[[ROW]], %[[COLUMN]]]
// CHECK-NOT: gpu.launch
func.func @update(%i: memref<?xi32>, %order: memref<?xi64>, %rows: memref<?x4xf32>, %table: memref<100x4xf32>, %lr: f32) {
  linalg_ext.update_rows ins(%i, %order, %rows : memref<?xi32>, memref<?xi64>, memref<?x4xf32>) outs(%table : memref<100x4xf32>) {
  ^bb0(%g: f32, %p: f32):
    %step = arith.mulf %lr, %g : f32
    %next = arith.subf %p, %step : f32
    linalg_ext.yield %next : f32
  }
  return
}

// -----

// All rows: a block searches the order for the gradient of each of its rows, then updates them.
// CHECK-LABEL: func.func @all(
// CHECK-SAME: %{{.*}}: memref<?xi32>, %[[ORDER:[^:]*]]: memref<?xi64>, %[[ROWS:[^:]*]]: memref<?x64xf32>, %[[TABLE:[^:]*]]: memref<100x64xf32>)
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c2{{.*}} workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>)
// CHECK: scf.while
// CHECK: memref.load %[[ORDER]]
// CHECK: gpu.barrier
// CHECK: %[[G:.*]] = scf.if %{{.*}} -> (f32)
// CHECK: memref.load %[[ROWS]]
// CHECK: memref.load %[[TABLE]]
// CHECK: memref.store %{{.*}}, %[[TABLE]]
func.func @all(%i: memref<?xi32>, %order: memref<?xi64>, %rows: memref<?x64xf32>, %table: memref<100x64xf32>) {
  linalg_ext.update_rows all ins(%i, %order, %rows : memref<?xi32>, memref<?xi64>, memref<?x64xf32>) outs(%table : memref<100x64xf32>) {
  ^bb0(%g: f32, %p: f32):
    %next = arith.subf %p, %g : f32
    linalg_ext.yield %next : f32
  }
  return
}

// -----

// D9: A short row has a thread, which goes over it as a loop does.
// CHECK-LABEL: func.func @short(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x128xf32>, %[[Y:[^:]*]]: memref<?x128xf32>)
// CHECK-NOT: scf.if
// CHECK: gpu.launch
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c128{{.*}} iter_args(%[[SUM:.*]] = %cst{{.*}}) -> (f32)
// CHECK: %[[ALONG:.*]] = arith.subi %c127{{.*}}, %[[K]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %
// CHECK: memref.store %[[NEXT]], %[[Y]][%[[ROW]], %[[ALONG]]]
// CHECK: codegen.traffic = #codegen.traffic<read = 32768, written = 32768, accessed = 65536, flops = 8192>
// CHECK-NOT: gpu.launch
func.func @short(%x: memref<?x128xf32>, %y: memref<?x128xf32>) {
  linalg_ext.scan ins(%x : memref<?x128xf32>) outs(%y : memref<?x128xf32>) axis 1 reverse
  return
}

// -----

// If there are few long rows, each has a block. A thread adds up a run; the totals are added up
// by doubling distances; then each thread starts from the total before its run.
// CHECK-LABEL: func.func @long(
// CHECK-SAME: %[[X:[^:]*]]: memref<3x1000xi32>, %[[Y:[^:]*]]: memref<3x1000xi32>)
// CHECK-NOT: scf.if
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c3{{.*}} workgroup(%[[MEMORY:.*]] : memref<2048xi8, #gpu.address_space<workgroup>>)
// CHECK: %[[TOTAL:.*]] = scf.for
// CHECK: %[[FIRST:.*]] = memref.load %[[X]]
// CHECK: arith.muli %{{.*}}, %[[FIRST]] : i32
// CHECK-NOT: memref.store
// CHECK: memref.store %[[TOTAL]], %{{.*}}#gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8
// CHECK: gpu.barrier
// CHECK: %[[BEFORE:.*]] = scf.if
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[BEFORE]])
// CHECK: memref.store %[[CARRIED]], %[[Y]]
// CHECK-NOT: gpu.launch
func.func @long(%x: memref<3x1000xi32>, %y: memref<3x1000xi32>) {
  linalg_ext.scan mul ins(%x : memref<3x1000xi32>) outs(%y : memref<3x1000xi32>) axis 1 exclusive
  return
}

// -----

// The host chooses by sizes of the call. Rows that lie side by side share a block: 32 of them, whose
// runs are 8.
// CHECK-LABEL: func.func @either(
// CHECK-DAG: %[[SHORT:.*]] = arith.cmpi ule, %{{.*}}, %c128
// CHECK-DAG: %[[MANY:.*]] = arith.cmpi uge, %{{.*}}, %c16384
// CHECK: %[[BY_THREADS:.*]] = arith.ori %[[SHORT]], %[[MANY]]
// CHECK: scf.if %[[BY_THREADS]] {
// CHECK: gpu.launch
// CHECK: } else {
// CHECK: gpu.launch
// CHECK: arith.remui %{{.*}}, %c32
// CHECK: arith.ceildivui %{{.*}}, %c8
func.func @either(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg_ext.scan logaddexp ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) axis 0
  return
}

// -----

// D9: A block has a matrix at a time. The flags of the blocks become one in a launch of one block:
// none writes where another one does.
// CHECK-LABEL: func.func @cholesky(
// CHECK-SAME: %[[A:[^:]*]]: memref<5x40x40xf32>, %[[OK:[^:]*]]: memref<i1>)
// CHECK: %[[FLAGS:.*]] = memref.alloca() : memref<1024xi1>
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c5
// CHECK-NOT: %[[OK]][]
// CHECK: math.sqrt
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[FLAGS]]
// CHECK: codegen.traffic = #codegen.traffic<read = 32000, written = 32000, accessed = 480000, flops = 112000>
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c1
// CHECK: memref.load %[[FLAGS]]
// CHECK: memref.store %{{.*}}, %[[OK]][]
// CHECK-NOT: gpu.launch
func.func @cholesky(%a: memref<5x40x40xf32>, %ok: memref<i1>) {
  linalg_ext.cholesky outs(%a, %ok : memref<5x40x40xf32>, memref<i1>)
  return
}

// -----

// A block has up to 32 right-hand sides of a matrix, two blocks have 40.
// CHECK-LABEL: func.func @solve(
// CHECK-SAME: %[[A:[^:]*]]: memref<3x7x7xf32>, %[[X:[^:]*]]: memref<3x7x40xf32>)
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c6
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[A]]
// CHECK: arith.mulf
// CHECK: arith.subf
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.launch
func.func @solve(%a: memref<3x7x7xf32>, %x: memref<3x7x40xf32>) {
  linalg_ext.triangular_solve ins(%a : memref<3x7x7xf32>) outs(%x : memref<3x7x40xf32>)
  return
}

// -----

// The initializer is the host's.
// CHECK-LABEL: func.func @init(
// CHECK: linalg_ext.gather
func.func @init(%x: memref<5x3xf32>, %i: memref<2xi32>, %out: memref<2x3xf32>) attributes {train.initializer} {
  linalg_ext.gather ins(%x, %i : memref<5x3xf32>, memref<2xi32>) outs(%out : memref<2x3xf32>) axis 0
  return
}

// -----

// A GPU of fewer multiprocessors is busy with fewer threads and blocks: 128 and 8 for each.
// CHECK-LABEL: func.func @either_small(
// CHECK-DAG: arith.cmpi uge, %{{.*}}, %c2048
// CHECK-LABEL: func.func @cholesky_small(
// CHECK: memref.alloca() : memref<128xi1>
module attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", multiprocessors = 16>} {
  func.func @either_small(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
    linalg_ext.scan ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) axis 0
    return
  }
  func.func @cholesky_small(%a: memref<5x40x40xf32>, %ok: memref<i1>) {
    linalg_ext.cholesky outs(%a, %ok : memref<5x40x40xf32>, memref<i1>)
    return
  }
}
