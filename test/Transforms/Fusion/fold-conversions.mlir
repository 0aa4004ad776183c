// RUN: flywheel-opt %s --flywheel-fold-conversions --split-input-file | FileCheck %s
// RUN: flywheel-opt %s --flywheel-fold-conversions=widenings=false --split-input-file | FileCheck %s --check-prefix=WIDE

#id = affine_map<(d0, d1) -> (d0, d1)>

// A product reads the wide weight and narrows it in its body.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @weight(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xbf16>, %[[W:[^:]*]]: tensor<8x16xf32>, %[[Y:[^:]*]]: tensor<4x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8x16xbf16>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]] : tensor<4x8xbf16>, tensor<8x16xf32>) outs(%[[Y]] : tensor<4x16xf32>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: bf16, %[[E_2:.*]]: f32, %[[E_3:.*]]: f32):
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[E_2]] : f32 to bf16
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[E]] : bf16 to f32
// CHECK-NEXT: %[[EXTF_2:.*]] = arith.extf %[[TRUNCF]] : bf16 to f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[EXTF]], %[[EXTF_2]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[E_3]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<4x16xf32>
// CHECK-NEXT: return %[[GENERIC]] : tensor<4x16xf32>
// EXAMPLE: --flywheel-fold-conversions
func.func @weight(%x: tensor<4x8xbf16>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<8x16xbf16>
  %narrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x16xf32>) outs(%e : tensor<8x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8x16xbf16>
  %p = linalg.matmul ins(%x, %narrow : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p : tensor<4x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// So it does with both operands; a conversion that something else reads stays.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$MAP3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @both(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %[[W:[^:]*]]: tensor<8x16xf64>, %[[Y:[^:]*]]: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x8xf16>)
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xf16>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<4x8xf32>) outs(%[[EMPTY]] : tensor<4x8xf16>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[E_2:.*]]: f16):
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[E]] : f32 to f16
// CHECK-NEXT: linalg.yield %[[TRUNCF]] : f16
// CHECK-NEXT: } -> tensor<4x8xf16>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<8x16xf16>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]] : tensor<4x8xf32>, tensor<8x16xf64>) outs(%[[Y]] : tensor<4x16xf32>) {
// CHECK-NEXT: ^bb0(%[[E_3:.*]]: f32, %[[E_4:.*]]: f64, %[[E_5:.*]]: f32):
// CHECK-NEXT: %[[TRUNCF_2:.*]] = arith.truncf %[[E_4]] : f64 to f16
// CHECK-NEXT: %[[TRUNCF_3:.*]] = arith.truncf %[[E_3]] : f32 to f16
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[TRUNCF_3]] : f16 to f32
// CHECK-NEXT: %[[EXTF_2:.*]] = arith.extf %[[TRUNCF_2]] : f16 to f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[EXTF]], %[[EXTF_2]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[E_5]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<4x16xf32>
// CHECK-NEXT: return %[[GENERIC_2]], %[[GENERIC]] : tensor<4x16xf32>, tensor<4x8xf16>
func.func @both(%x: tensor<4x8xf32>, %w: tensor<8x16xf64>, %y: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x8xf16>) {
  %e0 = tensor.empty() : tensor<4x8xf16>
  %narrow0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e0 : tensor<4x8xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<4x8xf16>
  %e1 = tensor.empty() : tensor<8x16xf16>
  %narrow1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x16xf64>) outs(%e1 : tensor<8x16xf16>) {
  ^bb0(%in: f64, %out: f16):
    %0 = arith.truncf %in : f64 to f16
    linalg.yield %0 : f16
  } -> tensor<8x16xf16>
  %p = linalg.matmul ins(%narrow0, %narrow1 : tensor<4x8xf16>, tensor<8x16xf16>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p, %narrow0 : tensor<4x16xf32>, tensor<4x8xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// Ops that do more than convert an element, or move it, stay, and so do ops
// that widen computed numbers.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @others(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x8xf32>, %[[H:[^:]*]]: tensor<8x8xf16>, %[[Y:[^:]*]]: tensor<8x8xf32>, %[[Z:[^:]*]]: tensor<8x8xf16>) -> (tensor<8x8xf32>, tensor<8x8xf16>)
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8x8xf16>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<8x8xf32>) outs(%[[EMPTY]] : tensor<8x8xf16>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[ELEMENT]] : f32 to f16
// CHECK-NEXT: linalg.yield %[[TRUNCF]] : f16
// CHECK-NEXT: } -> tensor<8x8xf16>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP1]], #[[$MAP1]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<8x8xf32>) outs(%[[EMPTY]] : tensor<8x8xf16>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_3:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT: %[[TRUNCF_2:.*]] = arith.truncf %[[ELEMENT_3]] : f32 to f16
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[TRUNCF_2]], %[[TRUNCF_2]] : f16
// CHECK-NEXT: linalg.yield %[[MULF]] : f16
// CHECK-NEXT: } -> tensor<8x8xf16>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<8x8xf32>
// CHECK-NEXT: %[[GENERIC_3:.*]] = linalg.generic {indexing_maps = [#[[$MAP1]], #[[$MAP1]]], iterator_types = ["parallel", "parallel"]} ins(%[[GENERIC]] : tensor<8x8xf16>) outs(%[[EMPTY_2]] : tensor<8x8xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_5:.*]]: f16, %{{.*}}: f32):
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[ELEMENT_5]] : f16 to f32
// CHECK-NEXT: linalg.yield %[[EXTF]] : f32
// CHECK-NEXT: } -> tensor<8x8xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%[[GENERIC_3]], %[[X]] : tensor<8x8xf32>, tensor<8x8xf32>) outs(%[[Y]] : tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[MATMUL_2:.*]] = linalg.matmul ins(%[[GENERIC]], %[[GENERIC_2]] : tensor<8x8xf16>, tensor<8x8xf16>) outs(%[[Z]] : tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK-NEXT: return %[[MATMUL]], %[[MATMUL_2]] : tensor<8x8xf32>, tensor<8x8xf16>
func.func @others(%x: tensor<8x8xf32>, %h: tensor<8x8xf16>, %y: tensor<8x8xf32>, %z: tensor<8x8xf16>) -> (tensor<8x8xf32>, tensor<8x8xf16>) {
  %e0 = tensor.empty() : tensor<8x8xf16>
  %moved = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e0 : tensor<8x8xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<8x8xf16>
  %scaled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e0 : tensor<8x8xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    %1 = arith.mulf %0, %0 : f16
    linalg.yield %1 : f16
  } -> tensor<8x8xf16>
  %e1 = tensor.empty() : tensor<8x8xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%moved : tensor<8x8xf16>) outs(%e1 : tensor<8x8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %p = linalg.matmul ins(%wide, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%moved, %scaled : tensor<8x8xf16>, tensor<8x8xf16>) outs(%z : tensor<8x8xf16>) -> tensor<8x8xf16>
  return %p, %q : tensor<8x8xf32>, tensor<8x8xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A weight that a loop reads is narrowed once before it.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @outside(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xbf16>, %[[W:[^:]*]]: tensor<8x16xf32>, %[[Y:[^:]*]]: tensor<4x16xf32>, %[[N:[^:]*]]: index) -> tensor<4x16xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8x16xbf16>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[W]] : tensor<8x16xf32>) outs(%[[EMPTY]] : tensor<8x16xbf16>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[E_2:.*]]: bf16):
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[E]] : f32 to bf16
// CHECK-NEXT: linalg.yield %[[TRUNCF]] : bf16
// CHECK-NEXT: } -> tensor<8x16xbf16>
// CHECK-NEXT: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[N]] step %[[C1]] iter_args(%[[ARG:.*]] = %[[Y]]) -> (tensor<4x16xf32>) {
// CHECK-NEXT: %[[PRODUCT:.*]] = linalg.matmul ins(%[[X]], %[[GENERIC]] : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%[[ARG]] : tensor<4x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: scf.yield %[[PRODUCT]] : tensor<4x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[LOOP]] : tensor<4x16xf32>
func.func @outside(%x: tensor<4x8xbf16>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>, %n: index) -> tensor<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x16xbf16>
  %narrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x16xf32>) outs(%e : tensor<8x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8x16xbf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> tensor<4x16xf32> {
    %p = linalg.matmul ins(%x, %narrow : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%a : tensor<4x16xf32>) -> tensor<4x16xf32>
    scf.yield %p : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (n, m)>

// A product that is written transposed is one like the others.
// CHECK-LABEL: func.func @turned(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xbf16>, %[[W:[^:]*]]: tensor<8x16xf32>, %[[Y:[^:]*]]: tensor<16x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[W]] : tensor<4x8xbf16>, tensor<8x16xf32>) outs(%[[Y]] : tensor<16x4xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[B]] : f32 to bf16
// CHECK-DAG: %[[WIDE_A:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-DAG: %[[WIDE_B:.*]] = arith.extf %[[NARROW]] : bf16 to f32
// CHECK: %[[P:.*]] = arith.mulf %[[WIDE_A]], %[[WIDE_B]] : f32
// CHECK-NEXT: arith.addf %[[C]], %[[P]] : f32
func.func @turned(%x: tensor<4x8xbf16>, %w: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %e = tensor.empty() : tensor<8x16xbf16>
  %narrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x16xf32>) outs(%e : tensor<8x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8x16xbf16>
  %p = linalg.contract indexing_maps = [#a, #b, #c] ins(%x, %narrow : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%y : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %p : tensor<16x4xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Sums of narrow numbers have no tiles that could share what is narrowed.
// CHECK-LABEL: func.func @narrow_sums(
// CHECK: %[[NARROW:.*]] = linalg.generic
// CHECK: linalg.matmul ins(%{{.*}}, %[[NARROW]] : tensor<4x8xbf16>, tensor<8x16xbf16>)
func.func @narrow_sums(%x: tensor<4x8xbf16>, %w: tensor<8x16xf32>, %y: tensor<4x16xbf16>) -> tensor<4x16xbf16> {
  %e = tensor.empty() : tensor<8x16xbf16>
  %narrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x16xf32>) outs(%e : tensor<8x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8x16xbf16>
  %p = linalg.matmul ins(%x, %narrow : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%y : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  return %p : tensor<4x16xbf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The schedule of a product is that of the generic one which converts its operand.
// CHECK-LABEL: func.func @scheduled(
// CHECK: linalg.generic {{.*}}ins(%{{.*}} : tensor<64x32xf32>, tensor<32x128xbf16>){{.*}}codegen.schedule = #codegen.fma<tiles = {{\[\[}}8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>
func.func @scheduled(%x: tensor<64x32xf32>, %w: tensor<32x128xbf16>, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x32xbf16>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x32xbf16>
  %0 = linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[8, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>}
      ins(%n, %w : tensor<64x32xbf16>, tensor<32x128xbf16>) outs(%y : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// V16: weights of variables and constants are widened where they are read: floats, and
// integers of either sign.
// CHECK-LABEL: func.func @widened(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %[[H:[^:]*]]: tensor<8x16xf16>, %[[U:[^:]*]]: tensor<4x8xi8>, %[[Y:[^:]*]]: tensor<4x16xf32>)
// CHECK: %[[C:.*]] = arith.constant dense_resource<w> : tensor<8x16xi8>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[H]] : tensor<4x8xf32>, tensor<8x16xf16>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[E:.*]]: f16, %{{.*}}: f32):
// CHECK-NEXT: arith.extf %[[E]] : f16 to f32
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[C]] : tensor<4x8xf32>, tensor<8x16xi8>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[I:.*]]: i8, %{{.*}}: f32):
// CHECK-NEXT: arith.sitofp %[[I]] : i8 to f32
// CHECK: linalg.generic {{.*}} ins(%[[U]], %[[C]] : tensor<4x8xi8>, tensor<8x16xi8>)
// CHECK-NEXT: ^bb0(%[[J:.*]]: i8, %[[K:.*]]: i8, %{{.*}}: f32):
// CHECK-DAG: arith.sitofp %[[K]] : i8 to f32
// CHECK-DAG: arith.uitofp %[[J]] : i8 to f32
// WIDE-LABEL: func.func @widened(
// WIDE-COUNT-3: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x16xf32>)
func.func @widened(%x: tensor<4x8xf32>, %h: tensor<8x16xf16>, %u: tensor<4x8xi8>, %y: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) {
  %c = arith.constant dense_resource<w> : tensor<8x16xi8>
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<8x16xf16>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %p = linalg.matmul ins(%x, %wide : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  %whole = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<8x16xi8>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %q = linalg.matmul ins(%x, %whole : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  %again = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<8x16xi8>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %unsigned = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<4x8xi8>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.uitofp %in : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %r = linalg.matmul ins(%unsigned, %again : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p, %q, %r : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>
}


// -----

// A product reads a weight that was transposed for it in its own order; a value
// that another op reads too is transposed once.
// CHECK: #[[$A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[$B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %[[W:[^:]*]]: tensor<16x8xf32>, %[[V:[^:]*]]: tensor<16x8xf32>,
// CHECK: linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #{{.*}}], {{.*}} ins(%[[X]], %[[W]] : tensor<4x8xf32>, tensor<16x8xf32>)
// CHECK: %[[SHARED:.*]] = linalg.transpose ins(%[[V]]
// CHECK: linalg.matmul ins(%[[X]], %[[SHARED]]
// CHECK: return %{{.*}}, %{{.*}}, %[[SHARED]]
// WIDE-LABEL: func.func @transposed(
// WIDE-COUNT-2: linalg.transpose
func.func @transposed(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %v: tensor<16x8xf32>, %y: tensor<4x16xf32>)
    -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %t = linalg.transpose ins(%w : tensor<16x8xf32>) outs(%e : tensor<8x16xf32>) permutation = [1, 0]
  %0 = linalg.matmul ins(%x, %t : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  %u = linalg.transpose ins(%v : tensor<16x8xf32>) outs(%e : tensor<8x16xf32>) permutation = [1, 0]
  %1 = linalg.matmul ins(%x, %u : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0, %1, %u : tensor<4x16xf32>, tensor<4x16xf32>, tensor<8x16xf32>
}
