// RUN: flywheel-opt %s --flywheel-lower-state=model-name=net | FileCheck %s

// V1: variables keep their order in the manifest. In memory the first slots of all are adjacent, and
// the second ones follow: a step that updates one variable after the other reads three streams.
// CHECK: module attributes
// CHECK-SAME: name = "a", offset = 704 : i64
// CHECK-SAME: name = "a/m", offset = 66368 : i64
// CHECK-SAME: name = "a/v", offset = 137344 : i64
// CHECK-SAME: name = "b", offset = 768 : i64
// CHECK-SAME: name = "b/m", offset = 66432 : i64
// CHECK-SAME: name = "b/v", offset = 137408 : i64
// An element of a large variable and of its slots is at three places of their pages, 1344 bytes apart:
// 832, 1344 + 832 and 2688 + 832.
// CHECK-SAME: name = "large", offset = 832 : i64
// CHECK-SAME: name = "large/m", offset = 71808 : i64
// CHECK-SAME: name = "large/v", offset = 142784 : i64
train.variable @a : tensor<16xf32>
train.variable @"a/m" : tensor<16xf32> {slot_of = @a, trainable = false}
train.variable @"a/v" : tensor<16xf32> {slot_of = @a, trainable = false}
train.variable @b : tensor<16xf32>
train.variable @"b/m" : tensor<16xf32> {slot_of = @b, trainable = false}
train.variable @"b/v" : tensor<16xf32> {slot_of = @b, trainable = false}
train.variable @large : tensor<16384xf32>
train.variable @"large/m" : tensor<16384xf32> {slot_of = @large, trainable = false}
train.variable @"large/v" : tensor<16384xf32> {slot_of = @large, trainable = false}
func.func @step() {
  return
}
