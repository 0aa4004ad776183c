// RUN: flywheel-opt %s --flywheel-expand-math | FileCheck %s

// With multiply-adds, four functions of f64 are polynomials, too.
module attributes {codegen.target = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = ["fma"]>} {
  // CHECK-LABEL: func.func @f64_multiply_add(
  // CHECK-NOT: math.{{exp|expm1|log|tanh}}
  // CHECK: math.fma %{{.*}} : vector<8xf64>
  // CHECK: math.copysign
  // CHECK-NOT: math.{{exp|expm1|log|tanh}}
  // CHECK: math.sin
  func.func @f64_multiply_add(%x: vector<8xf64>) -> vector<8xf64> {
    %0 = math.exp %x : vector<8xf64>
    %1 = math.expm1 %0 : vector<8xf64>
    %2 = math.log %1 : vector<8xf64>
    %3 = math.tanh %2 : vector<8xf64>
    %4 = math.sin %3 : vector<8xf64>
    return %4 : vector<8xf64>
  }
}
