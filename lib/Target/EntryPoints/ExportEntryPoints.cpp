//===- ExportEntryPoints.cpp - Exported symbols of an object --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/CNames.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EXPORTENTRYPOINTS
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h.inc"

/// Makes functions private that no program calls: kernels of two models may
/// have one name.
static void makePrivate(Operation &op) {
  if (auto func = dyn_cast<LLVM::LLVMFuncOp>(op)) {
    if (func.isExternal())
      return;
    func.setLinkage(LLVM::Linkage::Internal);
    // Internal symbols have default visibility.
    return func.setVisibility_(LLVM::Visibility::Default);
  }
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  if (!global || global.getLinkage() == LLVM::Linkage::Appending)
    return;
  bool isDefinition = global.getValueOrNull() || global.getInitializerBlock();
  if (isDefinition && global.getLinkage() != LLVM::Linkage::Private)
    global.setLinkage(LLVM::Linkage::Internal);
}

namespace {
struct ExportEntryPoints : impl::ExportEntryPointsBase<ExportEntryPoints> {
  using ExportEntryPointsBase::ExportEntryPointsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Manifest> manifest = Manifest::readFrom(module);
    if (failed(manifest))
      return signalPassFailure();
    DimSizeBounds bounds(maxDimSize);
    for (StringRef text : maxDimSizes)
      if (llvm::Error error = bounds.add(text)) {
        module.emitError() << llvm::toString(std::move(error))
                           << " in 'max-dim-sizes'";
        return signalPassFailure();
      }
    std::vector<std::string> exported;
    if (cInterface)
      exported = getExportedSymbols(*manifest);
    llvm::StringSet<> kept;
    kept.insert(exported.begin(), exported.end());
    for (Operation &op : module.getBody()->getOperations()) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (symbol && !kept.contains(symbol.getName()))
        makePrivate(op);
    }
    hidePackedForms(*manifest);
    for (const ManifestEntry &entry : manifest->entries)
      // Not inlined: arithmetic must not move across the switch of the mode.
      if (auto kernel =
              module.lookupSymbol<LLVM::LLVMFuncOp>(entry.name + ".kernel"))
        kernel.setNoInline(true);
    std::string hash = getInterfaceHash(*manifest, bounds);
    for (const std::string &symbol : exported)
      if (failed(addLinkedName(symbol, getLinkedSymbol(symbol, hash))))
        return signalPassFailure();
  }

private:
  /// Hides the symbols that only a session calls from other objects.
  void hidePackedForms(const Manifest &manifest) {
    ManifestEntry init;
    init.name = "init";
    SmallVector<std::string> symbols{getPackedSymbol(manifest, init)};
    for (const ManifestEntry &entry : manifest.entries)
      symbols.push_back(getPackedSymbol(manifest, entry));
    for (const std::string &symbol : symbols)
      if (auto func = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(symbol)) {
        func.setLinkage(LLVM::Linkage::External);
        func.setVisibility_(LLVM::Visibility::Hidden);
      }
  }

  /// Adds the name of a function that only objects of one interface have.
  LogicalResult addLinkedName(StringRef symbol, StringRef linked) {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
    if (!function)
      return module.emitError() << "expected a function '" << symbol
                                << "' of the C interface, found none; "
                                   "--flywheel-emit-entry-points "
                                   "makes it";
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    Location loc = module.getLoc();
    Type ptr = LLVM::LLVMPointerType::get(&getContext());
    auto alias =
        LLVM::AliasOp::create(b, loc, ptr, LLVM::Linkage::External, linked);
    b.createBlock(&alias.getInitializerRegion());
    LLVM::ReturnOp::create(
        b, loc, LLVM::AddressOfOp::create(b, loc, function).getResult());
    return success();
  }
};
} // namespace
} // namespace flywheel
