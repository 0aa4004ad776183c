// RUN: flywheel-opt %s --flywheel-check-sizes --split-input-file | FileCheck %s
// RUN: flywheel-opt %s --flywheel-check-sizes --canonicalize --flywheel-check-sizes --split-input-file | FileCheck %s --check-prefix=ONCE

// R4: a size from elsewhere, and the one of the source.
// CHECK-LABEL: func @expand(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[Z:.*]]: tensor<?xf32>)
// CHECK-DAG: %[[D:.*]] = tensor.dim %[[Z]]
// CHECK-DAG: %[[P:.*]] = arith.muli
// CHECK-DAG: %[[S:.*]] = tensor.dim %[[X]]
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq %[[P]], %[[S]]
// CHECK: linalg_ext.check sizes %[[OK]], "expected dimensions [0, 1] of the result to make up dimension 0 of the source, found \01 and \02" in "tensor.expand_shape"
// CHECK: tensor.expand_shape
// ONCE-LABEL: func @expand(
// ONCE-COUNT-1: linalg_ext.check
// ONCE-NOT: linalg_ext.check
func.func @expand(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?x3xf32> {
  %c = arith.constant 0 : index
  %d = tensor.dim %z, %c : tensor<?xf32>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%d, 3] : tensor<?xf32> into tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// Sizes that are those of the source in another form.
// ONCE-LABEL: func @proved(
// CHECK-LABEL: func @proved(
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @proved(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %count = arith.muli %d1, %d0 : index
  %e = tensor.empty(%count) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = arith.addf %flat, %f : tensor<?xf32>
  %twice = tensor.concat dim(0) %sum, %flat : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %first = tensor.extract_slice %twice[0] [%count] [1] : tensor<?xf32> to tensor<?xf32>
  %y = tensor.expand_shape %first [[0, 1]] output_shape [%d0, %d1] : tensor<?xf32> into tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?x?xf32> {
    %s = arith.addf %h, %y : tensor<?x?xf32>
    scf.yield %s : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// A check implies the next one.
// CHECK-LABEL: func @known(
// CHECK-COUNT-1: linalg_ext.check
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @known(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = arith.addf %x, %y : tensor<?xf32>
  %b = arith.mulf %y, %a : tensor<?xf32>
  %d = math.fma %x, %y, %b : tensor<?xf32>
  return %d : tensor<?xf32>
}

// -----

// The check compares the dimension size of the argument, which no fold can change.
// CHECK-LABEL: func @cast(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
// CHECK: tensor.dim %[[X]]
// CHECK: %[[D:.*]] = tensor.dim %[[X]]
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq %[[D]], %c4
// CHECK: linalg_ext.check sizes %[[OK]], "expected dimension 0 of the result to be 4, as its type says, found \01" in "tensor.cast"
// ONCE-LABEL: func @cast(
// ONCE-COUNT-1: linalg_ext.check
// ONCE-NOT: linalg_ext.check
func.func @cast(%x: tensor<?xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %y = linalg.copy ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %w = tensor.cast %y : tensor<?xf32> to tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

// In front of the loop and the branch, where they are entered.
// ONCE-LABEL: func @nested(
// CHECK-LABEL: func @nested(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[Z:.*]]: tensor<?xf32>, %[[N:.*]]: index, %[[P:.*]]: i1)
// CHECK-DAG: %[[LEFT:.*]] = tensor.dim %[[X]]
// CHECK-DAG: %[[RIGHT:.*]] = tensor.dim %[[Z]]
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq %[[LEFT]], %[[RIGHT]]
// CHECK: %[[NOT:.*]] = arith.xori %[[P]], %true
// CHECK: %[[OK1:.*]] = arith.ori %[[NOT]], %[[OK]]
// CHECK: %[[NEVER:.*]] = arith.cmpi sge, %{{.*}}, %[[N]]
// CHECK: %[[OK2:.*]] = arith.ori %[[NEVER]], %[[OK1]]
// CHECK: linalg_ext.check sizes %[[OK2]], {{.*}} in "arith.addf"
// CHECK: scf.for
func.func @nested(%x: tensor<?xf32>, %z: tensor<?xf32>, %n: index, %p: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?xf32> {
    %s = scf.if %p -> tensor<?xf32> {
      %y = arith.addf %h, %z : tensor<?xf32>
      scf.yield %y : tensor<?xf32>
    } else {
      scf.yield %h : tensor<?xf32>
    }
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Sizes that an iteration computes: the op runs where they agree.
// CHECK-LABEL: func @inside(
// CHECK: scf.for
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq
// CHECK: linalg_ext.check safe sizes %[[OK]], "expected equal sizes of dimension 0 of operand 0 and operand 1, found \01 and \02" in "arith.addf"
// CHECK: scf.if %[[OK]] -> (tensor<?xf32>) {
// CHECK-NEXT: arith.addf
// CHECK: } else {
// CHECK: linalg.fill
func.func @inside(%x: tensor<?xf32>, %n: tensor<?xindex>, %m: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant dense<0.0> : tensor<f32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%h = %v) -> tensor<f32> {
    %j = arith.addi %i, %c1 : index
    %a = tensor.extract %n[%i] : tensor<?xindex>
    %b = tensor.extract %n[%j] : tensor<?xindex>
    %s = tensor.extract_slice %x[0] [%a] [1] : tensor<?xf32> to tensor<?xf32>
    %u = tensor.extract_slice %x[0] [%b] [1] : tensor<?xf32> to tensor<?xf32>
    %y = arith.addf %s, %u : tensor<?xf32>
    %t = nn.reduce sum %y axes [0] : tensor<?xf32> -> tensor<f32>
    %w = arith.addf %h, %t : tensor<f32>
    scf.yield %w : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Each op of these sizes runs where they agree alone: what fails in a body is
// reported behind it. A branch that only such a check leaves has one size.
// CHECK-LABEL: func @inside_twice(
// CHECK: scf.for
// CHECK: linalg_ext.check
// CHECK-NOT: linalg_ext.check
// CHECK: scf.if {{.*}} -> (tensor<?xf32>) {
// CHECK-NEXT: arith.addf
// CHECK: scf.if {{.*}} -> (tensor<?xf32>) {
// CHECK-NEXT: arith.mulf
// CHECK-NOT: linalg_ext.check
// CHECK: return
// ONCE-LABEL: func @inside_twice(
// ONCE-COUNT-1: linalg_ext.check
// ONCE-NOT: linalg_ext.check
// ONCE: return
func.func @inside_twice(%x: tensor<?xf32>, %n: tensor<?xindex>, %m: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant dense<0.0> : tensor<f32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%h = %v) -> tensor<f32> {
    %j = arith.addi %i, %c1 : index
    %a = tensor.extract %n[%i] : tensor<?xindex>
    %b = tensor.extract %n[%j] : tensor<?xindex>
    %s = tensor.extract_slice %x[0] [%a] [1] : tensor<?xf32> to tensor<?xf32>
    %u = tensor.extract_slice %x[0] [%b] [1] : tensor<?xf32> to tensor<?xf32>
    %y = arith.addf %s, %u : tensor<?xf32>
    %z = arith.mulf %s, %u : tensor<?xf32>
    %t = nn.reduce sum %y axes [0] : tensor<?xf32> -> tensor<f32>
    %p = nn.reduce sum %z axes [0] : tensor<?xf32> -> tensor<f32>
    %w = arith.addf %h, %t : tensor<f32>
    %q = arith.addf %w, %p : tensor<f32>
    scf.yield %q : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// A read at positions that no loop bounds; nothing is read if there is no iteration.
// CHECK-LABEL: func @window(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %{{.*}}: tensor<3xf32>, %[[Z:.*]]: tensor<?xf32>)
// CHECK-DAG: %[[HAS:.*]] = tensor.dim %[[X]]
// CHECK-DAG: %[[NEEDS:.*]] = arith.addi
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes ge %[[HAS]], %[[NEEDS]]
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: arith.ori %[[NONE]], %[[OK]]
// CHECK: linalg_ext.check sizes %{{.*}}, "expected dimension 0 of operand 0 to hold the last position that is used, found \01 and \02" in "linalg.conv_1d"
func.func @window(%x: tensor<?xf32>, %w: tensor<3xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A dead op is not checked.
// CHECK-LABEL: func @dead(
// CHECK-NOT: linalg_ext.check
func.func @dead(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %x, %z : tensor<?xf32>
  return %x : tensor<?xf32>
}

// -----

// A computed dimension reads nothing outside.
// CHECK-LABEL: func @dimension(
// CHECK-SAME: %{{.*}}: tensor<?x2xf32>, %[[I:.*]]: index)
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[I]], %c2
// CHECK: linalg_ext.check safe data %[[OK]], "expected a dimension from 0 to 1, found one out of range" in "tensor.dim", ": \01"(%[[I]])
// CHECK: %[[AT:.*]] = arith.select %[[OK]], %[[I]], %c0
// CHECK: tensor.dim %{{.*}}, %[[AT]]
// EXAMPLE: --flywheel-check-sizes
func.func @dimension(%x: tensor<?x2xf32>, %i: index) -> index {
  %d = tensor.dim %x, %i : tensor<?x2xf32>
  return %d : index
}

// -----

// Sizes that may be negative: a difference, and a sum that may wrap.
// CHECK-LABEL: func @negative(
// CHECK: linalg_ext.compare_sizes ge %{{.*}}, %c0
// CHECK: linalg_ext.check sizes %{{.*}}, "expected a size of dimension 0 that is not negative, found \01" in "tensor.empty"
// CHECK-NOT: linalg_ext.check
// CHECK: %[[MOST:.*]] = arith.maxsi
// CHECK: arith.addi %{{.*}}, %[[MOST]] : index
// CHECK: linalg_ext.check sizes %{{.*}}, "expected a size of dimension 0 that is not negative, found \01" in "tensor.empty"(%
// CHECK: linalg_ext.check sizes %{{.*}}, "expected at most 2^56 elements, found more" in "tensor.empty", ": \01"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @negative(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %d, %c2 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %p = arith.addi %d, %c2 : index
  %q = arith.divsi %p, %c2 : index
  %r = arith.maxsi %n, %c0 : index
  %s = arith.addi %q, %r : index
  %f = tensor.empty(%s) : tensor<?xf32>
  return %e, %f : tensor<?xf32>, tensor<?xf32>
}

// -----

// A weight has the shape of what is differentiated.
// CHECK-LABEL: func @gradient(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of differentiated value 0 and its weight, found \01 and \02" in "train.gradient"
func.func @gradient(%x: tensor<?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  %g = train.gradient %y wrt %x grad_ys %w : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %g : tensor<?xf32>
}

// -----

// A loop that has no iteration keeps all dimension sizes.
// CHECK-LABEL: func @no_iteration(
// CHECK-SAME: %[[N:.*]]: index
// CHECK: %[[KEPT:.*]] = linalg_ext.compare_sizes eq
// CHECK: %[[EMPTY:.*]] = arith.cmpi sge, %{{.*}}, %[[N]]
// CHECK: %[[OK:.*]] = arith.ori %[[EMPTY]], %[[KEPT]]
// CHECK: linalg_ext.check sizes %[[OK]], "expected an iteration to keep dimension sizes, found another one of dimension 0: \01 behind it and \02 in front" in "scf.for"
// CHECK: scf.for
func.func @no_iteration(%n: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?xf32> {
    %m = tensor.dim %h, %c0 : tensor<?xf32>
    %k = arith.subi %m, %c1 : index
    %p = tensor.extract_slice %h[1] [%k] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

// A reshape that has passed its checks needs no shape in memory.
// CHECK-LABEL: func @reshape_to_matrix(
// CHECK-SAME: %[[X:.*]]: tensor<?x2xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: linalg_ext.check sizes %{{.*}}, "expected as many elements in the result as in the source, found \01 and \02" in "tensor.reshape"
// CHECK: %[[ALL:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1]]
// CHECK: %[[Y:.*]] = tensor.expand_shape %[[ALL]] {{\[}}[0, 1]] output_shape [%[[M]], %[[N]]]
// CHECK: return %[[Y]]
func.func @reshape_to_matrix(%x: tensor<?x2xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %s = tensor.from_elements %m, %n : tensor<2xindex>
  %y = tensor.reshape %x(%s) : (tensor<?x2xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Constants fold to an impossible slice.
// CHECK-LABEL: func @negative_slice(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected a size of dimension 0 that is not negative, found -1" in "tensor.extract_slice"
func.func @negative_slice(%x: tensor<2xf32>) -> tensor<?xf32> {
  %c-1 = arith.constant -1 : index
  %y = tensor.extract_slice %x[0] [%c-1] [1] : tensor<2xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Both sizes are named, also where a type knows one of them.
// CHECK-LABEL: func @known_on_one_side(
// CHECK-SAME: %[[X:.*]]: tensor<3x?xf32>, %{{.*}}: tensor<?x4xf32>)
// CHECK-DAG: %[[D:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq %[[D]], %c4
// CHECK: linalg_ext.check sizes %[[OK]], "expected equal sizes of dimension 1 of prediction and dimension 1 of target, found \01 and 4" in "nn.mean_squared_error"
func.func @known_on_one_side(%x: tensor<3x?xf32>, %z: tensor<?x4xf32>) -> tensor<3xf32> {
  %y = nn.mean_squared_error %x, %z reduction none : (tensor<3x?xf32>, tensor<?x4xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// A loop that does not count up never ends. The check may come after it, so
// its step is at least 1, and at most all of the way: nothing wraps. The second loop needs no check of its own.
// CHECK-LABEL: func @steps(
// CHECK-SAME: %[[U:[^:]*]]: index, %[[S:[^:]*]]: index, %[[X:[^:]*]]: f32)
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes ge %[[S]], %c1{{.*}}
// CHECK-NEXT: linalg_ext.check sizes %[[OK]], "expected a step of 1 or more, found \01" in "scf.for"
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[S]], %[[ONE:c1[_0-9]*]] : index
// CHECK-NEXT: %[[WAY:.*]] = arith.subi %[[U]], %c0 : index
// CHECK-NEXT: %[[LEAST:.*]] = arith.minui %[[POSITIVE]], %[[WAY]] : index
// CHECK-NEXT: %[[STEP:.*]] = arith.maxsi %[[LEAST]], %[[ONE]] : index
// CHECK: scf.for %{{.*}} = %c0 to %[[U]] step %[[STEP]]
// CHECK-NOT: linalg_ext.check
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[S]], %[[ONE:c1[_0-9]*]] : index
// CHECK-NEXT: %[[WAY:.*]] = arith.subi %[[U]], %c0 : index
// CHECK-NEXT: %[[LEAST:.*]] = arith.minui %[[POSITIVE]], %[[WAY]] : index
// CHECK-NEXT: %[[AGAIN:.*]] = arith.maxsi %[[LEAST]], %[[ONE]] : index
// CHECK: scf.for %[[I:.*]] = %c0 to %[[U]] step %[[AGAIN]]
// CHECK: %[[INNER:.*]] = arith.subi %[[S]], %[[I]] : index
// CHECK: %[[OK2:.*]] = linalg_ext.compare_sizes ge
// CHECK-NEXT: linalg_ext.check safe sizes %[[OK2]], "expected a step of 1 or more, found \01" in "scf.for"
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[INNER]], %[[ONE:c1[_0-9]*]] : index
// CHECK-NEXT: %[[WAY:.*]] = arith.subi %[[U]], %c0 : index
// CHECK-NEXT: %[[LEAST:.*]] = arith.minui %[[POSITIVE]], %[[WAY]] : index
// CHECK-NEXT: %[[STEP2:.*]] = arith.maxsi %[[LEAST]], %[[ONE]] : index
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[U]] step %[[STEP2]]
// ONCE-LABEL: func @steps(
// ONCE-COUNT-2: linalg_ext.check
// ONCE-NOT: linalg_ext.check
// ONCE: return
func.func @steps(%u: index, %s: index, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %0 = scf.for %i = %c0 to %u step %s iter_args(%h = %x) -> f32 {
    %y = arith.mulf %h, %h : f32
    scf.yield %y : f32
  }
  %1 = scf.for %i = %c0 to %u step %s iter_args(%h = %x) -> f32 {
    %t = arith.subi %s, %i : index
    %2 = scf.for %j = %c0 to %u step %t iter_args(%g = %h) -> f32 {
      %y = arith.mulf %g, %g : f32
      scf.yield %y : f32
    }
    scf.yield %2 : f32
  }
  return %0, %1 : f32, f32
}

// -----

// A product of numbers that are not sizes of tensors must not overflow; none of
// them counts as less than 1, so that no product of some of them does.
// CHECK-LABEL: func @overflow(
// CHECK-SAME: %{{.*}}: tensor<?xf32>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[LIMIT:.*]] = arith.constant 72057594037927936 : index
// CHECK: %[[A1:.*]] = arith.maxsi %[[A]], %[[ONE]]
// CHECK: %[[MOST_A:.*]] = arith.divui %[[LIMIT]], %[[A1]]
// CHECK: %[[FITS_A:.*]] = arith.cmpi ule, %[[ONE]], %[[MOST_A]]
// CHECK: %[[OK_A:.*]] = arith.andi %{{.*}}, %[[FITS_A]]
// CHECK: %[[COUNT:.*]] = arith.muli %[[ONE]], %[[A1]]
// CHECK: %[[B1:.*]] = arith.maxsi %[[B]], %[[ONE]]
// CHECK: %[[MOST_B:.*]] = arith.divui %[[LIMIT]], %[[B1]]
// CHECK: %[[FITS_B:.*]] = arith.cmpi ule, %[[COUNT]], %[[MOST_B]]
// CHECK: %[[OK:.*]] = arith.andi %[[OK_A]], %[[FITS_B]]
// CHECK: linalg_ext.check sizes %[[OK]], "expected at most 2^56 elements, found more" in "tensor.expand_shape", ": \01 x \02"(%[[A]], %[[B]])
// CHECK: linalg_ext.compare_sizes eq
// CHECK: linalg_ext.check sizes %{{.*}}, "expected dimensions [0, 1] of the result to make up dimension 0 of the source
func.func @overflow(%x: tensor<?xf32>, %a: index, %b: index) -> tensor<?x?xf32> {
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%a, %b] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Parts of existing sizes need no such check.
// CHECK-LABEL: func @parts_of_sizes(
// CHECK-NOT: arith.divui
// CHECK: return
func.func @parts_of_sizes(%x: tensor<?xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %q = arith.floordivsi %d, %c5 : index
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%q, 5] : tensor<?xf32> into tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

// A sum that wraps may be negative, whatever its parts are.
// CHECK-LABEL: func @wraps(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected a size of dimension 0 that is not negative, found \01" in "tensor.empty"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected at most 2^56 elements, found more" in "tensor.empty"
func.func @wraps(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %large = arith.constant 9223372036854775807 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.addi %d, %large : index
  %y = tensor.empty(%n) : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// The number is not negative, but the sum may be.
// CHECK-LABEL: func @wraps_in_branch(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected a size of dimension 0 that is not negative, found \01" in "tensor.empty"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected at most 2^56 elements, found more" in "tensor.empty"
// CHECK: scf.if
func.func @wraps_in_branch(%n: index, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %p = arith.cmpi sge, %n, %c0 : index
  %r = scf.if %p -> tensor<?xf32> {
    %m = arith.addi %n, %c5 : index
    %e = tensor.empty(%m) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
