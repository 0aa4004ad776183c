// RUN: flywheel-opt %s --pass-pipeline='builtin.module(func.func(flywheel-narrow-factors,canonicalize,cse))' | FileCheck %s
// D9: tensor cores multiply what was f16 or bf16, though it was made f32.

#q = affine_map<(b, t, s, d) -> (b, t, d)>
#k = affine_map<(b, t, s, d) -> (b, s, d)>
#scores = affine_map<(b, t, s, d) -> (b, t, s)>
#all = affine_map<(b, t, s) -> (b, t, s)>
#weights = affine_map<(b, t, d, s) -> (b, t, s)>
#values = affine_map<(b, t, d, s) -> (b, s, d)>
#result = affine_map<(b, t, d, s) -> (b, t, d)>

// Keys are there; queries are computed without their scale, which what reads the scores multiplies them by. Weights were
// not narrow: they are multiplied as they are.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64x8xbf16>, %[[K:[^:]*]]: tensor<?x64x8xbf16>, %[[V:[^:]*]]: tensor<?x64x8xf32>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 3.5
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%{{.*}} : tensor<?x64x8xbf16>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[E]], %[[E]] : bf16
// CHECK-NEXT: linalg.yield %[[SQUARE]] : bf16
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[K]] : tensor<?x64x8xbf16>, tensor<?x64x8xbf16>) outs(%{{.*}} : tensor<?x64x64xf32>) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[SUM:.*]]: f32):
// CHECK-DAG: %[[WIDE:.*]] = arith.extf %[[A]]
// CHECK-DAG: %[[OTHER:.*]] = arith.extf %[[B]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[OTHER]] : f32
// CHECK-NEXT: arith.addf %[[SUM]], %[[PRODUCT]] : f32
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[S]] :
// CHECK-NEXT: ^bb0(%[[SCORE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[SCORE]], %[[SCALE]]
// CHECK-NEXT: math.exp %[[SCALED]]
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[V]] : tensor<?x64x64xf32>, tensor<?x64x8xf32>)
func.func @attention(%x: tensor<?x64x8xbf16>, %key: tensor<?x64x8xbf16>, %v: tensor<?x64x8xf32>, %b: index) -> tensor<?x64x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.mulf %a, %a : bf16
    %1 = arith.extf %0 : bf16 to f32
    %2 = arith.mulf %1, %scale : f32
    linalg.yield %2 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x64x64xf32>) outs(%e2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64x8xf32>) -> tensor<?x64x8xf32>
  %y = linalg.generic {indexing_maps = [#weights, #values, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x64x64xf32>, tensor<?x64x8xf32>) outs(%f : tensor<?x64x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  return %y : tensor<?x64x8xf32>
}

// Sums from -0.0 are scaled as those from 0.0 are.
// CHECK-LABEL: func.func @negative_zero(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xf16>, tensor<?x64x8xf16>)
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: math.exp
func.func @negative_zero(%x: tensor<?x64x8xf16>, %key: tensor<?x64x8xf16>, %b: index) -> tensor<?x64x64xf32> {
  %start = arith.constant -0.0 : f32
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %f2 = linalg.fill ins(%start : f32) outs(%e2 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x64x64xf32>) outs(%e2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x64x64xf32>
  return %p : tensor<?x64x64xf32>
}

// The scale is of the products, not of what their sum begins with.
// CHECK-LABEL: func.func @bias(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xf32>, tensor<?x64x8xf32>)
func.func @bias(%x: tensor<?x64x8xbf16>, %key: tensor<?x64x8xbf16>, %bias: tensor<?x64x64xf32>, %b: index) -> tensor<?x64x64xf32> {
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%bias : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x64x64xf32>) outs(%e2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x64x64xf32>
  return %p : tensor<?x64x64xf32>
}

// Nor of a fill of another number.
// CHECK-LABEL: func.func @from_one(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xf32>, tensor<?x64x8xf32>)
func.func @from_one(%x: tensor<?x64x8xbf16>, %key: tensor<?x64x8xbf16>, %b: index) -> tensor<?x64x64xf32> {
  %start = arith.constant 1.0 : f32
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %f2 = linalg.fill ins(%start : f32) outs(%e2 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x64x64xf32>) outs(%e2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x64x64xf32>
  return %p : tensor<?x64x64xf32>
}

// Without a scale a sum may begin with anything.
// CHECK-LABEL: func.func @bias_unscaled(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xbf16>, tensor<?x64x8xbf16>)
func.func @bias_unscaled(%x: tensor<?x64x8xbf16>, %key: tensor<?x64x8xbf16>, %bias: tensor<?x64x64xf32>, %b: index) -> tensor<?x64x64xf32> {
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%bias : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x64x64xf32>) outs(%e2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x64x64xf32>
  return %p : tensor<?x64x64xf32>
}

// One scale can move; two would round once more.
// CHECK-LABEL: func.func @two_scales(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xf32>, tensor<?x64x8xf32>)
func.func @two_scales(%x: tensor<?x64x8xbf16>, %key: tensor<?x64x8xbf16>, %b: index) -> tensor<?x64x64xf32> {
  %start = arith.constant 0.0 : f32
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %f2 = linalg.fill ins(%start : f32) outs(%e2 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x64x64xf32>) outs(%e2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x64x64xf32>
  return %p : tensor<?x64x64xf32>
}

// Tensor cores multiply two numbers of one type.
// CHECK-LABEL: func.func @mixed(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xf32>, tensor<?x64x8xf32>)
func.func @mixed(%x: tensor<?x64x8xf16>, %key: tensor<?x64x8xbf16>, %b: index) -> tensor<?x64x64xf32> {
  %start = arith.constant 0.0 : f32
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %f2 = linalg.fill ins(%start : f32) outs(%e2 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x64x64xf32>) outs(%e2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x64x64xf32>
  return %p : tensor<?x64x64xf32>
}

// A result that is not only read here keeps its scale.
// CHECK-LABEL: func.func @returned(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xf32>, tensor<?x64x8xf32>)
func.func @returned(%x: tensor<?x64x8xbf16>, %key: tensor<?x64x8xbf16>, %b: index) -> tensor<?x64x64xf32> {
  %start = arith.constant 0.0 : f32
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %f2 = linalg.fill ins(%start : f32) outs(%e2 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  return %s : tensor<?x64x64xf32>
}

// A contraction has no place for a scale: with one more multiplication it would have no kernel.
// CHECK-LABEL: func.func @into_contraction(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xf32>, tensor<?x64x8xf32>)
func.func @into_contraction(%x: tensor<?x64x8xbf16>, %key: tensor<?x64x8xbf16>, %b: index) -> tensor<?x64x8xf32> {
  %start = arith.constant 0.0 : f32
  %scale = arith.constant 3.5 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %f2 = linalg.fill ins(%start : f32) outs(%e2 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<?x64x8xf32>) -> tensor<?x64x8xf32>
  %y = linalg.generic {indexing_maps = [#weights, #values, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %k : tensor<?x64x64xf32>, tensor<?x64x8xf32>) outs(%f : tensor<?x64x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  return %y : tensor<?x64x8xf32>
}

// Without a scale it reads what it read.
// CHECK-LABEL: func.func @into_contraction_unscaled(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x64x8xbf16>, tensor<?x64x8xbf16>)
func.func @into_contraction_unscaled(%x: tensor<?x64x8xbf16>, %key: tensor<?x64x8xbf16>, %b: index) -> tensor<?x64x8xf32> {
  %start = arith.constant 0.0 : f32
  %e = tensor.empty(%b) : tensor<?x64x8xf32>
  %e2 = tensor.empty(%b) : tensor<?x64x64xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%key : tensor<?x64x8xbf16>) outs(%e : tensor<?x64x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x64x8xf32>
  %f2 = linalg.fill ins(%start : f32) outs(%e2 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x64x8xf32>, tensor<?x64x8xf32>) outs(%f2 : tensor<?x64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x64xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<?x64x8xf32>) -> tensor<?x64x8xf32>
  %y = linalg.generic {indexing_maps = [#weights, #values, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %k : tensor<?x64x64xf32>, tensor<?x64x8xf32>) outs(%f : tensor<?x64x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64x8xf32>
  return %y : tensor<?x64x8xf32>
}
