// RUN: flywheel-opt %s --flywheel-outline-kernels --duplicate-function-elimination | FileCheck %s

// The nest, its index arithmetic and its stack slot become one function, which
// two equal entries share; the entries themselves stay two.

// CHECK-LABEL: func.func private @a.fill.0(
// CHECK: affine.apply
// CHECK: memref.alloca() : memref<8xf32>
// CHECK: scf.for
// CHECK: linalg.fill
// CHECK-LABEL: func.func @a.kernel(
// CHECK-NOT: scf.for
// CHECK: call @a.fill.0
func.func @a.kernel(%n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %slot = memref.alloca() : memref<8xf32>
  %end = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%n]
  scf.for %i = %c0 to %end step %c1 {
    linalg.fill ins(%zero : f32) outs(%slot : memref<8xf32>)
    %v = memref.load %slot[%c0] : memref<8xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}

// CHECK-NOT: @b.fill
// CHECK-LABEL: func.func @b.kernel(
// CHECK: call @a.fill.0
func.func @b.kernel(%n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %slot = memref.alloca() : memref<8xf32>
  %end = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%n]
  scf.for %i = %c0 to %end step %c1 {
    linalg.fill ins(%zero : f32) outs(%slot : memref<8xf32>)
    %v = memref.load %slot[%c0] : memref<8xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}

// Kernels inside branches and loops that are none themselves.
// CHECK-LABEL: func.func private @branch.generic.64.0(
// CHECK: math.exp
// CHECK-LABEL: func.func @branch.kernel(
// CHECK: scf.if
// CHECK-NEXT: call @branch.generic.64.0
// CHECK-NEXT: }
// EXAMPLE: --flywheel-outline-kernels
func.func @branch.kernel(%c: i1, %x: memref<64xf32>) {
  scf.if %c {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%x : memref<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// A sum takes the fill of its buffer along, but not that of another one, nor over an access to memory.
// CHECK-LABEL: func.func private @sums.generic.8.0(
// CHECK-SAME: %[[OUT:.*]]: memref<8xf32>, %{{.*}}: memref<8x4xf32>)
// CHECK: linalg.fill {{.*}} outs(%[[OUT]]
// CHECK-NEXT: linalg.generic
// CHECK-LABEL: func.func private @sums.generic.8.1(
// CHECK-NOT: linalg.fill
// CHECK-LABEL: func.func @sums.kernel(
// CHECK-NOT: linalg.fill
// CHECK: call @sums.generic.8.0
// CHECK: linalg.fill
// CHECK: memref.load
// CHECK: call @sums.generic.8.1
func.func @sums.kernel(%x: memref<8x4xf32>, %a: memref<8xf32>, %b: memref<8xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  linalg.fill ins(%zero : f32) outs(%a : memref<8xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x4xf32>) outs(%a : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%b : memref<8xf32>)
  %v = memref.load %b[%c0] : memref<8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x4xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %out : f32
    linalg.yield %0 : f32
  }
  return %v : f32
}

// A loop that carries a number has a result, and stays.
// CHECK-LABEL: func.func @carried.kernel(
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: linalg.fill
// CHECK: memref.store %[[SUM]]
func.func @carried.kernel(%n: index, %x: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    linalg.fill ins(%s : f32) outs(%x : memref<?xf32>)
    %v = memref.load %x[%i] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  memref.store %sum, %out[%c0] : memref<?xf32>
  return
}

// Two ops that differ in a number and in places alone have one function, to
// which these are arguments; an op of few sums stays.
// CHECK-LABEL: func.func private @layers.generic.64.0(
// CHECK-SAME: %[[K:[^:]*]]: i64, %[[OUT:[^:]*]]: memref<64xi64>)
// CHECK: linalg.generic {{.*}} outs(%[[OUT]] : memref<64xi64>)
// CHECK: arith.xori %{{.*}}, %[[K]]
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func private @layers.fill.64.2(
// CHECK-SAME: %[[PART:.*]]: memref<64xf32>, %[[X:.*]]: memref<64xf32>)
// CHECK: scf.for
// CHECK-NOT: memref.view
// CHECK: linalg.fill {{.*}} outs(%[[PART]]
// CHECK: memref.copy %[[PART]], %[[X]]
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func private @layers.generic.4(
// CHECK-SAME: %[[X:[^:]*]]: memref<64xf32>, %[[SUM:[^:]*]]: memref<f32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @layers.kernel(
// CHECK-SAME: %[[WORK:[^:]*]]: memref<?xi8>, %[[A:[^:]*]]: i64, %[[B:[^:]*]]: i64, %[[X:[^:]*]]: memref<64xf32>,
// CHECK: %[[V0:.*]] = memref.view %[[WORK]][%c0]
// CHECK-NEXT: %[[V1:.*]] = memref.view %[[WORK]][%c512]
// CHECK-NEXT: call @layers.generic.64.0(%[[A]], %[[V0]])
// CHECK-NEXT: call @layers.generic.64.0(%[[B]], %[[V1]])
// CHECK-NEXT: %[[P0:.*]] = memref.view %[[WORK]][%c1024]
// CHECK-NEXT: call @layers.fill.64.2(%[[P0]], %[[X]])
// CHECK-NEXT: %[[P1:.*]] = memref.view %[[WORK]][%c1280]
// CHECK-NEXT: call @layers.fill.64.2(%[[P1]], %[[X]])
// CHECK-NEXT: call @layers.generic.4(%[[X]], %{{.*}})
// CHECK-NEXT: linalg.generic
#id = affine_map<(d0) -> (d0)>
func.func @layers.kernel(%work: memref<?xi8>, %a: i64, %b: i64, %x: memref<64xf32>, %sum: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  %c1280 = arith.constant 1280 : index
  %c7 = arith.constant 7 : i64
  %zero = arith.constant 0.0 : f32
  %0 = memref.view %work[%c0][] : memref<?xi8> to memref<64xi64>
  %1 = memref.view %work[%c512][] : memref<?xi8> to memref<64xi64>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : memref<64xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %k = arith.xori %j, %a : i64
    %l = arith.muli %k, %c7 : i64
    linalg.yield %l : i64
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%1 : memref<64xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %k = arith.xori %j, %b : i64
    %l = arith.muli %k, %c7 : i64
    linalg.yield %l : i64
  }
  scf.for %i = %c0 to %c1280 step %c1 {
    %part = memref.view %work[%c1024][] : memref<?xi8> to memref<64xf32>
    linalg.fill ins(%zero : f32) outs(%part : memref<64xf32>)
    memref.copy %part, %x : memref<64xf32> to memref<64xf32>
  }
  scf.for %i = %c0 to %c1280 step %c1 {
    %part = memref.view %work[%c1280][] : memref<?xi8> to memref<64xf32>
    linalg.fill ins(%zero : f32) outs(%part : memref<64xf32>)
    memref.copy %part, %x : memref<64xf32> to memref<64xf32>
  }
  linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<64xf32>) outs(%sum : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%x : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  }
  return
}

// The offset of a worker's buffer is an argument as well.
// CHECK-LABEL: func.func private @workers.fill.64.0(
// CHECK-SAME: %[[PART:.*]]: memref<64xf32>, %[[X:.*]]: memref<64xf32>)
// CHECK-NOT: memref.view
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @workers.kernel(
// CHECK-SAME: %[[WORK:[^:]*]]: memref<?xi8>,
// CHECK: %[[WORKER:.*]] = codegen.worker
// CHECK: %[[OWN0:.*]] = arith.muli %[[WORKER]], %c256
// CHECK-NEXT: %[[AT0:.*]] = arith.addi %[[OWN0]], %c1024
// CHECK-NEXT: %[[P0:.*]] = memref.view %[[WORK]][%[[AT0]]]
// CHECK-NEXT: call @workers.fill.64.0(%[[P0]], %{{.*}})
// CHECK: %[[AT1:.*]] = arith.addi %{{.*}}, %c2048
// CHECK-NEXT: %[[P1:.*]] = memref.view %[[WORK]][%[[AT1]]]
// CHECK-NEXT: call @workers.fill.64.0(%[[P1]], %{{.*}})
func.func @workers.kernel(%work: memref<?xi8>, %x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %worker = codegen.worker : index
  scf.for %i = %c0 to %c4 step %c1 {
    %own = arith.muli %worker, %c256 : index
    %at = arith.addi %own, %c1024 : index
    %part = memref.view %work[%at][] : memref<?xi8> to memref<64xf32>
    linalg.fill ins(%zero : f32) outs(%part : memref<64xf32>)
    memref.copy %part, %x : memref<64xf32> to memref<64xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %own = arith.muli %worker, %c256 : index
    %at = arith.addi %own, %c2048 : index
    %part = memref.view %work[%at][] : memref<?xi8> to memref<64xf32>
    linalg.fill ins(%zero : f32) outs(%part : memref<64xf32>)
    memref.copy %part, %x : memref<64xf32> to memref<64xf32>
  }
  return
}

// A name that the program has is not taken.
// CHECK: func.func private @taken.generic.64.0_0(
// CHECK-LABEL: func.func @taken.kernel(
// CHECK: call @taken.generic.64.0_0(
func.func @taken.kernel(%x: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<64xf32>) {
  ^bb0(%out: f32):
    %0 = math.sin %out : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @taken.generic.64.0() {
  return
}

// In the initializer of variables, all loops are kernels.
// CHECK-LABEL: func.func private @init.fill.64.0(
// CHECK: linalg.fill
// CHECK-LABEL: func.func @init.kernel(
// CHECK-SAME: %[[X:[^:]*]]: memref<64xf32>, %[[Y:[^:]*]]: memref<64xf32>
// CHECK: call @init.fill.64.0({{.*}}%[[X]]
// CHECK-NEXT: call @init.fill.64.0({{.*}}%[[Y]]
func.func @init.kernel(%x: memref<64xf32>, %y: memref<64xf32>) attributes {train.initializer} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%y : memref<64xf32>)
  return
}

// A draw is a kernel, however short the rest; a stack slot stays in its kernel with
// its views; what has results is none.
// CHECK-LABEL: func.func private @draws.generic.64.0(
// CHECK: train.random_bits
// CHECK-LABEL: func.func private @draws.fill.64.1(
// CHECK: memref.alloca
// CHECK: memref.view
// CHECK-LABEL: func.func @draws.kernel(
// CHECK-NOT: memref.alloca
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<64xf32>)
// CHECK: math.exp
func.func @draws.kernel(%key: i64, %x: memref<64xi64>, %t: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<64xi64>) {
  ^bb0(%out: i64):
    %0 = train.random_bits %key at %out
    linalg.yield %0 : i64
  }
  %slot = memref.alloca() : memref<256xi8>
  scf.for %i = %c0 to %c4 step %c1 {
    %part = memref.view %slot[%c0][] : memref<256xi8> to memref<64xf32>
    linalg.fill ins(%zero : f32) outs(%part : memref<64xf32>)
  }
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : tensor<64xf32>) {
  ^bb0(%out: f32):
    %0 = math.exp %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// Kernels are called after the op of the source that takes most, the derivative
// or not, and the shape of their output: N is a dynamic size. An output that is
// written by tiles has the shape of the whole.
// CHECK-LABEL: func.func private @named.dense_grad.Nx16.0(
// CHECK: linalg.matmul
// CHECK: math.exp
func.func @named.kernel(%x: memref<8x4xf32>, %w: memref<4x16xf32>, %out: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %tile = memref.subview %out[%i, 0] [8, 16] [1, 1] : memref<?x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%x, %w : memref<8x4xf32>, memref<4x16xf32>) outs(%tile : memref<8x16xf32, strided<[16, 1], offset: ?>>) loc(#dense_grad)
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<8x16xf32, strided<[16, 1], offset: ?>>) {
    ^bb0(%o: f32):
      %0 = math.exp %o : f32
      linalg.yield %0 : f32
    } loc(#exp)
  }
  return
}
#dense = loc(fused<"nn.dense">["model.mlir":3:8])
#dense_grad = loc("flywheel.backward"(#dense))
#exp = loc(fused<"nn.exp">["model.mlir":4:8])

// A product that is in no loop, with its fill, and what accesses a matrix other
// than along its rows, are long code: layers share it.
// CHECK: func.func private @alone.matmul.8x16.0(
// CHECK: linalg.fill
// CHECK-NEXT: linalg.matmul
// CHECK: func.func private @alone.transpose.16x8.1(
// CHECK: func.func private @alone.generic.8.2(
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: linalg
// CHECK: call @alone.matmul.8x16.0(
// CHECK-NEXT: call @alone.transpose.16x8.1(
// CHECK-NEXT: call @alone.generic.8.2(
// CHECK-NEXT: return
func.func @alone(%x: memref<8x4xf32>, %w: memref<4x16xf32>, %y: memref<8x16xf32>, %t: memref<16x8xf32>, %c: memref<8xf32, strided<[16]>>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8x16xf32>)
  linalg.matmul ins(%x, %w : memref<8x4xf32>, memref<4x16xf32>) outs(%y : memref<8x16xf32>)
  linalg.transpose ins(%y : memref<8x16xf32>) outs(%t : memref<16x8xf32>) permutation = [1, 0]
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%c : memref<8xf32, strided<[16]>>) {
  ^bb0(%old: f32):
    %sum = arith.addf %old, %old : f32
    linalg.yield %sum : f32
  }
  return
}
