// RUN: flywheel-opt %s --nn-decompose --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// R4: what a composite op is made of carries its name, so that errors name it.
// CHECK-LABEL: func.func @activations
// CHECK-DAG: loc(fused<"nn.gelu">["{{.*}}decompose-names.mlir":[[#@LINE+22]]:8])
// CHECK-DAG: loc(fused<"nn.silu">["{{.*}}decompose-names.mlir":[[#@LINE+22]]:8])
// CHECK-DAG: loc(fused<"nn.elu">["{{.*}}decompose-names.mlir":[[#@LINE+22]]:8])
// CHECK-DAG: loc(fused<"nn.selu">[
// CHECK-DAG: loc(fused<"nn.leaky_relu">[
// CHECK-DAG: loc(fused<"nn.relu6">[
// CHECK-DAG: loc(fused<"nn.hard_sigmoid">[
// CHECK-DAG: loc(fused<"nn.softsign">[
// CHECK-DAG: loc(fused<"nn.l2_loss">[
// CHECK-DAG: loc(fused<"nn.tile">[
// CHECK-DAG: loc(fused<"nn.attention">[
// CHECK-DAG: loc(fused<"nn.lstsq">[
// CHECK-DAG: loc(fused<"nn.layer_norm">[
// CHECK-DAG: loc(fused<"nn.rms_norm">[
// CHECK-DAG: loc(fused<"nn.add">[
// CHECK-DAG: loc(fused<"nn.huber">[
// CHECK-NOT: nn.gelu %
// CHECK: return

// The first name stays, where a part is composite itself.
// CHECK-NOT: fused<"{{.*}}">[fused
func.func @activations(%x: tensor<?x4xf32>, %a: tensor<?x2xf64>, %b: tensor<?x1xf64>, %v: tensor<4xf32>) -> tensor<f32> {
  %0 = nn.gelu %x : tensor<?x4xf32>
  %1 = nn.silu %0 : tensor<?x4xf32>
  %2 = nn.elu %1 : tensor<?x4xf32>
  %3 = nn.selu %2 : tensor<?x4xf32>
  %4 = nn.leaky_relu %3 alpha 0.1 : tensor<?x4xf32>
  %5 = nn.relu6 %4 : tensor<?x4xf32>
  %6 = nn.hard_sigmoid %5 : tensor<?x4xf32>
  %7 = nn.softsign %6 : tensor<?x4xf32>
  %8 = nn.tile %7 multiples [4, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
  %9 = nn.attention %8, %8, %8 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %10 = nn.lstsq %a, %b : (tensor<?x2xf64>, tensor<?x1xf64>) -> tensor<2x1xf64>
  %11 = nn.layer_norm %9 gamma %v axes [1] epsilon 1.0e-3 : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %12 = nn.rms_norm %11 axes [1] epsilon 1.0e-3 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %13 = nn.add %12, %v : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %14 = nn.huber %13, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<f32>
  %15 = nn.l2_loss %x : tensor<?x4xf32> -> tensor<f32>
  %16 = arith.addf %14, %15 : tensor<f32>
  return %16 : tensor<f32>
}
