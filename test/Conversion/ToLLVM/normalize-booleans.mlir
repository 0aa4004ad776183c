// RUN: flywheel-opt %s --flywheel-normalize-booleans | FileCheck %s

// CHECK-LABEL: llvm.func @read
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i8) : i8
// CHECK: %[[BOOL:.*]] = llvm.icmp "ne" %[[BYTE]], %[[ZERO]] : i8
// CHECK: llvm.return %[[BOOL]] : i1
llvm.func @read(%p: !llvm.ptr) -> i1 {
  %0 = llvm.load %p : !llvm.ptr -> i1
  llvm.return %0 : i1
}

// CHECK-LABEL: llvm.func @other
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK-NEXT: llvm.return
llvm.func @other(%p: !llvm.ptr) -> i32 {
  %0 = llvm.load %p : !llvm.ptr -> i32
  llvm.return %0 : i32
}
