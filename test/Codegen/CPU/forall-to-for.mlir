// RUN: flywheel-opt %s --flywheel-forall-to-for --canonicalize --cse --split-input-file | FileCheck %s --implicit-check-not=forall

// The first loop of a forall is the outermost one.
// CHECK-LABEL: func.func @order(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x6x8xf32>, %[[Y:[^:]*]]: tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[C6:.*]] = arith.constant 6 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<4x6x8xf32>) {
// CHECK-NEXT: %[[LOOP_2:.*]] = scf.for %[[I_2:.*]] = %[[C0]] to %[[C6]] step %[[C2]] iter_args(%[[ARG_2:.*]] = %[[ARG]]) -> (tensor<4x6x8xf32>) {
// CHECK-NEXT: %[[LOOP_3:.*]] = scf.for %[[I_3:.*]] = %[[C0]] to %[[C8]] step %[[C4]] iter_args(%[[ARG_3:.*]] = %[[ARG_2]]) -> (tensor<4x6x8xf32>) {
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[I_2]], %[[I_3]]] [1, 2, 4] [1, 1, 1] : tensor<4x6x8xf32> to tensor<1x2x4xf32>
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[ARG_3]][%[[I]], %[[I_2]], %[[I_3]]] [1, 2, 4] [1, 1, 1] : tensor<4x6x8xf32> to tensor<1x2x4xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[PART]] : tensor<1x2x4xf32>) outs(%[[PART_2]] : tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[ARG_3]][%[[I]], %[[I_2]], %[[I_3]]] [1, 2, 4] [1, 1, 1] : tensor<1x2x4xf32> into tensor<4x6x8xf32>
// CHECK-NEXT: scf.yield %[[INSERTED]] : tensor<4x6x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[LOOP_3]] : tensor<4x6x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[LOOP_2]] : tensor<4x6x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[LOOP]] : tensor<4x6x8xf32>
func.func @order(%x: tensor<4x6x8xf32>, %y: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %0 = scf.forall (%i, %j, %k) = (0, 0, 0) to (4, 6, 8) step (1, 2, 4) shared_outs(%o = %y) -> (tensor<4x6x8xf32>) {
    %s = tensor.extract_slice %x[%i, %j, %k] [1, 2, 4] [1, 1, 1] : tensor<4x6x8xf32> to tensor<1x2x4xf32>
    %d = tensor.extract_slice %o[%i, %j, %k] [1, 2, 4] [1, 1, 1] : tensor<4x6x8xf32> to tensor<1x2x4xf32>
    %e = linalg.exp ins(%s : tensor<1x2x4xf32>) outs(%d : tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i, %j, %k] [1, 2, 4] [1, 1, 1] : tensor<1x2x4xf32> into tensor<4x6x8xf32>
    }
  }
  return %0 : tensor<4x6x8xf32>
}

// -----

// Each result is carried by the loops; what is inserted into it, too.
// CHECK-LABEL: func.func @several_results(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[Y:[^:]*]]: tensor<8xf32>, %[[Z:[^:]*]]: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %[[C0]] to %[[C8]] step %[[C4]] iter_args(%[[ARG:.*]] = %[[Y]], %[[ARG_2:.*]] = %[[Z]]) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]]] [4] [1] : tensor<8xf32> to tensor<4xf32>
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[ARG]][%[[I]]] [4] [1] : tensor<8xf32> to tensor<4xf32>
// CHECK-NEXT: %[[PART_3:.*]] = tensor.extract_slice %[[ARG_2]][%[[I]]] [4] [1] : tensor<8xf32> to tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[PART]] : tensor<4xf32>) outs(%[[PART_2]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[TANH:.*]] = linalg.tanh ins(%[[PART]] : tensor<4xf32>) outs(%[[PART_3]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[TANH]] into %[[ARG_2]][%[[I]]] [4] [1] : tensor<4xf32> into tensor<8xf32>
// CHECK-NEXT: %[[INSERTED_2:.*]] = tensor.insert_slice %[[EXP]] into %[[ARG]][%[[I]]] [4] [1] : tensor<4xf32> into tensor<8xf32>
// CHECK-NEXT: scf.yield %[[INSERTED_2]], %[[INSERTED]] : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[LOOP]]#1, %[[LOOP]]#0 : tensor<8xf32>, tensor<8xf32>
func.func @several_results(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = %y, %p = %z) -> (tensor<8xf32>, tensor<8xf32>) {
    %s = tensor.extract_slice %x[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %d = tensor.extract_slice %o[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %q = tensor.extract_slice %p[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %e = linalg.exp ins(%s : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
    %f = linalg.tanh ins(%s : tensor<4xf32>) outs(%q : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %f into %p[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %e into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %0#1, %0#0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// If two parts are inserted into one output, the second is inserted after the first.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0) -> (d0 * 2 + 4)>
// CHECK-LABEL: func.func @two_parts(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C2]] step %[[C1]] iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<8xf32>) {
// CHECK-NEXT: %[[INDEX:.*]] = affine.apply #[[$MAP]](%[[I]])
// CHECK-NEXT: %[[INDEX_2:.*]] = affine.apply #[[$MAP1]](%[[I]])
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[INDEX]]] [2] [1] : tensor<4xf32> to tensor<2xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[PART]] into %[[ARG]][%[[INDEX]]] [2] [1] : tensor<2xf32> into tensor<8xf32>
// CHECK-NEXT: %[[INSERTED_2:.*]] = tensor.insert_slice %[[PART]] into %[[INSERTED]][%[[INDEX_2]]] [2] [1] : tensor<2xf32> into tensor<8xf32>
// CHECK-NEXT: scf.yield %[[INSERTED_2]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[LOOP]] : tensor<8xf32>
func.func @two_parts(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.forall (%i) in (2) shared_outs(%o = %y) -> (tensor<8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %behind = affine.apply affine_map<(d0) -> (d0 * 2 + 4)>(%i)
    %s = tensor.extract_slice %x[%at] [2] [1] : tensor<4xf32> to tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%at] [2] [1] : tensor<2xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %s into %o[%behind] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

// The inner forall becomes a loop inside that of the outer one.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x8xf32>, %[[Y:[^:]*]]: tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C8]] step %[[C4]] iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<8x8xf32>) {
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[ARG]][0, %[[I]]] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
// CHECK-NEXT: %[[LOOP_2:.*]] = scf.for %[[I_2:.*]] = %[[C0]] to %[[C8]] step %[[C2]] iter_args(%[[ARG_2:.*]] = %[[PART]]) -> (tensor<8x4xf32>) {
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[X]][%[[I_2]], %[[I]]] [2, 4] [1, 1] : tensor<8x8xf32> to tensor<2x4xf32>
// CHECK-NEXT: %[[PART_3:.*]] = tensor.extract_slice %[[ARG_2]][%[[I_2]], 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[PART_2]] : tensor<2x4xf32>) outs(%[[PART_3]] : tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[ARG_2]][%[[I_2]], 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x4xf32>
// CHECK-NEXT: scf.yield %[[INSERTED]] : tensor<8x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[INSERTED_2:.*]] = tensor.insert_slice %[[LOOP_2]] into %[[ARG]][0, %[[I]]] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
// CHECK-NEXT: scf.yield %[[INSERTED_2]] : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[LOOP]] : tensor<8x8xf32>
func.func @nested(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = scf.forall (%j) = (0) to (8) step (4) shared_outs(%o = %y) -> (tensor<8x8xf32>) {
    %part = tensor.extract_slice %o[0, %j] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
    %1 = scf.forall (%i) = (0) to (8) step (2) shared_outs(%p = %part) -> (tensor<8x4xf32>) {
      %s = tensor.extract_slice %x[%i, %j] [2, 4] [1, 1] : tensor<8x8xf32> to tensor<2x4xf32>
      %d = tensor.extract_slice %p[%i, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
      %e = linalg.exp ins(%s : tensor<2x4xf32>) outs(%d : tensor<2x4xf32>) -> tensor<2x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %e into %p[%i, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x4xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[0, %j] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
    }
  }
  return %0 : tensor<8x8xf32>
}

// -----

// The last two elements of ten are a loop of their own: all sizes are static.
// CHECK-LABEL: func.func @partial(
// CHECK-SAME: %[[X:[^:]*]]: tensor<10xf32>, %[[Y:[^:]*]]: tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C8]] step %[[C4]] iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<10xf32>) {
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]]] [4] [1] : tensor<10xf32> to tensor<4xf32>
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[ARG]][%[[I]]] [4] [1] : tensor<10xf32> to tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[PART]] : tensor<4xf32>) outs(%[[PART_2]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[ARG]][%[[I]]] [4] [1] : tensor<4xf32> into tensor<10xf32>
// CHECK-NEXT: scf.yield %[[INSERTED]] : tensor<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[PART_3:.*]] = tensor.extract_slice %[[X]][8] [2] [1] : tensor<10xf32> to tensor<2xf32>
// CHECK-NEXT: %[[PART_4:.*]] = tensor.extract_slice %[[LOOP]][8] [2] [1] : tensor<10xf32> to tensor<2xf32>
// CHECK-NEXT: %[[EXP_2:.*]] = linalg.exp ins(%[[PART_3]] : tensor<2xf32>) outs(%[[PART_4]] : tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[INSERTED_2:.*]] = tensor.insert_slice %[[EXP_2]] into %[[LOOP]][8] [2] [1] : tensor<2xf32> into tensor<10xf32>
// CHECK-NEXT: return %[[INSERTED_2]] : tensor<10xf32>
func.func @partial(%x: tensor<10xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %0 = scf.forall (%i) = (0) to (10) step (4) shared_outs(%o = %y) -> (tensor<10xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%i)
    %s = tensor.extract_slice %x[%i] [%n] [1] : tensor<10xf32> to tensor<?xf32>
    %d = tensor.extract_slice %o[%i] [%n] [1] : tensor<10xf32> to tensor<?xf32>
    %e = linalg.exp ins(%s : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [%n] [1] : tensor<?xf32> into tensor<10xf32>
    }
  }
  return %0 : tensor<10xf32>
}

// -----

// If the number is dynamic, full tiles are static and the rest is not.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<()[s0] -> ((s0 floordiv 4) * 4)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0)[s0] -> (-d0 + s0)>
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<?xf32>, %[[TO:[^:]*]]: index) -> tensor<?xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[INDEX:.*]] = affine.apply #[[$MAP]]()[%[[TO]]]
// CHECK-NEXT: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[INDEX]] step %[[C4]] iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<?xf32>) {
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]]] [4] [1] : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[ARG]][%[[I]]] [4] [1] : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[PART]] : tensor<4xf32>) outs(%[[PART_2]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[ARG]][%[[I]]] [4] [1] : tensor<4xf32> into tensor<?xf32>
// CHECK-NEXT: scf.yield %[[INSERTED]] : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[LOOP_2:.*]] = scf.for %[[I_2:.*]] = %[[INDEX]] to %[[TO]] step %[[C4]] iter_args(%[[ARG_2:.*]] = %[[LOOP]]) -> (tensor<?xf32>) {
// CHECK-NEXT: %[[INDEX_2:.*]] = affine.apply #[[$MAP1]](%[[I_2]])[%[[TO]]]
// CHECK-NEXT: %[[PART_3:.*]] = tensor.extract_slice %[[X]][%[[I_2]]] [%[[INDEX_2]]] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK-NEXT: %[[PART_4:.*]] = tensor.extract_slice %[[ARG_2]][%[[I_2]]] [%[[INDEX_2]]] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK-NEXT: %[[EXP_2:.*]] = linalg.exp ins(%[[PART_3]] : tensor<?xf32>) outs(%[[PART_4]] : tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[INSERTED_2:.*]] = tensor.insert_slice %[[EXP_2]] into %[[ARG_2]][%[[I_2]]] [%[[INDEX_2]]] [1] : tensor<?xf32> into tensor<?xf32>
// CHECK-NEXT: scf.yield %[[INSERTED_2]] : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[LOOP_2]] : tensor<?xf32>
func.func @dynamic(%x: tensor<?xf32>, %y: tensor<?xf32>, %to: index) -> tensor<?xf32> {
  %0 = scf.forall (%i) = (0) to (%to) step (4) shared_outs(%o = %y) -> (tensor<?xf32>) {
    %n = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 4)>(%i)[%to]
    %s = tensor.extract_slice %x[%i] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    %d = tensor.extract_slice %o[%i] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    %e = linalg.exp ins(%s : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [%n] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}

// -----

// A slice of lower rank is inserted as one.
// CHECK-LABEL: func.func @reduced_rank(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %[[Y:[^:]*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<4x8xf32>) {
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[PART_2:.*]] = tensor.extract_slice %[[ARG]][%[[I]], 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[PART]] : tensor<8xf32>) outs(%[[PART_2]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[ARG]][%[[I]], 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
// CHECK-NEXT: scf.yield %[[INSERTED]] : tensor<4x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[LOOP]] : tensor<4x8xf32>
func.func @reduced_rank(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4x8xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %d = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %e = linalg.exp ins(%s : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
    }
  }
  return %0 : tensor<4x8xf32>
}

// -----

// Without iterations, nothing is left; a lower bound is one.
// CHECK-LABEL: func.func @bounds(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[Y:[^:]*]]: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C2]] to %[[C8]] step %[[C2]] iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<8xf32>) {
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]]] [2] [1] : tensor<8xf32> to tensor<2xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[PART]] into %[[ARG]][%[[I]]] [2] [1] : tensor<2xf32> into tensor<8xf32>
// CHECK-NEXT: scf.yield %[[INSERTED]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]], %[[LOOP]] : tensor<8xf32>, tensor<8xf32>
// EXAMPLE: --flywheel-forall-to-for --canonicalize
func.func @bounds(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = scf.forall (%i) in (0) shared_outs(%o = %y) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  %1 = scf.forall (%i) = (2) to (8) step (2) shared_outs(%o = %y) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %x[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A loop without results runs for its effects.
// CHECK-LABEL: func.func @effects(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>)
// CHECK-NEXT: %[[CST:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %arg1 = %[[C0]] to %[[C8]] step %[[C1]] {
// CHECK-NEXT: memref.store %[[CST]], %[[X]][%arg1] : memref<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @effects(%x: memref<8xf32>) {
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %one, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// A loop that may have no iteration is not split: behind the end of such a loop, the
// part of upstream's split that is left over would run.
// CHECK-LABEL: func.func @bounds(
// CHECK-SAME: %[[FROM:[^:]*]]: index, %[[TO:[^:]*]]: index)
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step
// CHECK-NOT: scf.for
// CHECK: return
func.func @bounds(%x: tensor<?xf32>, %y: tensor<?xf32>, %from: index, %to: index) -> tensor<?xf32> {
  %0 = scf.forall (%i) = (%from) to (%to) step (4) shared_outs(%o = %y) -> (tensor<?xf32>) {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}

// -----

// Equal offsets are one value, however often they are computed, in inner loops too.
// CHECK-LABEL: func.func @equal_offsets(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.forall
// CHECK: return
func.func @equal_offsets(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<8x8xf32> {
    %from = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %row = tensor.extract_slice %o[%from, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
    %q = scf.forall (%j) in (4) shared_outs(%p = %row) -> tensor<1x8xf32> {
      %at = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
      %x = tensor.extract_slice %p[0, %at] [1, 1] [1, 1] : tensor<1x8xf32> to tensor<1x1xf32>
      %y = linalg.exp ins(%x : tensor<1x1xf32>) outs(%x : tensor<1x1xf32>) -> tensor<1x1xf32>
      %again = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %y into %p[0, %again] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<1x8xf32>
      }
    }
    %to = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%to, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<8x8xf32>
    }
  }
  return %r : tensor<8x8xf32>
}

// -----

// A last tile that overlaps the one before is whole: there is one loop, and what it
// computes of the destination is computed again.
// CHECK: #[[$START:.*]] = affine_map<(d0) -> (6, d0)>
// CHECK-LABEL: func.func @overlap(
// CHECK-SAME: %[[X:[^:]*]]: tensor<10xf32>, %[[Y:[^:]*]]: tensor<10xf32>) -> tensor<10xf32>
// CHECK: %[[LOOP:.*]] = scf.for %[[I:.*]] = %c0 to %c10 step %c4 iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<10xf32>) {
// CHECK-NEXT: %[[START:.*]] = affine.min #[[$START]](%[[I]])
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[START]]] [4] [1] : tensor<10xf32> to tensor<4xf32>
// CHECK-NEXT: %[[PLACE:.*]] = tensor.extract_slice %[[ARG]][%[[START]]] [4] [1] : tensor<10xf32> to tensor<4xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[PART]] : tensor<4xf32>) outs(%[[PLACE]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[INSERTED:.*]] = tensor.insert_slice %[[EXP]] into %[[ARG]][%[[START]]] [4] [1] : tensor<4xf32> into tensor<10xf32>
// CHECK-NEXT: scf.yield %[[INSERTED]] : tensor<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[LOOP]]
func.func @overlap(%x: tensor<10xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %0 = scf.forall (%i) = (0) to (10) step (4) shared_outs(%o = %y) -> (tensor<10xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%i)
    %s = tensor.extract_slice %x[%i] [%n] [1] : tensor<10xf32> to tensor<?xf32>
    %d = tensor.extract_slice %o[%i] [%n] [1] : tensor<10xf32> to tensor<?xf32>
    %e = linalg.exp ins(%s : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [%n] [1] : tensor<?xf32> into tensor<10xf32>
    }
  } {codegen.overlap = array<i64: 0>}
  return %0 : tensor<10xf32>
}

// -----

// An update of its destination finds new values before the start of the tile, and
// keeps them. Along the rows, which do not overlap, the rest is a loop of its own.
// CHECK-DAG: #[[$START:.*]] = affine_map<(d0) -> (6, d0)>
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1) -> (d0 - d1)>
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[X:[^:]*]]: tensor<5x10xf32>, %[[Y:[^:]*]]: tensor<5x10xf32>, %[[Z:[^:]*]]: tensor<5x10xf32>)
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c2
// CHECK: scf.for %[[J:.*]] = %c0 to %c10 step %c4 iter_args(%[[OLD:.*]] = %{{.*}}, %[[OTHER:.*]] = %{{.*}})
// CHECK-DAG: %[[START:.*]] = affine.min #[[$START]](%[[J]])
// CHECK-DAG: %[[FIRST:.*]] = affine.apply #[[$FIRST]](%[[J]], %[[START]])
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[OLD]][%[[I]], %[[START]]] [2, 4] [1, 1]
// CHECK: linalg.generic
// CHECK-SAME: outs(%[[PLACE]], %{{.*}} : tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: %[[INDEX:.*]] = linalg.index 1
// CHECK-NEXT: %[[NEW:.*]] = arith.cmpi sge, %[[INDEX]], %[[FIRST]]
// CHECK-NEXT: %[[FIRST_RESULT:.*]] = arith.select %[[NEW]], %[[SUM]], %[[B]]
// CHECK-NEXT: %[[SECOND_RESULT:.*]] = arith.select %[[NEW]], %[[B]], %[[C]]
// CHECK-NEXT: linalg.yield %[[FIRST_RESULT]], %[[SECOND_RESULT]]
// CHECK: tensor.insert_slice %{{.*}} into %[[OLD]][%[[I]], %[[START]]] [2, 4] [1, 1]
// CHECK: scf.for %{{.*}} = %c0 to %c10 step %c4
// CHECK: tensor.extract_slice %{{.*}}[4, %{{.*}}] [1, 4] [1, 1]
func.func @update(%x: tensor<5x10xf32>, %y: tensor<5x10xf32>, %z: tensor<5x10xf32>) -> (tensor<5x10xf32>, tensor<5x10xf32>) {
  %0:2 = scf.forall (%i, %j) = (0, 0) to (5, 10) step (2, 4) shared_outs(%o = %y, %p = %z) -> (tensor<5x10xf32>, tensor<5x10xf32>) {
    %m = affine.min affine_map<(d0) -> (-d0 + 5, 2)>(%i)
    %n = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%j)
    %s = tensor.extract_slice %x[%i, %j] [%m, %n] [1, 1] : tensor<5x10xf32> to tensor<?x?xf32>
    %d = tensor.extract_slice %o[%i, %j] [%m, %n] [1, 1] : tensor<5x10xf32> to tensor<?x?xf32>
    %q = tensor.extract_slice %p[%i, %j] [%m, %n] [1, 1] : tensor<5x10xf32> to tensor<?x?xf32>
    %e:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<?x?xf32>) outs(%d, %q : tensor<?x?xf32>, tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum, %b : f32, f32
    } -> (tensor<?x?xf32>, tensor<?x?xf32>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e#0 into %o[%i, %j] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<5x10xf32>
      tensor.parallel_insert_slice %e#1 into %p[%i, %j] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<5x10xf32>
    }
  } {codegen.overlap = array<i64: 1>}
  return %0#0, %0#1 : tensor<5x10xf32>, tensor<5x10xf32>
}
