//===- EmitEntryPoints.cpp - Wrap kernels for a user ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EMITENTRYPOINTS
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h.inc"

/// Returns the initializer of a model without variables.
static ManifestEntry makeEmptyInitializer() {
  ManifestEntry entry;
  entry.name = "init";
  return entry;
}

namespace {
struct EmitEntryPoints : impl::EmitEntryPointsBase<EmitEntryPoints> {
  using EmitEntryPointsBase::EmitEntryPointsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Manifest> manifest = Manifest::readFrom(module);
    if (failed(manifest))
      return signalPassFailure();
    if (maxDimSize < 0) {
      module.emitError() << "expected a non-negative 'max-dim-size', found "
                         << maxDimSize.getValue();
      return signalPassFailure();
    }
    bounds.others = maxDimSize;
    for (StringRef text : maxDimSizes)
      if (llvm::Error error = bounds.add(text)) {
        module.emitError() << llvm::toString(std::move(error))
                           << " in 'max-dim-sizes'";
        return signalPassFailure();
      }
    if (threads < 1 || threads > kMaxThreads) {
      module.emitError() << "expected 1 to " << kMaxThreads
                         << " as 'threads', found " << threads.getValue();
      return signalPassFailure();
    }
    denormals = parseDenormalControl(flushDenormals);
    if (!denormals) {
      module.emitError() << "expected 'x86', 'aarch64' or nothing as "
                            "'flush-denormals', found '"
                         << flushDenormals.getValue() << "'";
      return signalPassFailure();
    }
    if (failed(checkSymbols(*manifest)) || failed(checkSizes(*manifest)))
      return signalPassFailure();

    SmallVector<func::FuncOp> kernels;
    for (const ManifestEntry &entry : manifest->entries) {
      FailureOr<func::FuncOp> kernel = findKernel(*manifest, entry);
      if (failed(kernel))
        return signalPassFailure();
      kernels.push_back(*kernel);
    }
    addWorkers(*manifest, kernels);
    emit(*manifest, kernels);
    manifest->attachTo(module);
  }

private:
  std::optional<DenormalControl> denormals;
  DimSizeBounds bounds;

  void emit(Manifest &manifest, ArrayRef<func::FuncOp> kernels) {
    size_t oldMessages = manifest.messages.size();
    if (!bounds.named.empty())
      for (ManifestEntry &entry : manifest.entries)
        for (const std::string &symbol : entry.symbols)
          entry.symbolBounds.push_back(
              bounds.named.count(symbol) ? bounds.lookup(symbol) : 0);
    // The block of a caller in C holds the workspace: one of other bounds must
    // not pass for this one.
    if (cInterface)
      manifest.layoutHash = getCLayoutHash(manifest, bounds);
    EntryPointBuilder builder(getOperation(), manifest, bounds, *denormals);
    auto emitInitializer = [&](const ManifestEntry &entry) {
      func::FuncOp packed = builder.emitPackedInitializer(entry);
      if (cInterface)
        builder.emitCInitializers(entry, packed);
      ++numEntries;
    };
    const ManifestEntry *init = manifest.lookupEntry("init");
    if (init)
      builder.emitEvaluator(*init, kernels[init - manifest.entries.data()]);
    for (auto [entry, kernel] : llvm::zip_equal(manifest.entries, kernels)) {
      if (isInitializer(entry))
        continue;
      func::FuncOp packed = builder.emitPacked(entry, kernel);
      if (cInterface)
        builder.emitCFunction(entry, packed);
      ++numEntries;
    }
    emitInitializer(init ? *init : makeEmptyInitializer());
    if (cInterface && manifest.isOnGPU)
      builder.emitGPUFunctions();
    if (cInterface)
      builder.emitLastError();
    numMessages += manifest.messages.size() - oldMessages;
  }

  /// Adds the maximum number of workers of each entry. The initializer has no
  /// team.
  void addWorkers(Manifest &manifest, ArrayRef<func::FuncOp> kernels) {
    manifest.threads = std::max<int64_t>(manifest.threads, threads);
    for (auto [entry, kernel] : llvm::zip_equal(manifest.entries, kernels)) {
      if (isInitializer(entry))
        continue;
      entry.workers = getNumWorkers(kernel);
      manifest.threads = std::max(manifest.threads, entry.workers);
    }
  }

  static int64_t getNumWorkers(func::FuncOp kernel) {
    auto count = kernel->getAttrOfType<IntegerAttr>(
        codegen::CodegenDialect::getWorkersAttrName());
    return count ? count.getInt() : 1;
  }

  /// Returns the location of the function of `entry` in the program.
  Location getLocation(const ManifestEntry &entry) {
    Operation *kernel = getOperation().lookupSymbol(entry.name + ".kernel");
    return kernel ? kernel->getLoc() : getOperation().getLoc();
  }

  /// Names that the C header declares must differ; without one, those of
  /// entries.
  LogicalResult checkSymbols(const Manifest &manifest) {
    std::string prefix = toCIdentifier(manifest.model);
    llvm::StringMap<std::string> owners;
    auto reserve = [&](ArrayRef<StringRef> names, StringRef owner) {
      for (StringRef name : names)
        owners[prefix + "_" + name.str()] = owner.str();
    };
    if (cInterface) {
      reserve(getReservedCNames(), "the interface of every model");
      if (manifest.profile)
        reserve(getProfileCNames(), "the profile");
      if (manifest.isOnGPU)
        reserve(getGPUCNames(), "the interface of a GPU");
    }
    for (const ManifestEntry &entry : manifest.entries) {
      std::string owner = "entry '" + entry.name + "'";
      auto [it, isNew] =
          owners.try_emplace(getEntrySymbol(manifest, entry), owner);
      if (!isNew)
        return emitError(getLocation(entry))
               << owner << " would be called '" << it->first()
               << "' in C, a name that " << it->second
               << " has; rename the entry";
    }
    return checkElementTypes(manifest);
  }

  /// Checks that the block of a caller in C can hold the state and the
  /// workspace.
  LogicalResult checkSizes(const Manifest &manifest) {
    for (const ManifestEntry &entry : manifest.entries) {
      bool isBounded = cInterface || entry.symbols.empty();
      if (isBounded &&
          entry.getMaxWorkspaceBytes(bounds.lookupAll(entry.symbols))
              .isTooLarge())
        return emitError(getLocation(entry))
               << "entry '" << entry.name << "' needs a workspace of more than "
               << kMaxSizeText
               << " bytes where every dimension size is at its bound";
    }
    if (cInterface && getCStateBytes(manifest, bounds).isTooLarge())
      return getOperation().emitError()
             << "the state and the workspace of '" << manifest.model
             << "' need a block of more than " << kMaxSizeText
             << " bytes where every dimension size is at its bound";
    return success();
  }

  LogicalResult checkElementTypes(const Manifest &manifest) {
    for (const ManifestEntry &entry : manifest.entries)
      for (auto *arguments : {&entry.feeds, &entry.results})
        for (const ManifestArgument &argument : *arguments)
          if (getCType(argument.type.getElementType()).empty())
            return emitError(getLocation(entry))
                   << "'" << argument.name << "' of entry '" << entry.name
                   << "' has elements of type "
                   << argument.type.getElementType()
                   << ", which no C type can hold; expected f16, bf16, f32, "
                      "f64 or an integer of 1, 8, 16, 32 or 64 bits";
    return success();
  }

  FailureOr<func::FuncOp> findKernel(const Manifest &manifest,
                                     const ManifestEntry &entry) {
    if (isInitializer(entry) && failed(checkInitializer(manifest, entry)))
      return failure();
    std::string name = entry.name + ".kernel";
    auto kernel = getOperation().lookupSymbol<func::FuncOp>(name);
    if (!kernel)
      return getOperation().emitError()
             << "expected a function '" << name << "' for entry '" << entry.name
             << "', found none";
    if (failed(checkArguments(entry, kernel)))
      return failure();
    ArrayRef<Type> results = kernel.getResultTypes();
    if (results.size() != 1 || !results.front().isInteger(32))
      return kernel.emitOpError() << "expected an i32 status as result, found "
                                  << kernel.getFunctionType();
    return kernel;
  }

  /// Checks the arguments of a kernel: two buffers of bytes, then one for each
  /// feed and result, each of a plain layout; then, for workers, a number and a
  /// team.
  LogicalResult checkArguments(const ManifestEntry &entry,
                               func::FuncOp kernel) {
    SmallVector<int64_t> ranks{1, 1};
    for (auto *arguments : {&entry.feeds, &entry.results})
      for (const ManifestArgument &argument : *arguments)
        ranks.push_back(argument.type.getRank());
    bool hasWorkers =
        kernel->hasAttr(codegen::CodegenDialect::getWorkersAttrName());
    size_t count = ranks.size() + (hasWorkers ? 2 : 0);
    if (kernel.getNumArguments() != count)
      return kernel.emitOpError()
             << "expected " << count
             << " arguments, the state, the workspace, and the feeds and "
                "results of entry '"
             << entry.name << "'"
             << (hasWorkers ? ", and the worker and its team" : "")
             << ", found " << kernel.getNumArguments();
    ArrayRef<Type> types = kernel.getArgumentTypes();
    if (hasWorkers && (!types[count - 2].isIndex() ||
                       !isa<LLVM::LLVMPointerType>(types[count - 1])))
      return kernel.emitOpError()
             << "expected an index and a pointer, the worker and its team, as "
                "the last arguments, found "
             << types[count - 2] << " and " << types[count - 1];
    for (auto [index, type, rank] :
         llvm::enumerate(types.take_front(ranks.size()), ranks)) {
      auto buffer = dyn_cast<MemRefType>(type);
      if (!buffer || buffer.getRank() != rank ||
          !buffer.getLayout().isIdentity())
        return kernel.emitOpError()
               << "expected a memref of rank " << rank
               << " and no layout as argument " << index << ", found " << type;
    }
    return success();
  }

  LogicalResult checkInitializer(const Manifest &manifest,
                                 const ManifestEntry &entry) {
    auto is = [](const ManifestArgument &feed, StringRef name,
                 ArrayRef<int64_t> shape, unsigned width) {
      return feed.name == name && feed.type.getShape() == shape &&
             feed.type.getElementType().isInteger(width);
    };
    int64_t count = manifest.variables.size();
    if (entry.feeds.size() == 3 && is(entry.feeds[0], "seed", {}, 64) &&
        is(entry.feeds[1], "runs", count, 64) &&
        is(entry.feeds[2], "select", count, 1) && entry.results.empty())
      return success();
    return getOperation().emitError()
           << "expected entry 'init' to take 'seed', a tensor<i64>, 'runs', a "
              "tensor<"
           << count << "xi64>, and 'select', a tensor<" << count
           << "xi1>, and to have no results";
  }
};
} // namespace
} // namespace flywheel
