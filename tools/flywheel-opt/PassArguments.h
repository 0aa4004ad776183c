//===- PassArguments.h - What the command line gives passes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_OPT_PASSARGUMENTS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_OPT_PASSARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace flywheel {

/// Checks each `--PASS=OPTIONS`: upstream's driver reports neither the pass
/// that has no such option, nor the options that exist.
llvm::Error checkPassArguments(llvm::ArrayRef<const char *> arguments);

} // namespace flywheel

#endif // FLYWHEEL_TOOLS_FLYWHEEL_OPT_PASSARGUMENTS_H
