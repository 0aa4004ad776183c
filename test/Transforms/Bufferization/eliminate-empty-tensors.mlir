// RUN: flywheel-opt %s --flywheel-eliminate-empty-tensors --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @here(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>
// CHECK: %[[NEW:.*]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[V]] : tensor<4xf32>)
// CHECK-NEXT: %[[STORED:.*]] = linalg_ext.store %[[NEW]] in %[[V]]
// CHECK-NEXT: return %[[STORED]]
// EXAMPLE: --flywheel-eliminate-empty-tensors
func.func @here(%x: tensor<4xf32>, %v: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %new = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg_ext.store %new in %v : tensor<4xf32> in tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Computed on both paths, stored on one: not in the storage.
// CHECK-LABEL: func.func @around(
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty()
// CHECK-NEXT: %[[NEW:.*]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[EMPTY]] : tensor<4xf32>)
// CHECK-NEXT: %[[STORED:.*]] = scf.if %[[C]]
// CHECK-NEXT: %[[COPY:.*]] = linalg.copy ins(%[[NEW]] : tensor<4xf32>) outs(%[[V]] : tensor<4xf32>)
// CHECK-NEXT: scf.yield %[[COPY]]
// CHECK: scf.yield %[[V]]
// CHECK: return %[[STORED]]
func.func @around(%c: i1, %x: tensor<4xf32>, %v: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %new = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = linalg.copy ins(%new : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %v : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Values that are inserted in a tensor are computed there, one after the other.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>, %[[V:.*]]: tensor<4xf32>
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[V]][0] [2] [1]
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<2xf32>) outs(%[[FIRST]] : tensor<2xf32>)
// CHECK-NEXT: %[[HALF:.*]] = tensor.insert_slice %[[EXP]] into %[[V]][0] [2] [1]
// CHECK-NEXT: %[[SECOND:.*]] = tensor.extract_slice %[[HALF]][2] [2] [1]
// CHECK-NEXT: %[[LOG:.*]] = linalg.log ins(%[[Y]] : tensor<2xf32>) outs(%[[SECOND]] : tensor<2xf32>)
// CHECK-NEXT: %[[WHOLE:.*]] = tensor.insert_slice %[[LOG]] into %[[HALF]][2] [2] [1]
// CHECK-NEXT: linalg_ext.store %[[WHOLE]] in %[[V]]
func.func @parts(%x: tensor<2xf32>, %y: tensor<2xf32>, %v: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %e0 = tensor.empty() : tensor<2xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %b = linalg.log ins(%y : tensor<2xf32>) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
  %whole = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %a into %whole[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = tensor.insert_slice %b into %0[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %2 = linalg_ext.store %1 in %v : tensor<4xf32> in tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A part of a part is one of the whole: the place of the value moves along when
// the tensor that it was to be in becomes a part of another.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[V:.*]]: tensor<8xf32>
// CHECK: %[[OUTER:.*]] = tensor.extract_slice %[[V]][4] [4] [1]
// CHECK-NEXT: %[[INNER:.*]] = tensor.extract_slice %[[OUTER]][2] [2] [1]
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<2xf32>) outs(%[[INNER]] : tensor<2xf32>)
// CHECK-NEXT: %[[PART:.*]] = tensor.insert_slice %[[EXP]] into %[[OUTER]][2] [2] [1]
// CHECK-NEXT: %[[WHOLE:.*]] = tensor.insert_slice %[[PART]] into %[[V]][4] [4] [1]
// CHECK-NEXT: linalg_ext.store %[[WHOLE]] in %[[V]]
func.func @nested(%x: tensor<2xf32>, %v: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %inner = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %a into %inner[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %outer = tensor.empty() : tensor<8xf32>
  %1 = tensor.insert_slice %0 into %outer[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %2 = linalg_ext.store %1 in %v : tensor<8xf32> in tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// The destination of an insertion is created before the first op that computes the value.
// CHECK-LABEL: func.func @late(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[N:.*]]: index
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[N]])
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]] : tensor<?xf32>)
// CHECK-NEXT: %[[PLACE:.*]] = tensor.extract_slice %[[FILL]][1] [2] [1]
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<2xf32>) outs(%[[PLACE]] : tensor<2xf32>)
// CHECK-NEXT: %[[ABS:.*]] = linalg.abs ins(%[[EXP]] : tensor<2xf32>) outs(%[[EXP]] : tensor<2xf32>)
// CHECK-NEXT: %[[WHOLE:.*]] = tensor.insert_slice %[[ABS]] into %[[FILL]][1] [2] [1]
// CHECK-NEXT: return %[[WHOLE]]
func.func @late(%x: tensor<2xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %b = linalg.abs ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>) -> tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %whole = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%whole : tensor<?xf32>) -> tensor<?xf32>
  %0 = tensor.insert_slice %b into %f[1] [2] [1] : tensor<2xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Not where it is made of the value itself.
// CHECK-LABEL: func.func @depends(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>
// CHECK: %[[E0:.*]] = tensor.empty()
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<2xf32>) outs(%[[E0]] : tensor<2xf32>)
// CHECK-NEXT: %[[E1:.*]] = tensor.empty()
// CHECK-NEXT: %[[LOG:.*]] = linalg.log ins(%[[EXP]] : tensor<2xf32>) outs(%[[E1]] : tensor<2xf32>)
// CHECK-NEXT: %[[WHOLE:.*]] = tensor.insert_slice %[[EXP]] into %[[LOG]][0] [2] [1]
// CHECK-NEXT: return %[[WHOLE]]
func.func @depends(%x: tensor<2xf32>) -> tensor<2xf32> {
  %e0 = tensor.empty() : tensor<2xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %b = linalg.log ins(%a : tensor<2xf32>) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
  %0 = tensor.insert_slice %a into %b[0] [2] [1] : tensor<2xf32> into tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Nor where the value is computed in something else than an empty tensor.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<2xf32>) outs(%[[Y]] : tensor<2xf32>)
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: tensor.insert_slice %[[EXP]] into %[[E]][0] [2] [1]
func.func @elsewhere(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%y : tensor<2xf32>) -> tensor<2xf32>
  %whole = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %a into %whole[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Nor around the branch that makes what it is inserted in.
// CHECK-LABEL: func.func @inside(
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: tensor<2xf32>
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<2xf32>
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<2xf32>) outs(%[[E]] : tensor<2xf32>)
// CHECK: scf.if %[[C]]
// CHECK-NEXT: %[[WHOLE:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[WHOLE]] : tensor<4xf32>)
// CHECK-NEXT: tensor.insert_slice %[[EXP]] into %[[FILL]][0] [2] [1]
func.func @inside(%c: i1, %x: tensor<2xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %r = scf.if %c -> tensor<4xf32> {
    %whole = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%whole : tensor<4xf32>) -> tensor<4xf32>
    %0 = tensor.insert_slice %a into %f[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A part of something that has a value stays one of that; so does one of another
// part of the place.
// CHECK-LABEL: func.func @value(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[T:[^:]*]]: tensor<4xf32>, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[T]][0] [2] [1]
// CHECK-NEXT: %[[SUM:.*]] = linalg.square ins(%[[PART]] : tensor<2xf32>) outs(%[[PART]] : tensor<2xf32>)
// CHECK-NEXT: tensor.insert_slice %[[SUM]] into %[[V]][0] [2] [1]
func.func @value(%x: tensor<2xf32>, %t: tensor<4xf32>, %v: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %part = tensor.extract_slice %t[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %sum = linalg.square ins(%part : tensor<2xf32>) outs(%part : tensor<2xf32>) -> tensor<2xf32>
  %0 = tensor.insert_slice %sum into %v[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @moved(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[V:[^:]*]]: tensor<4xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[E]][0] [2] [1]
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<2xf32>) outs(%[[PART]] : tensor<2xf32>)
// CHECK-NEXT: tensor.insert_slice %[[EXP]] into %[[V]][2] [2] [1]
func.func @moved(%x: tensor<2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %part = tensor.extract_slice %e[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %exp = linalg.exp ins(%x : tensor<2xf32>) outs(%part : tensor<2xf32>) -> tensor<2xf32>
  %0 = tensor.insert_slice %exp into %v[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Concatenated and padded tensors are computed there as well.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[V:[^:]*]]: tensor<5xf32>
// CHECK-NOT: tensor.concat
// CHECK-NOT: tensor.pad
// CHECK: linalg.exp {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK: tensor.insert_slice
// CHECK: linalg.abs {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK: tensor.insert_slice
// CHECK-NOT: tensor.concat
// CHECK-NOT: tensor.pad
// CHECK: return
func.func @joined(%x: tensor<2xf32>, %v: tensor<5xf32> {bufferization.writable = true}) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %b = linalg.abs ins(%x : tensor<2xf32>) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
  %both = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %padded = tensor.pad %both low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  %0 = linalg_ext.store %padded in %v : tensor<5xf32> in tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// T44: a long chain of insertions is one op, which bufferization looks at once, in the place where it is stored.
// CHECK-LABEL: func.func @long(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<68xf32>
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[ALL:.*]] = linalg_ext.insert_slices ins(%[[X]], {{.*}}) outs(%[[V]] : tensor<68xf32>) at [0, 4, 8, {{.*}}, 64] sizes
// CHECK-NEXT: linalg_ext.store %[[ALL]] in %[[V]]
func.func @long(%x: tensor<4xf32>, %v: tensor<68xf32> {bufferization.writable = true}) -> tensor<68xf32> {
  %all = tensor.concat dim(0) %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<68xf32>
  %0 = linalg_ext.store %all in %v : tensor<68xf32> in tensor<68xf32>
  return %0 : tensor<68xf32>
}

// -----

// The sources of a short one can be computed in their places.
// CHECK-LABEL: func.func @short(
// CHECK-COUNT-16: tensor.insert_slice
// CHECK-NOT: linalg_ext.insert_slices
func.func @short(%x: tensor<4xf32>) -> tensor<64xf32> {
  %all = tensor.concat dim(0) %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<64xf32>
  return %all : tensor<64xf32>
}

// -----

// Joins of joins along one dimension are one join.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<16xf32>
// CHECK: %[[A:.*]] = tensor.insert_slice %[[X]] into %[[V]][0] [4] [1]
// CHECK-NEXT: %[[B:.*]] = tensor.insert_slice %[[X]] into %[[A]][4] [4] [1]
// CHECK-NEXT: %[[C:.*]] = tensor.insert_slice %[[X]] into %[[B]][8] [4] [1]
// CHECK-NEXT: %[[D:.*]] = tensor.insert_slice %[[X]] into %[[C]][12] [4] [1]
// CHECK-NEXT: linalg_ext.store %[[D]] in %[[V]]
func.func @nested(%x: tensor<4xf32>, %v: tensor<16xf32> {bufferization.writable = true}) -> tensor<16xf32> {
  %a = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %b = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %0 = linalg_ext.store %c in %v : tensor<16xf32> in tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// T44: a tensor that grows by joins, each of which something else reads: the
// result of each 16th join is copied, so that few insertions are compared.
// CHECK-LABEL: func.func @growing(
// CHECK-COUNT-32: tensor.insert_slice
// CHECK: linalg_ext.insert_slices
// CHECK-COUNT-6: tensor.insert_slice
// CHECK-NOT: linalg_ext.insert_slices
func.func @growing(%x: tensor<1xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<4xf32>, tensor<5xf32>, tensor<6xf32>, tensor<7xf32>, tensor<8xf32>, tensor<9xf32>, tensor<10xf32>, tensor<11xf32>, tensor<12xf32>, tensor<13xf32>, tensor<14xf32>, tensor<15xf32>, tensor<16xf32>, tensor<17xf32>, tensor<18xf32>, tensor<19xf32>, tensor<20xf32>, tensor<21xf32>) {
  %1 = tensor.concat dim(0) %x, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %2 = tensor.concat dim(0) %1, %x : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
  %3 = tensor.concat dim(0) %2, %x : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  %4 = tensor.concat dim(0) %3, %x : (tensor<4xf32>, tensor<1xf32>) -> tensor<5xf32>
  %5 = tensor.concat dim(0) %4, %x : (tensor<5xf32>, tensor<1xf32>) -> tensor<6xf32>
  %6 = tensor.concat dim(0) %5, %x : (tensor<6xf32>, tensor<1xf32>) -> tensor<7xf32>
  %7 = tensor.concat dim(0) %6, %x : (tensor<7xf32>, tensor<1xf32>) -> tensor<8xf32>
  %8 = tensor.concat dim(0) %7, %x : (tensor<8xf32>, tensor<1xf32>) -> tensor<9xf32>
  %9 = tensor.concat dim(0) %8, %x : (tensor<9xf32>, tensor<1xf32>) -> tensor<10xf32>
  %10 = tensor.concat dim(0) %9, %x : (tensor<10xf32>, tensor<1xf32>) -> tensor<11xf32>
  %11 = tensor.concat dim(0) %10, %x : (tensor<11xf32>, tensor<1xf32>) -> tensor<12xf32>
  %12 = tensor.concat dim(0) %11, %x : (tensor<12xf32>, tensor<1xf32>) -> tensor<13xf32>
  %13 = tensor.concat dim(0) %12, %x : (tensor<13xf32>, tensor<1xf32>) -> tensor<14xf32>
  %14 = tensor.concat dim(0) %13, %x : (tensor<14xf32>, tensor<1xf32>) -> tensor<15xf32>
  %15 = tensor.concat dim(0) %14, %x : (tensor<15xf32>, tensor<1xf32>) -> tensor<16xf32>
  %16 = tensor.concat dim(0) %15, %x : (tensor<16xf32>, tensor<1xf32>) -> tensor<17xf32>
  %17 = tensor.concat dim(0) %16, %x : (tensor<17xf32>, tensor<1xf32>) -> tensor<18xf32>
  %18 = tensor.concat dim(0) %17, %x : (tensor<18xf32>, tensor<1xf32>) -> tensor<19xf32>
  %19 = tensor.concat dim(0) %18, %x : (tensor<19xf32>, tensor<1xf32>) -> tensor<20xf32>
  %20 = tensor.concat dim(0) %19, %x : (tensor<20xf32>, tensor<1xf32>) -> tensor<21xf32>
  return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20 : tensor<2xf32>, tensor<3xf32>, tensor<4xf32>, tensor<5xf32>, tensor<6xf32>, tensor<7xf32>, tensor<8xf32>, tensor<9xf32>, tensor<10xf32>, tensor<11xf32>, tensor<12xf32>, tensor<13xf32>, tensor<14xf32>, tensor<15xf32>, tensor<16xf32>, tensor<17xf32>, tensor<18xf32>, tensor<19xf32>, tensor<20xf32>, tensor<21xf32>
}
