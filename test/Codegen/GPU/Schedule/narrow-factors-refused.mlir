// RUN: flywheel-opt %s --pass-pipeline='builtin.module(func.func(flywheel-narrow-factors,canonicalize,cse))' | FileCheck %s
// D9: factors that were not narrow, and products that tensor cores do not multiply, stay as they are.

#q = affine_map<(b, t, s, d) -> (b, t, d)>
#k = affine_map<(b, t, s, d) -> (b, s, d)>
#scores = affine_map<(b, t, s, d) -> (b, t, s)>
#all = affine_map<(b, t, s) -> (b, t, s)>
#turned = affine_map<(b, t, s) -> (b, s, t)>
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#plane = affine_map<(m, n) -> (m, n)>
#row = affine_map<(b, t, s, d) -> (b, t, s)>
#full = affine_map<(b, t, s, d) -> (b, t, s, d)>

// The product reads the second result, which was never narrow.
// CHECK-LABEL: func.func @second_result(
// CHECK: "reduction"]} ins(%{{.*}}#1, %{{.*}}#1 : tensor<4x8x8xf32>, tensor<4x8x8xf32>)
func.func @second_result(%x: tensor<4x8x8xbf16>, %z: tensor<4x8x8xf32>) -> tensor<4x8x8xf32> {
  %e = tensor.empty() : tensor<4x8x8xf32>
  %q:2 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xbf16>) outs(%e, %z : tensor<4x8x8xf32>, tensor<4x8x8xf32>) {
  ^bb0(%a: bf16, %out: f32, %more: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = math.exp %more : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<4x8x8xf32>, tensor<4x8x8xf32>)
  %y = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q#1, %q#1 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%q#0 : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  return %y : tensor<4x8x8xf32>
}

// A number of each of many is a number of each; one of all is not made in the body.
// CHECK-LABEL: func.func @outside(
// CHECK: "reduction"]} ins({{.*}} : tensor<4x8x8xf32>, tensor<4x8x8xf32>)
func.func @outside(%number: bf16, %z: tensor<4x8x8xf32>) -> tensor<4x8x8xf32> {
  %e = tensor.empty() : tensor<4x8x8xf32>
  %wide = arith.extf %number : bf16 to f32
  %q = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%out: f32):
    linalg.yield %wide : f32
  } -> tensor<4x8x8xf32>
  %y = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %q : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%z : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  return %y : tensor<4x8x8xf32>
}

// Tensor cores have no such products of other types of 8 bits.
// CHECK-LABEL: func.func @narrower(
// CHECK: "reduction"]} ins({{.*}} : tensor<4x8x8xf32>, tensor<4x8x8xf32>)
func.func @narrower(%x: tensor<4x8x8xf8E5M2>, %z: tensor<4x8x8xf32>) -> tensor<4x8x8xf32> {
  %e = tensor.empty() : tensor<4x8x8xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xf8E5M2>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: f8E5M2, %out: f32):
    %0 = arith.extf %a : f8E5M2 to f32
    linalg.yield %0 : f32
  } -> tensor<4x8x8xf32>
  %y = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %q : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%z : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  return %y : tensor<4x8x8xf32>
}

// Nor sums of f64.
// CHECK-LABEL: func.func @wider(
// CHECK: "reduction"]} ins({{.*}} : tensor<4x8x8xf64>, tensor<4x8x8xf64>)
func.func @wider(%x: tensor<4x8x8xbf16>, %z: tensor<4x8x8xf64>) -> tensor<4x8x8xf64> {
  %e = tensor.empty() : tensor<4x8x8xf64>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xbf16>) outs(%e : tensor<4x8x8xf64>) {
  ^bb0(%a: bf16, %out: f64):
    %0 = arith.extf %a : bf16 to f64
    linalg.yield %0 : f64
  } -> tensor<4x8x8xf64>
  %y = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %q : tensor<4x8x8xf64>, tensor<4x8x8xf64>) outs(%z : tensor<4x8x8xf64>) {
  ^bb0(%a: f64, %c: f64, %out: f64):
    %0 = arith.mulf %a, %c : f64
    %1 = arith.addf %out, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<4x8x8xf64>
  return %y : tensor<4x8x8xf64>
}

// One product of matrices has kernels of its own.
// CHECK-LABEL: func.func @single(
// CHECK: "reduction"]} ins({{.*}} : tensor<8x8xf32>, tensor<8x8xf32>)
func.func @single(%x: tensor<8x8xbf16>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %q = linalg.generic {indexing_maps = [#plane, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xbf16>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#m, #n, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// A scale that is made in the body is not there where the sums are used.
// CHECK-LABEL: func.func @scale_inside(
// CHECK: "reduction"]} ins({{.*}} : tensor<4x8x8xf32>, tensor<4x8x8xf32>)
func.func @scale_inside(%x: tensor<4x8x8xbf16>) -> tensor<4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xbf16>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %scale = arith.constant 3.5 : f32
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xbf16>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<4x8x8xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%f : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x8xf32>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x8x8xf32>
  return %p : tensor<4x8x8xf32>
}

// A reduction that continues from the sums has no argument for an element that is only read.
// CHECK-LABEL: func.func @goes_on(
// CHECK: "reduction"]} ins({{.*}} : tensor<4x8x8xf32>, tensor<4x8x8xf32>)
func.func @goes_on(%x: tensor<4x8x8xbf16>, %more: tensor<4x8x8x2xf32>) -> tensor<4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty() : tensor<4x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xbf16>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xbf16>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<4x8x8xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%f : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  %p = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%more : tensor<4x8x8x2xf32>) outs(%s : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4x8x8xf32>
  return %p : tensor<4x8x8xf32>
}

// Narrow numbers that are stored in another order are computed in the order of the wide ones.
// CHECK-LABEL: func.func @turned(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8x8xbf16>, %[[Y:[^:]*]]: tensor<4x8x8xbf16>
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8x8xbf16>) outs(%{{.*}} : tensor<4x8x8xbf16>)
// CHECK: "reduction"]} ins(%[[Q]], %[[Y]] : tensor<4x8x8xbf16>, tensor<4x8x8xbf16>)
func.func @turned(%x: tensor<4x8x8xbf16>, %y: tensor<4x8x8xbf16>, %z: tensor<4x8x8xf32>) -> tensor<4x8x8xf32> {
  %e = tensor.empty() : tensor<4x8x8xf32>
  %q = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xbf16>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<4x8x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<4x8x8xbf16>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<4x8x8xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%z : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  return %s : tensor<4x8x8xf32>
}
