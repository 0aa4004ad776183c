// RUN: flywheel-opt %s --flywheel-lower-state | FileCheck %s

// Variables that share an argument lie where others do: a table says where. A
// part of one is a part of its storage.
// CHECK: writes = array<i64: 0, 1, 2>
// CHECK-LABEL: func.func @init.kernel(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %[[I:[^:]*]]: memref<index>)
// CHECK: %[[NUMBER:.*]] = memref.load %[[I]][]
// CHECK: %[[TABLE:.*]] = memref.get_global @init.places
// CHECK: %[[KNOWN:.*]] = memref.load %[[TABLE]][%[[NUMBER]]]
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[KNOWN]] : i64 to index
// CHECK: %[[WHOLE:.*]] = memref.view %[[STATE]][%[[PLACE]]][] : memref<?xi8> to memref<4x8xf32>
// CHECK: %[[CAST:.*]] = memref.cast %[[WHOLE]] : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[CAST]]
// CHECK: %[[OTHER:.*]] = memref.view
// CHECK: %[[PART:.*]] = memref.subview %[[OTHER]][0, %[[NUMBER]]] [4, 2] [1, 1]
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[PART]]
// CHECK: memref.global "private" constant @init.places : memref<2xi64> = dense<[640, 832]>
train.variable @a : tensor<4x8xf32>
train.variable @b : tensor<8xf32>
train.variable @c : tensor<4x8xf32>
func.func @init(%number: memref<index>, %b: memref<8xf32> {train.variable = @b, train.writes},
                %all: memref<2x4x8xf32> {train.variable = [@a, @c], train.writes}) {
  %zero = arith.constant 0.0 : f32
  %i = memref.load %number[] : memref<index>
  %whole = memref.subview %all[%i, 0, 0] [1, 4, 8] [1, 1, 1] : memref<2x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  linalg.fill ins(%zero : f32) outs(%whole : memref<4x8xf32, strided<[8, 1], offset: ?>>)
  %part = memref.subview %all[%i, 0, %i] [1, 4, 2] [1, 1, 1] : memref<2x4x8xf32> to memref<4x2xf32, strided<[8, 1], offset: ?>>
  linalg.fill ins(%zero : f32) outs(%part : memref<4x2xf32, strided<[8, 1], offset: ?>>)
  return
}
