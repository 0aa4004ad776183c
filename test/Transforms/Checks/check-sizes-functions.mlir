// RUN: flywheel-opt %s --flywheel-check-sizes --mlir-disable-threading | FileCheck %s

// A check in one function is none in another one.

// CHECK-LABEL: func @first(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected at most 2^56 elements, found more" in "tensor.empty"
// CHECK-LABEL: func @second(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected at most 2^56 elements, found more" in "tensor.empty"
func.func @first(%n: index) -> tensor<?xf32> {
  %x = tensor.empty(%n) : tensor<?xf32>
  return %x : tensor<?xf32>
}

func.func @second(%n: index) -> tensor<?xf32> {
  %x = tensor.empty(%n) : tensor<?xf32>
  return %x : tensor<?xf32>
}
