//===- ConversionPasses.h - Passes of Conversion ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CONVERSION_CONVERSIONPASSES_H
#define FLYWHEEL_CONVERSION_CONVERSIONPASSES_H

#include "flywheel/Support/PassCount.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Conversion/ConversionPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_CONVERSION_CONVERSIONPASSES_H
