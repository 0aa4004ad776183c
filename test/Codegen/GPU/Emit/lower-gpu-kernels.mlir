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

// -----

// Fragments of bf16 are multiplied as words.
// CHECK-LABEL: llvm.func @halves(
// CHECK-COUNT-6: llvm.bitcast {{.*}} : vector<2xbf16> to i32
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK-NOT: nvgpu
gpu.module @kernels {
  gpu.func @halves(%a: memref<4x2xbf16>, %c: memref<2x2xf32>) kernel {
    %0 = arith.constant 0 : index
    %x = vector.load %a[%0, %0] : memref<4x2xbf16>, vector<2xbf16>
    %z = arith.constant dense<0.0> : vector<4x2xbf16>
    %w = arith.constant dense<0.0> : vector<2x2xbf16>
    %s = arith.constant dense<0.0> : vector<2x2xf32>
    %l = vector.insert %x, %z [0] : vector<2xbf16> into vector<4x2xbf16>
    %r = vector.insert %x, %w [1] : vector<2xbf16> into vector<2x2xbf16>
    %p = nvgpu.mma.sync (%l, %r, %s) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %e = vector.extract %p[1, 0] : f32 from vector<2x2xf32>
    memref.store %e, %c[%0, %0] : memref<2x2xf32>
    gpu.return
  }
}
