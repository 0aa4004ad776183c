// A step of many calls is several functions, so that compiling takes time in proportion to them.
// RUN: flywheel-opt %s --flywheel-split-steps=max-ops=4 | FileCheck %s
// A function of twice as many ops as a part may have is not divided.
// RUN: flywheel-opt %s --flywheel-split-steps=max-ops=100 | FileCheck %s --check-prefix=WHOLE

// WHOLE-NOT: .part

func.func private @kernel(memref<4xf32>, index)

// Calls are in order, with their own constants and views; other values are arguments. A number that is read stays where
// it is, between the parts.
// CHECK-LABEL: func.func private @step.part(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %[[N:[^:]*]]: index)
// CHECK: %[[A:.*]] = memref.view %[[STATE]][%c64]
// CHECK: %[[B:.*]] = memref.view %[[STATE]][%c128]
// CHECK: call @kernel(%[[A]], %[[N]])
// CHECK-NEXT: call @kernel(%[[B]], %[[N]])
// CHECK-NEXT: call @kernel(%[[A]], %[[N]])
// CHECK-NEXT: call @kernel(%[[B]], %[[N]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @step.part_0(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %[[N:[^:]*]]: index, %[[IS_FIRST:[^:]*]]: i1)
// CHECK: scf.if %[[IS_FIRST]] {
// CHECK: call @kernel
// CHECK: return
// CHECK-LABEL: func.func private @step.part_1(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %[[M:[^:]*]]: index)
// CHECK: call @kernel(%{{.*}}, %[[M]])
// CHECK-NEXT: call @kernel(%{{.*}}, %[[M]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func @step.kernel(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %[[N:[^:]*]]: index, %[[IS_FIRST:[^:]*]]: i1)
// CHECK: call @step.part(%[[STATE]], %[[N]])
// CHECK-NEXT: call @step.part_0(%[[STATE]], %[[N]], %[[IS_FIRST]])
// CHECK: %[[NUMBER:.*]] = memref.load
// CHECK: %[[M:.*]] = arith.index_cast %[[NUMBER]]
// CHECK: call @step.part_1(%[[STATE]], %[[M]])
// Allocations on the stack may become registers.
// CHECK: call @kernel(%alloca, %[[N]])
// CHECK-NEXT: return
func.func @step.kernel(%state: memref<?xi8>, %n: index, %first: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %slot = memref.alloca() : memref<4xf32>
  %a = memref.view %state[%c64][] : memref<?xi8> to memref<4xf32>
  %b = memref.view %state[%c128][] : memref<?xi8> to memref<4xf32>
  func.call @kernel(%a, %n) : (memref<4xf32>, index) -> ()
  func.call @kernel(%b, %n) : (memref<4xf32>, index) -> ()
  func.call @kernel(%a, %n) : (memref<4xf32>, index) -> ()
  func.call @kernel(%b, %n) : (memref<4xf32>, index) -> ()
  scf.if %first {
    func.call @kernel(%a, %n) : (memref<4xf32>, index) -> ()
  }
  %numbers = memref.view %state[%c0][] : memref<?xi8> to memref<1xi32>
  %number = memref.load %numbers[%c0] : memref<1xi32>
  %m = arith.index_cast %number : i32 to index
  func.call @kernel(%a, %m) : (memref<4xf32>, index) -> ()
  func.call @kernel(%b, %m) : (memref<4xf32>, index) -> ()
  func.call @kernel(%slot, %n) : (memref<4xf32>, index) -> ()
  return
}
