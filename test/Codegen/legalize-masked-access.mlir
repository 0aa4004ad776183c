// RUN: flywheel-opt %s --flywheel-legalize-masked-access | FileCheck %s

// CHECK-LABEL: llvm.func @copy(
// CHECK: %[[PASS:.*]] = llvm.bitcast %{{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK: %[[LOADED:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[PASS]] {alignment = 2 : i32} : {{.*}} -> vector<8xi16>
// CHECK: %[[VALUE:.*]] = llvm.bitcast %[[LOADED]] : vector<8xi16> to vector<8xbf16>
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[VALUE]] : vector<8xbf16> to vector<8xi16>
// CHECK: llvm.intr.masked.store %[[BITS]], %{{.*}} {alignment = 2 : i32} : vector<8xi16>
llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr, %mask: vector<8xi1>, %pass: vector<8xbf16>) {
  %0 = llvm.intr.masked.load %from, %mask, %pass {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  llvm.intr.masked.store %0, %to, %mask {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into !llvm.ptr
  llvm.return
}

// CHECK-LABEL: func @single(
// CHECK-SAME: %[[FROM:[^:]*]]: !llvm.ptr, %[[MASK:[^:]*]]: vector<8xi1>, %[[PASS:[^:]*]]: vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT: %[[LOAD:.*]] = llvm.intr.masked.load %[[FROM]], %[[MASK]], %[[PASS]] {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT: llvm.return %[[LOAD]] : vector<8xf32>
llvm.func @single(%from: !llvm.ptr, %mask: vector<8xi1>, %pass: vector<8xf32>) -> vector<8xf32> {
  %0 = llvm.intr.masked.load %from, %mask, %pass {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  llvm.return %0 : vector<8xf32>
}
