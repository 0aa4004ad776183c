; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Shuffles that say whether the lane that is read is within the bounds: each
; thread writes the value and that.

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

declare { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)

define ptx_kernel void @down_i32p(ptr %x, ptr %out, i32 %distance, i32 %bounds) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %from
  %r = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %v, i32 %distance, i32 %bounds)
  %value = extractvalue { i32, i1 } %r, 0
  %inside = extractvalue { i32, i1 } %r, 1
  %word = zext i1 %inside to i32
  %i = mul i32 %t, 2
  %place = getelementptr i32, ptr %out, i32 %i
  store i32 %value, ptr %place
  %next = getelementptr i32, ptr %place, i32 1
  store i32 %word, ptr %next
  ret void
}

declare { float, i1 } @llvm.nvvm.shfl.sync.up.f32p(i32, float, i32, i32)

define ptx_kernel void @up_f32p(ptr %x, ptr %out, i32 %distance, i32 %bounds) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %from
  %r = call { float, i1 } @llvm.nvvm.shfl.sync.up.f32p(i32 -1, float %v, i32 %distance, i32 %bounds)
  %value = extractvalue { float, i1 } %r, 0
  %inside = extractvalue { float, i1 } %r, 1
  %word = zext i1 %inside to i32
  %i = mul i32 %t, 2
  %place = getelementptr i32, ptr %out, i32 %i
  store float %value, ptr %place
  %next = getelementptr i32, ptr %place, i32 1
  store i32 %word, ptr %next
  ret void
}
