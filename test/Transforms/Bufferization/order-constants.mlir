// RUN: flywheel-opt %s --flywheel-order-constants | FileCheck %s

// Constants are in the order of their uses, and are called so, whatever the
// order was in which bufferization made them. Other globals stay.
// CHECK: module
// CHECK-NEXT: memref.global "private" constant @__constant_2xi64 : memref<2xi64> = dense<[3, 4]>
// CHECK-NEXT: memref.global "private" constant @__constant_xf32 : memref<f32> = dense<1.0
// CHECK-NEXT: memref.global "private" constant @__constant_2xi64_0 : memref<2xi64> = dense<[1, 2]>
// CHECK-NEXT: memref.global "private" @other : memref<2xi64>
memref.global "private" constant @__constant_2xi64 : memref<2xi64> = dense<[1, 2]>
memref.global "private" constant @__constant_xf32 : memref<f32> = dense<1.0>
memref.global "private" constant @__constant_2xi64_5 : memref<2xi64> = dense<[3, 4]>
memref.global "private" @other : memref<2xi64>

// CHECK-LABEL: func.func @first
// CHECK: memref.get_global @__constant_2xi64 :
// CHECK: memref.get_global @__constant_xf32 :
// CHECK: memref.get_global @other :
func.func @first() -> (memref<2xi64>, memref<f32>, memref<2xi64>) {
  %0 = memref.get_global @__constant_2xi64_5 : memref<2xi64>
  %1 = memref.get_global @__constant_xf32 : memref<f32>
  %2 = memref.get_global @other : memref<2xi64>
  return %0, %1, %2 : memref<2xi64>, memref<f32>, memref<2xi64>
}

// CHECK-LABEL: func.func @second
// CHECK: memref.get_global @__constant_2xi64_0 :
// CHECK: memref.get_global @__constant_2xi64 :
func.func @second() -> (memref<2xi64>, memref<2xi64>) {
  %0 = memref.get_global @__constant_2xi64 : memref<2xi64>
  %1 = memref.get_global @__constant_2xi64_5 : memref<2xi64>
  return %0, %1 : memref<2xi64>, memref<2xi64>
}
