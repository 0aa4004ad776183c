// RUN: flywheel-compile %S/../Codegen/GPU/Host/Inputs/step.mlir --target=cuda:sm_90a --profile --emit=flywheel-loops -o - | FileCheck %s
// RUN: flywheel-compile %S/../Codegen/GPU/Host/Inputs/step.mlir --target=cuda:sm_90a --emit=flywheel-loops -o - | FileCheck %s --check-prefix=WITHOUT
// RUN: flywheel-compile %S/../Codegen/GPU/Host/Inputs/step.mlir --target=cuda:sm_90a --profile --emit=flywheel-loops -o - | not flywheel-opt --flywheel-profile-gpu-launches 2>&1 | FileCheck %s --check-prefix=TWICE

// F7: The runtime is told where the profile is, and before each launch its number.
// CHECK-LABEL: func.func @step.kernel(
// CHECK: call @flywheel_gpu_state(
// CHECK: call @flywheel_gpu_profile(%{{.*}}, %c16{{.*}}, %{{.*}}, %c1024{{.*}})
// CHECK: call @flywheel_gpu_measure(%c0{{.*}})
// CHECK-NEXT: gpu.launch_func
// CHECK: call @flywheel_gpu_measure(%c1{{.*}})
// CHECK-NEXT: gpu.launch_func
// WITHOUT-NOT: flywheel_gpu_{{profile|measure}}
// TWICE: error: expected a module without a profile, found one with it
