// T20: kernels have names in perf, by the option or by the environment.
// RUN: %python %S/Inputs/perf-map.py flywheel-run %s --entry step --feed x=random --perf-map | FileCheck %s
// RUN: env FLYWHEEL_PERF_MAP=1 %python %S/Inputs/perf-map.py flywheel-run %s --entry step --feed x=random | FileCheck %s
// CHECK-DAG: {{^}}step.dense.Nx8.{{[0-9]+}}{{$}}
// CHECK-DAG: {{^}}step.minimize.4x8.{{[0-9]+}}{{$}}
// CHECK-DAG: {{^}}perf_map_step.packed{{$}}

// RUN: env FLYWHEEL_PERF_MAP=0 %python %S/Inputs/perf-map.py flywheel-run %s --entry step --feed x=random | FileCheck %s --check-prefix=NONE
// RUN: env FLYWHEEL_PERF_MAP= %python %S/Inputs/perf-map.py flywheel-run %s --entry step --feed x=random | FileCheck %s --check-prefix=NONE
// NONE: no map

// RUN: not env FLYWHEEL_PERF_MAP=yes flywheel-run %s --entry step --feed x=random 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: expected FLYWHEEL_PERF_MAP to be 0 or 1, found 'yes'

train.variable @w : tensor<4x8xf32> = #train.ones
func.func @step(%x: tensor<?x4xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<4x8xf32>
  %y = nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %loss = nn.l2_loss %y : tensor<?x8xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.01>
  return %loss : tensor<f32>
}
