// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize | FileCheck %s

// A5: the lists of a while loop differ in order and in what they hold; the sizes of
// what it passes on are those of what its condition passes on.
// CHECK-LABEL: func.func @f.kernel(
// CHECK: scf.while
// CHECK-NOT: memref.alloc(
// CHECK: return
func.func @f(%x: tensor<?xf64>, %y: tensor<?xf64>, %n: tensor<i32>) -> (tensor<?xf64>, tensor<?xf64>) {
 %z = arith.constant 0 : i32
 %o1 = arith.constant 1 : i32
 %k = tensor.extract %n[] : tensor<i32>
 %xy = arith.addf %x, %y : tensor<?xf64>
 %q:3 = scf.while (%j = %z, %a = %x, %b = %y) : (i32, tensor<?xf64>, tensor<?xf64>) -> (tensor<?xf64>, i32, tensor<?xf64>) {
     %cc = arith.cmpi slt, %j, %k : i32
     %p = arith.mulf %a, %b : tensor<?xf64>
     scf.condition(%cc) %p, %j, %b : tensor<?xf64>, i32, tensor<?xf64>
   } do {
   ^bb0(%p: tensor<?xf64>, %j: i32, %b: tensor<?xf64>):
     %n1 = arith.addi %j, %o1 : i32
     %u = math.sin %p : tensor<?xf64>
     scf.yield %n1, %b, %u : i32, tensor<?xf64>, tensor<?xf64>
   }
 return %q#0, %q#2 : tensor<?xf64>, tensor<?xf64>
}
