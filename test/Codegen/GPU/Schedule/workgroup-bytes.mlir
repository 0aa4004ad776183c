// RUN: flywheel-opt %s --split-input-file --flywheel-form-gpu-groups --flywheel-map-to-gpu --flywheel-outline-gpu-kernels --canonicalize --cse | FileCheck %s
// D9: what a block keeps in workgroup memory depends on how much of it the GPU has.

// Tiles of two stages are all that 48 KiB hold. A kernel with more than half of them asks for registers.
// CHECK-LABEL: func.func @usual.kernel(
// CHECK: gpu.func @{{.*}} workgroup(%{{.*}} : memref<36864xi8, #gpu.address_space<workgroup>>{{.*}}nvvm.minctasm = 2
module attributes {codegen.target = #codegen.gpu<chip = "gfx942", image = "hsaco">} {
  func.func @usual.kernel(%x: memref<512x512xf32>, %w: memref<512x512xf32>, %y: memref<512x512xf32>) {
    linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [128, 128, 0], depth = 16, stages = 3>}
        ins(%x, %w : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
    return
  }
}

// -----

// CHECK-LABEL: func.func @more.kernel(
// CHECK: gpu.func @{{.*}} workgroup(%{{.*}} : memref<55296xi8, #gpu.address_space<workgroup>>
module attributes {codegen.target = #codegen.gpu<chip = "gfx942", image = "hsaco", workgroup_bytes = 65536>} {
  func.func @more.kernel(%x: memref<512x512xf32>, %w: memref<512x512xf32>, %y: memref<512x512xf32>) {
    linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [128, 128, 0], depth = 16, stages = 3>}
        ins(%x, %w : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
    return
  }
}
