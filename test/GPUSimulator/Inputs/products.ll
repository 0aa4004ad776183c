; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Each kernel multiplies the matrices whose words of each lane are at %x and
; writes those of the result to %out: 4 words of a lane, behind those of the
; lane before.

target triple = "nvptx64-nvidia-cuda"

%product = type { float, float, float, float }

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

declare %product @llvm.nvvm.mma.m16n8k4.row.col.tf32(i32, i32, i32, float, float, float, float)

define ptx_kernel void @tf32_4(ptr %x, ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = mul i32 %lane, 7
  %words = getelementptr i32, ptr %x, i32 %begin
  %p0 = getelementptr i32, ptr %words, i32 0
  %v0 = load i32, ptr %p0, align 4
  %p1 = getelementptr i32, ptr %words, i32 1
  %v1 = load i32, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %words, i32 2
  %v2 = load i32, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %words, i32 3
  %v3 = load float, ptr %p3, align 4
  %p4 = getelementptr i32, ptr %words, i32 4
  %v4 = load float, ptr %p4, align 4
  %p5 = getelementptr i32, ptr %words, i32 5
  %v5 = load float, ptr %p5, align 4
  %p6 = getelementptr i32, ptr %words, i32 6
  %v6 = load float, ptr %p6, align 4
  %d = call %product @llvm.nvvm.mma.m16n8k4.row.col.tf32(i32 %v0, i32 %v1, i32 %v2, float %v3, float %v4, float %v5, float %v6)
  %place = getelementptr %product, ptr %out, i32 %lane
  store %product %d, ptr %place, align 4
  ret void
}

declare %product @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32, i32, i32, i32, i32, i32, float, float, float, float)

define ptx_kernel void @tf32_8(ptr %x, ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = mul i32 %lane, 10
  %words = getelementptr i32, ptr %x, i32 %begin
  %p0 = getelementptr i32, ptr %words, i32 0
  %v0 = load i32, ptr %p0, align 4
  %p1 = getelementptr i32, ptr %words, i32 1
  %v1 = load i32, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %words, i32 2
  %v2 = load i32, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %words, i32 3
  %v3 = load i32, ptr %p3, align 4
  %p4 = getelementptr i32, ptr %words, i32 4
  %v4 = load i32, ptr %p4, align 4
  %p5 = getelementptr i32, ptr %words, i32 5
  %v5 = load i32, ptr %p5, align 4
  %p6 = getelementptr i32, ptr %words, i32 6
  %v6 = load float, ptr %p6, align 4
  %p7 = getelementptr i32, ptr %words, i32 7
  %v7 = load float, ptr %p7, align 4
  %p8 = getelementptr i32, ptr %words, i32 8
  %v8 = load float, ptr %p8, align 4
  %p9 = getelementptr i32, ptr %words, i32 9
  %v9 = load float, ptr %p9, align 4
  %d = call %product @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %v0, i32 %v1, i32 %v2, i32 %v3, i32 %v4, i32 %v5, float %v6, float %v7, float %v8, float %v9)
  %place = getelementptr %product, ptr %out, i32 %lane
  store %product %d, ptr %place, align 4
  ret void
}

declare %product @llvm.nvvm.mma.m16n8k8.row.col.bf16(i32, i32, i32, float, float, float, float)

define ptx_kernel void @bf16_8(ptr %x, ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = mul i32 %lane, 7
  %words = getelementptr i32, ptr %x, i32 %begin
  %p0 = getelementptr i32, ptr %words, i32 0
  %v0 = load i32, ptr %p0, align 4
  %p1 = getelementptr i32, ptr %words, i32 1
  %v1 = load i32, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %words, i32 2
  %v2 = load i32, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %words, i32 3
  %v3 = load float, ptr %p3, align 4
  %p4 = getelementptr i32, ptr %words, i32 4
  %v4 = load float, ptr %p4, align 4
  %p5 = getelementptr i32, ptr %words, i32 5
  %v5 = load float, ptr %p5, align 4
  %p6 = getelementptr i32, ptr %words, i32 6
  %v6 = load float, ptr %p6, align 4
  %d = call %product @llvm.nvvm.mma.m16n8k8.row.col.bf16(i32 %v0, i32 %v1, i32 %v2, float %v3, float %v4, float %v5, float %v6)
  %place = getelementptr %product, ptr %out, i32 %lane
  store %product %d, ptr %place, align 4
  ret void
}

declare %product @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)

define ptx_kernel void @bf16_16(ptr %x, ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = mul i32 %lane, 10
  %words = getelementptr i32, ptr %x, i32 %begin
  %p0 = getelementptr i32, ptr %words, i32 0
  %v0 = load i32, ptr %p0, align 4
  %p1 = getelementptr i32, ptr %words, i32 1
  %v1 = load i32, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %words, i32 2
  %v2 = load i32, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %words, i32 3
  %v3 = load i32, ptr %p3, align 4
  %p4 = getelementptr i32, ptr %words, i32 4
  %v4 = load i32, ptr %p4, align 4
  %p5 = getelementptr i32, ptr %words, i32 5
  %v5 = load i32, ptr %p5, align 4
  %p6 = getelementptr i32, ptr %words, i32 6
  %v6 = load float, ptr %p6, align 4
  %p7 = getelementptr i32, ptr %words, i32 7
  %v7 = load float, ptr %p7, align 4
  %p8 = getelementptr i32, ptr %words, i32 8
  %v8 = load float, ptr %p8, align 4
  %p9 = getelementptr i32, ptr %words, i32 9
  %v9 = load float, ptr %p9, align 4
  %d = call %product @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %v0, i32 %v1, i32 %v2, i32 %v3, i32 %v4, i32 %v5, float %v6, float %v7, float %v8, float %v9)
  %place = getelementptr %product, ptr %out, i32 %lane
  store %product %d, ptr %place, align 4
  ret void
}

declare %product @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, float, float, float, float)

define ptx_kernel void @f16_8(ptr %x, ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = mul i32 %lane, 7
  %words = getelementptr i32, ptr %x, i32 %begin
  %p0 = getelementptr i32, ptr %words, i32 0
  %v0 = load <2 x half>, ptr %p0, align 4
  %p1 = getelementptr i32, ptr %words, i32 1
  %v1 = load <2 x half>, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %words, i32 2
  %v2 = load <2 x half>, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %words, i32 3
  %v3 = load float, ptr %p3, align 4
  %p4 = getelementptr i32, ptr %words, i32 4
  %v4 = load float, ptr %p4, align 4
  %p5 = getelementptr i32, ptr %words, i32 5
  %v5 = load float, ptr %p5, align 4
  %p6 = getelementptr i32, ptr %words, i32 6
  %v6 = load float, ptr %p6, align 4
  %d = call %product @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half> %v0, <2 x half> %v1, <2 x half> %v2, float %v3, float %v4, float %v5, float %v6)
  %place = getelementptr %product, ptr %out, i32 %lane
  store %product %d, ptr %place, align 4
  ret void
}

declare %product @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)

define ptx_kernel void @f16_16(ptr %x, ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = mul i32 %lane, 10
  %words = getelementptr i32, ptr %x, i32 %begin
  %p0 = getelementptr i32, ptr %words, i32 0
  %v0 = load <2 x half>, ptr %p0, align 4
  %p1 = getelementptr i32, ptr %words, i32 1
  %v1 = load <2 x half>, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %words, i32 2
  %v2 = load <2 x half>, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %words, i32 3
  %v3 = load <2 x half>, ptr %p3, align 4
  %p4 = getelementptr i32, ptr %words, i32 4
  %v4 = load <2 x half>, ptr %p4, align 4
  %p5 = getelementptr i32, ptr %words, i32 5
  %v5 = load <2 x half>, ptr %p5, align 4
  %p6 = getelementptr i32, ptr %words, i32 6
  %v6 = load float, ptr %p6, align 4
  %p7 = getelementptr i32, ptr %words, i32 7
  %v7 = load float, ptr %p7, align 4
  %p8 = getelementptr i32, ptr %words, i32 8
  %v8 = load float, ptr %p8, align 4
  %p9 = getelementptr i32, ptr %words, i32 9
  %v9 = load float, ptr %p9, align 4
  %d = call %product @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %v0, <2 x half> %v1, <2 x half> %v2, <2 x half> %v3, <2 x half> %v4, <2 x half> %v5, float %v6, float %v7, float %v8, float %v9)
  %place = getelementptr %product, ptr %out, i32 %lane
  store %product %d, ptr %place, align 4
  ret void
}
