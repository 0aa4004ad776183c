//===- VerifyCalls.cpp - Calls that can be inlined ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include <map>

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VERIFYCALLS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Ops that inlining may add to a function.
constexpr int64_t kMaxInlinedOps = int64_t{1} << 20;

namespace {
struct VerifyCalls : flywheel::impl::VerifyCallsBase<VerifyCalls> {
  void runOnOperation() override {
    sizes.clear();
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      const Size &size = getSize(function, symbols);
      if (size.inlined.getSaturated() <= kMaxInlinedOps)
        continue;
      function.emitError() << "'" << function.getSymName()
                           << "' would have more than " << kMaxInlinedOps
                           << " ops of other functions after inlining";
      return signalPassFailure();
    }
  }

private:
  struct Size {
    int64_t own = 0;
    CheckedSize inlined = 0;
  };

  /// Visits callees first. A recursive function, which other code refuses, has
  /// the size that was counted until then.
  const Size &getSize(func::FuncOp function, SymbolTableCollection &symbols) {
    auto [known, isNew] = sizes.try_emplace(function);
    if (!isNew)
      return known->second;
    Size size;
    function.walk([&](Operation *op) {
      ++size.own;
      auto call = dyn_cast<func::CallOp>(op);
      auto callee = call ? symbols.lookupNearestSymbolFrom<func::FuncOp>(
                               call, call.getCalleeAttr())
                         : func::FuncOp();
      if (!callee)
        return;
      const Size &called = getSize(callee, symbols);
      size.inlined += called.inlined + called.own;
    });
    return sizes[function] = size;
  }

  /// References to its elements stay valid.
  std::map<Operation *, Size> sizes;
};
} // namespace
