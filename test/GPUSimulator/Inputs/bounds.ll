; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Kernels that say how many threads a block has.

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @at_most_64() #0 {
  ret void
}

define ptx_kernel void @exactly_16_by_2() #1 {
  ret void
}

attributes #0 = { "nvvm.maxntid"="64" }
attributes #1 = { "nvvm.reqntid"="16,2" }
