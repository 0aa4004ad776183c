//===- ConvertAsserts.cpp - The flywheel-convert-asserts pass -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `cf.assert` anywhere. After: a check of data with the same message
// and location.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"

namespace flywheel {
#define GEN_PASS_DEF_CONVERTASSERTS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

namespace {
struct ConvertAsserts : flywheel::impl::ConvertAssertsBase<ConvertAsserts> {
  void runOnOperation() override {
    flywheel::linalg_ext::convertAsserts(getOperation());
  }
};
} // namespace
