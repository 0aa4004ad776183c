//===- OrderConstants.cpp - The flywheel-order-constants pass -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_ORDERCONSTANTS
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

/// The prefix of the names that bufferization gives to constants.
constexpr llvm::StringLiteral kPrefix = "__constant_";

/// Returns the name that bufferization gives to the first constant of this
/// type.
static std::string getBaseName(MemRefType type) {
  std::string name = kPrefix.str();
  llvm::raw_string_ostream stream(name);
  llvm::interleave(type.getShape(), stream, "x");
  stream << "x" << type.getElementType();
  return name;
}

namespace {
struct OrderConstants : flywheel::impl::OrderConstantsBase<OrderConstants> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<memref::GlobalOp> constants;
    llvm::StringMap<unsigned> taken;
    for (Operation &op : module.getOps()) {
      auto global = dyn_cast<memref::GlobalOp>(op);
      if (global && global.getConstant() && global.isPrivate() &&
          global.getSymName().starts_with(kPrefix))
        constants[global.getSymName()] = global;
      else if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        taken[symbol.getName()];
    }
    llvm::MapVector<Operation *, SmallVector<memref::GetGlobalOp>> uses;
    module.walk([&](memref::GetGlobalOp use) {
      if (memref::GlobalOp global = constants.lookup(use.getName()))
        uses[global].push_back(use);
    });
    Operation *last = nullptr;
    llvm::StringMap<unsigned> numbers;
    for (auto &[op, users] : uses) {
      auto global = cast<memref::GlobalOp>(op);
      std::string base = getBaseName(global.getType()), name;
      do {
        unsigned number = numbers[base]++;
        name = number ? base + "_" + std::to_string(number - 1) : base;
      } while (taken.contains(name));
      global.setSymName(name);
      for (memref::GetGlobalOp use : users)
        use.setName(name);
      if (last)
        global->moveAfter(last);
      else
        global->moveBefore(module.getBody(), module.getBody()->begin());
      last = global;
    }
  }
};
} // namespace
