// RUN: flywheel-opt %s --flywheel-read-inserted-slices --split-input-file | FileCheck %s

// An op that reads a part before its insertion reads it after that, from the whole.
// CHECK-LABEL: func.func @read(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<32xf32>, %[[Y:[^:]*]]: tensor<8xf32>) -> (tensor<32xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[W]][8] [8] [1] : tensor<32xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[PART]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[W]][8] [8] [1] : tensor<8xf32> into tensor<32xf32>
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[INSERTED]][8] [8] [1] : tensor<32xf32> to tensor<8xf32>
// CHECK-NEXT: %[[TANH:.*]] = linalg.tanh ins(%[[PART_2]] : tensor<8xf32>) outs(%[[Y]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[LOG:.*]] = linalg.log ins(%[[PART_2]] : tensor<8xf32>) outs(%[[Y]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %[[INSERTED]], %[[TANH]], %[[LOG]] : tensor<32xf32>, tensor<8xf32>, tensor<8xf32>
// EXAMPLE: --flywheel-read-inserted-slices
func.func @read(%x: tensor<8xf32>, %w: tensor<32xf32>, %y: tensor<8xf32>) -> (tensor<32xf32>, tensor<8xf32>, tensor<8xf32>) {
  %place = tensor.extract_slice %w[8] [8] [1] : tensor<32xf32> to tensor<8xf32>
  %part = linalg.exp ins(%x : tensor<8xf32>) outs(%place : tensor<8xf32>) -> tensor<8xf32>
  %before = linalg.tanh ins(%part : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %whole = tensor.insert_slice %part into %w[8] [8] [1] : tensor<8xf32> into tensor<32xf32>
  %after = linalg.log ins(%part : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %whole, %before, %after : tensor<32xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Places may be dynamic, and of another rank than the whole. A value that is
// computed in several steps is inserted after the last one.
// CHECK-LABEL: func.func @steps(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<4x?xf32>, %[[I:[^:]*]]: index, %[[J:[^:]*]]: index) -> (tensor<4x?xf32>, f32)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[W]][%[[I]], %[[J]]] [1, 8] [1, 1] : tensor<4x?xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[PART]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[TANH:.*]] = linalg.tanh ins(%[[EXP]] : tensor<8xf32>) outs(%[[EXP]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[TANH]] into %[[W]][%[[I]], %[[J]]] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x?xf32>
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[INSERTED]][%[[I]], %[[J]]] [1, 8] [1, 1] : tensor<4x?xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %[[PART_2]][%[[C0]]] : tensor<8xf32>
// CHECK-NEXT: return %[[INSERTED]], %[[EXTRACT]] : tensor<4x?xf32>, f32
func.func @steps(%x: tensor<8xf32>, %w: tensor<4x?xf32>, %i: index, %j: index) -> (tensor<4x?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %place = tensor.extract_slice %w[%i, %j] [1, 8] [1, 1] : tensor<4x?xf32> to tensor<8xf32>
  %first = linalg.exp ins(%x : tensor<8xf32>) outs(%place : tensor<8xf32>) -> tensor<8xf32>
  %part = linalg.tanh ins(%first : tensor<8xf32>) outs(%first : tensor<8xf32>) -> tensor<8xf32>
  %element = tensor.extract %part[%c0] : tensor<8xf32>
  %whole = tensor.insert_slice %part into %w[%i, %j] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x?xf32>
  return %whole, %element : tensor<4x?xf32>, f32
}

// -----

// Without other readers there is nothing to do.
// CHECK-LABEL: func.func @one_use(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<32xf32>) -> tensor<32xf32>
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[W]][8] [8] [1] : tensor<32xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[PART]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[W]][8] [8] [1] : tensor<8xf32> into tensor<32xf32>
// CHECK-NEXT: return %[[INSERTED]] : tensor<32xf32>
func.func @one_use(%x: tensor<8xf32>, %w: tensor<32xf32>) -> tensor<32xf32> {
  %place = tensor.extract_slice %w[8] [8] [1] : tensor<32xf32> to tensor<8xf32>
  %part = linalg.exp ins(%x : tensor<8xf32>) outs(%place : tensor<8xf32>) -> tensor<8xf32>
  %whole = tensor.insert_slice %part into %w[8] [8] [1] : tensor<8xf32> into tensor<32xf32>
  return %whole : tensor<32xf32>
}

// -----

// Nor where the part is not computed where it is inserted: in another place, in
// another version of the whole, in no place at all.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<32xf32>, %[[Y:[^:]*]]: tensor<8xf32>) -> (tensor<32xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[W]][8] [8] [1] : tensor<32xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[PART]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[TANH:.*]] = linalg.tanh ins(%[[EXP]] : tensor<8xf32>) outs(%[[Y]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[W]][16] [8] [1] : tensor<8xf32> into tensor<32xf32>
// CHECK-NEXT: return %[[INSERTED]], %[[TANH]] : tensor<32xf32>, tensor<8xf32>
func.func @elsewhere(%x: tensor<8xf32>, %w: tensor<32xf32>, %y: tensor<8xf32>) -> (tensor<32xf32>, tensor<8xf32>) {
  %place = tensor.extract_slice %w[8] [8] [1] : tensor<32xf32> to tensor<8xf32>
  %part = linalg.exp ins(%x : tensor<8xf32>) outs(%place : tensor<8xf32>) -> tensor<8xf32>
  %read = linalg.tanh ins(%part : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %whole = tensor.insert_slice %part into %w[16] [8] [1] : tensor<8xf32> into tensor<32xf32>
  return %whole, %read : tensor<32xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @another_whole(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<32xf32>, %[[V:[^:]*]]: tensor<32xf32>, %[[Y:[^:]*]]: tensor<8xf32>) -> (tensor<32xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[W]][8] [8] [1] : tensor<32xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[PART]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[TANH:.*]] = linalg.tanh ins(%[[EXP]] : tensor<8xf32>) outs(%[[Y]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[V]][8] [8] [1] : tensor<8xf32> into tensor<32xf32>
// CHECK-NEXT: return %[[INSERTED]], %[[TANH]] : tensor<32xf32>, tensor<8xf32>
func.func @another_whole(%x: tensor<8xf32>, %w: tensor<32xf32>, %v: tensor<32xf32>, %y: tensor<8xf32>) -> (tensor<32xf32>, tensor<8xf32>) {
  %place = tensor.extract_slice %w[8] [8] [1] : tensor<32xf32> to tensor<8xf32>
  %part = linalg.exp ins(%x : tensor<8xf32>) outs(%place : tensor<8xf32>) -> tensor<8xf32>
  %read = linalg.tanh ins(%part : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %whole = tensor.insert_slice %part into %v[8] [8] [1] : tensor<8xf32> into tensor<32xf32>
  return %whole, %read : tensor<32xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @no_place(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<32xf32>, %[[Y:[^:]*]]: tensor<8xf32>) -> (tensor<32xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[EMPTY]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[TANH:.*]] = linalg.tanh ins(%[[EXP]] : tensor<8xf32>) outs(%[[Y]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[W]][8] [8] [1] : tensor<8xf32> into tensor<32xf32>
// CHECK-NEXT: return %[[INSERTED]], %[[TANH]] : tensor<32xf32>, tensor<8xf32>
func.func @no_place(%x: tensor<8xf32>, %w: tensor<32xf32>, %y: tensor<8xf32>) -> (tensor<32xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %part = linalg.exp ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %read = linalg.tanh ins(%part : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %whole = tensor.insert_slice %part into %w[8] [8] [1] : tensor<8xf32> into tensor<32xf32>
  return %whole, %read : tensor<32xf32>, tensor<8xf32>
}

// -----

// Nor where another op overwrites the part.
// CHECK-LABEL: func.func @overwritten(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<32xf32>) -> (tensor<32xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[W]][8] [8] [1] : tensor<32xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[PART]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[TANH:.*]] = linalg.tanh ins(%[[X]] : tensor<8xf32>) outs(%[[EXP]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[W]][8] [8] [1] : tensor<8xf32> into tensor<32xf32>
// CHECK-NEXT: return %[[INSERTED]], %[[TANH]] : tensor<32xf32>, tensor<8xf32>
func.func @overwritten(%x: tensor<8xf32>, %w: tensor<32xf32>) -> (tensor<32xf32>, tensor<8xf32>) {
  %place = tensor.extract_slice %w[8] [8] [1] : tensor<32xf32> to tensor<8xf32>
  %part = linalg.exp ins(%x : tensor<8xf32>) outs(%place : tensor<8xf32>) -> tensor<8xf32>
  %other = linalg.tanh ins(%x : tensor<8xf32>) outs(%part : tensor<8xf32>) -> tensor<8xf32>
  %whole = tensor.insert_slice %part into %w[8] [8] [1] : tensor<8xf32> into tensor<32xf32>
  return %whole, %other : tensor<32xf32>, tensor<8xf32>
}

// -----

// Nor where the insertion depends on a condition.
// CHECK-LABEL: func.func @other_block(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<32xf32>, %[[Y:[^:]*]]: tensor<8xf32>, %[[B:[^:]*]]: i1) -> (tensor<32xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[W]][8] [8] [1] : tensor<32xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[PART]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[TANH:.*]] = linalg.tanh ins(%[[EXP]] : tensor<8xf32>) outs(%[[Y]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[IF:.*]] = scf.if %[[B]] -> (tensor<32xf32>) {
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[W]][8] [8] [1] : tensor<8xf32> into tensor<32xf32>
// CHECK-NEXT: scf.yield %[[INSERTED]] : tensor<32xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[W]] : tensor<32xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[IF]], %[[TANH]] : tensor<32xf32>, tensor<8xf32>
func.func @other_block(%x: tensor<8xf32>, %w: tensor<32xf32>, %y: tensor<8xf32>, %b: i1) -> (tensor<32xf32>, tensor<8xf32>) {
  %place = tensor.extract_slice %w[8] [8] [1] : tensor<32xf32> to tensor<8xf32>
  %part = linalg.exp ins(%x : tensor<8xf32>) outs(%place : tensor<8xf32>) -> tensor<8xf32>
  %read = linalg.tanh ins(%part : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %whole = scf.if %b -> tensor<32xf32> {
    %0 = tensor.insert_slice %part into %w[8] [8] [1] : tensor<8xf32> into tensor<32xf32>
    scf.yield %0 : tensor<32xf32>
  } else {
    scf.yield %w : tensor<32xf32>
  }
  return %whole, %read : tensor<32xf32>, tensor<8xf32>
}
