// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instruction that the simulator does not have.

#include "device.h"

KERNEL sleeps(void) { __nvvm_nanosleep(1); }
