//===- SinkAddresses.h - Addresses beside the calls ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_SINKADDRESSES_H
#define FLYWHEEL_LIB_TARGET_OBJECT_SINKADDRESSES_H

#include "llvm/IR/Module.h"

namespace flywheel {

/// Computes an address at a constant distance from an argument of the function
/// again for each call that takes it. A step calls its kernels with thousands
/// of such addresses, each of which is one instruction; kept from the beginning
/// of the function, they take registers, and most of the time of allocating
/// them.
void sinkAddresses(llvm::Module &module);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_SINKADDRESSES_H
