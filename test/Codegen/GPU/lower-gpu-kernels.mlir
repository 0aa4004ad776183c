// RUN: flywheel-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(flywheel-lower-gpu-kernels))' | FileCheck %s

// Instructions where the device has them, and no call of a library.
// CHECK-LABEL: gpu.module @kernels
// CHECK: llvm.func @k({{.*}}) attributes {{{.*}}gpu.kernel{{.*}}nvvm.kernel
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK-DAG: llvm.intr.floor
// CHECK-DAG: llvm.intr.sqrt
// CHECK-NOT: llvm.call
gpu.module @kernels {
  gpu.func @k(%x: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %0 = memref.load %x[%i] : memref<8xf32>
    %1 = math.floor %0 : f32
    %2 = math.sqrt %1 : f32
    memref.store %2, %x[%i] : memref<8xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%x: memref<8xf64>) kernel {
    %i = gpu.thread_id x
    %0 = memref.load %x[%i] : memref<8xf64>
    // expected-error @+1 {{'math.asin' of 'f64' has no form on the GPU}}
    %1 = math.asin %0 : f64
    memref.store %1, %x[%i] : memref<8xf64>
    gpu.return
  }
}
