// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of what the device has, for kernels in C.

#ifndef DEVICE_H
#define DEVICE_H

#define KERNEL __attribute__((device_kernel)) void
#define WORKGROUP __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))
#define DEVICE static inline __attribute__((always_inline))

DEVICE unsigned thread_x(void) { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE unsigned thread_y(void) { return __nvvm_read_ptx_sreg_tid_y(); }
DEVICE unsigned thread_z(void) { return __nvvm_read_ptx_sreg_tid_z(); }
DEVICE unsigned block_x(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE unsigned block_y(void) { return __nvvm_read_ptx_sreg_ctaid_y(); }
DEVICE unsigned threads_x(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
DEVICE unsigned threads_y(void) { return __nvvm_read_ptx_sreg_ntid_y(); }
DEVICE unsigned blocks_x(void) { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEVICE void barrier(void) { __syncthreads(); }

typedef float float4_t __attribute__((ext_vector_type(4)));

#endif // DEVICE_H
