// RUN: flywheel-opt %s --train-lower-element-types --split-input-file | FileCheck %s

// V3: what memory holds is signless; what the user wrote is kept beside it.
// CHECK: train.variable @v : tensor<2xi8> {element_type = ui8}
// CHECK: train.variable @w : tensor<i64> {element_type = ui64, trainable = false}
// CHECK: train.variable @f : tensor<f32> = #train.ones{{$}}
// CHECK-LABEL: func.func @count(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xi16> {train.element_type = ui16, train.name = "x"}
// CHECK-SAME: %[[Y:[^:]*]]: tensor<2xi8>)
// CHECK-SAME: -> (tensor<?xi16> {train.element_type = ui16}, tensor<2xi8>, tensor<f32>)
// CHECK: %[[V:.*]] = train.assign_add @v, %[[Y]] : tensor<2xi8>
// CHECK: %[[NEXT:.*]] = arith.addi %[[V]], %[[Y]] : tensor<2xi8>
// CHECK: train.assign @v, %[[NEXT]] : tensor<2xi8>
// CHECK: return %[[X]], %[[NEXT]]
train.variable @v : tensor<2xui8> = dense<[1, 255]> : tensor<2xui8>
train.variable @w : tensor<ui64> = #train.ones {trainable = false}
train.variable @f : tensor<f32> = #train.ones
func.func @count(%x: tensor<?xui16> {train.name = "x"}, %y: tensor<2xi8>)
    -> (tensor<?xui16>, tensor<2xi8>, tensor<f32>) {
  %0 = tensor.bitcast %y : tensor<2xi8> to tensor<2xui8>
  %1 = train.assign_add @v, %0 : tensor<2xui8>
  %2 = tensor.bitcast %1 : tensor<2xui8> to tensor<2xi8>
  %3 = arith.addi %2, %y : tensor<2xi8>
  %4 = tensor.bitcast %3 : tensor<2xi8> to tensor<2xui8>
  train.assign @v, %4 : tensor<2xui8>
  %f = train.read @f : tensor<f32>
  return %x, %3, %f : tensor<?xui16>, tensor<2xi8>, tensor<f32>
}

// -----

// Results and arguments of regions follow, scalars as well.
// CHECK-LABEL: func.func @regions(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4xi32>)
// CHECK: scf.if {{.*}} -> (tensor<4xi32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4xi32>) outs(%{{.*}} : tensor<4xi32>)
// CHECK: ^bb0(%[[IN:.*]]: i32, %{{.*}}: i32):
// CHECK: linalg.yield %[[IN]] : i32
// CHECK: nn.broadcast {{.*}} (tensor<4xi32>) -> tensor<3x4xi32>
#id = affine_map<(d0) -> (d0)>
func.func @regions(%x: tensor<4xui32>, %y: tensor<4xui32>, %p: tensor<i1>) -> tensor<3x4xui32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = tensor.extract %p[] : tensor<i1>
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xui32> {
    %1 = scf.if %b -> tensor<4xui32> {
      scf.yield %a : tensor<4xui32>
    } else {
      scf.yield %y : tensor<4xui32>
    }
    scf.yield %1 : tensor<4xui32>
  }
  %2 = tensor.empty() : tensor<4xui32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xui32>) outs(%2 : tensor<4xui32>) {
  ^bb0(%in: ui32, %out: ui32):
    linalg.yield %in : ui32
  } -> tensor<4xui32>
  %4 = arith.select %b, %3, %x : tensor<4xui32>
  %5 = nn.broadcast %4 dims [1] : (tensor<4xui32>) -> tensor<3x4xui32>
  return %5 : tensor<3x4xui32>
}

// -----

// The remaining bitcasts act on elements; dimension sizes may become known.
// CHECK-LABEL: func.func @bitcasts(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xi32> {train.element_type = ui32}
// CHECK: %[[CAST:.*]] = tensor.cast %[[X]] : tensor<?xi32> to tensor<4xi32>
// CHECK: %[[FLOAT:.*]] = arith.bitcast %[[CAST]] : tensor<4xi32> to tensor<4xf32>
// CHECK: return %[[CAST]], %[[FLOAT]]
func.func @bitcasts(%x: tensor<?xui32>) -> (tensor<4xi32>, tensor<4xf32>) {
  %0 = tensor.bitcast %x : tensor<?xui32> to tensor<4xi32>
  %1 = tensor.bitcast %0 : tensor<4xi32> to tensor<4xf32>
  return %0, %1 : tensor<4xi32>, tensor<4xf32>
}

// -----

// V4: strings are numbers: 0 is empty, equal ones have equal numbers. The last value
// of a list repeats.
// CHECK: module attributes {train.strings = ["Kiwi", "Fruit"]}
// CHECK: train.variable @names : tensor<3xi64> {element_type = !train.string}
// CHECK-LABEL: func.func @strings(
// CHECK-SAME: %[[X:[^:]*]]: tensor<3xi64> {train.element_type = !train.string}
// CHECK-SAME: -> (tensor<3xi1>, tensor<3xi64> {train.element_type = !train.string})
// CHECK: %[[KIWI:.*]] = arith.constant dense<1> : tensor<3xi64>
// CHECK: %[[MIXED:.*]] = arith.constant dense<[2, 0, 0]> : tensor<3xi64>
// CHECK: %[[AGAIN:.*]] = arith.constant dense<1> : tensor<i64>
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[X]], %[[KIWI]] : tensor<3xi64>
// CHECK: %[[PICKED:.*]] = arith.select %[[SAME]], %[[X]], %[[MIXED]] : tensor<3xi1>, tensor<3xi64>
// CHECK: train.assign @names, %[[PICKED]] : tensor<3xi64>
// CHECK: return %[[SAME]], %[[PICKED]]
// EXAMPLE: --train-lower-element-types
train.variable @names : tensor<3x!train.string> = #train.strings<["unused"]>
func.func @strings(%x: tensor<3x!train.string>) -> (tensor<3xi1>, tensor<3x!train.string>) {
  %kiwi = train.string_constant ["Kiwi"] : tensor<3x!train.string>
  %mixed = train.string_constant ["Fruit", ""] : tensor<3x!train.string>
  %again = train.string_constant ["Kiwi"] : tensor<!train.string>
  %same = train.string_equal %x, %kiwi : tensor<3x!train.string>
  %picked = arith.select %same, %x, %mixed : tensor<3xi1>, tensor<3x!train.string>
  train.assign @names, %picked : tensor<3x!train.string>
  return %same, %picked : tensor<3xi1>, tensor<3x!train.string>
}
