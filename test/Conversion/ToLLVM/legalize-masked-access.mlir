// RUN: flywheel-opt %s --flywheel-legalize-masked-access | FileCheck %s

// CHECK-LABEL: func @copy(
// CHECK-SAME: %[[FROM:[^:]*]]: !llvm.ptr, %[[TO:[^:]*]]: !llvm.ptr, %[[MASK:[^:]*]]: vector<8xi1>, %[[PASS:[^:]*]]: vector<8xbf16>)
// CHECK-NEXT: %[[BITCAST:.*]] = llvm.bitcast %[[PASS]] : vector<8xbf16> to vector<8xi16>
// CHECK-NEXT: %[[LOAD:.*]] = llvm.intr.masked.load %[[FROM]], %[[MASK]], %[[BITCAST]] {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xi16>) -> vector<8xi16>
// CHECK-NEXT: %[[BITCAST_2:.*]] = llvm.bitcast %[[LOAD]] : vector<8xi16> to vector<8xbf16>
// CHECK-NEXT: %[[BITCAST_3:.*]] = llvm.bitcast %[[BITCAST_2]] : vector<8xbf16> to vector<8xi16>
// CHECK-NEXT: llvm.intr.masked.store %[[BITCAST_3]], %[[TO]], %[[MASK]] {alignment = 2 : i32} : vector<8xi16>, vector<8xi1> into !llvm.ptr
// CHECK-NEXT: llvm.return
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
