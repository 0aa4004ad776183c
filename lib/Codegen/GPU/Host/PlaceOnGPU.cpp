//===- PlaceOnGPU.cpp - Buffers of the device -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that are called here are declared in flywheel/Runtime/GPU.h.
// Those that return a buffer do so through the C interface of MLIR.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/GPU/RuntimeCalls.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_PLACEONGPU
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

using flywheel::getFirstOffset;
using flywheel::isOfHeader;
using flywheel::Manifest;
using flywheel::ManifestEntry;
using flywheel::RuntimeCalls;

namespace {
struct PlaceOnGPU : flywheel::impl::PlaceOnGPUBase<PlaceOnGPU> {
  void runOnOperation() override;

private:
  void placeArguments(func::FuncOp kernel, const ManifestEntry &entry,
                      const Manifest &manifest);
  void placeInitializer(func::FuncOp kernel, const Manifest &manifest);
  Value makeSlot(OpBuilder &b, memref::GetGlobalOp global);
  void placeConstants(func::FuncOp kernel);
  void copyElements(func::FuncOp kernel, const Manifest &manifest);
  void endLoops(func::FuncOp kernel);

  /// Slots of the stack for elements that the host holds.
  SmallPtrSet<Operation *, 16> isOfHost;
};
} // namespace

/// Returns the bytes of a buffer of static size, rounded up so that the next
/// one is aligned.
static int64_t getSlotBytes(memref::AllocaOp slot) {
  MemRefType type = slot.getType();
  return llvm::alignTo(type.getNumElements() *
                           flywheel::getElementBytes(type.getElementType()),
                       flywheel::kStateAlignment);
}

/// Emits the bytes of workspace of a call, from the sizes of its feeds.
static Value emitWorkspaceBytes(RuntimeCalls &runtime, OpBuilder &b,
                                func::FuncOp kernel,
                                const ManifestEntry &entry) {
  Location loc = kernel.getLoc();
  SmallVector<OpFoldResult> symbols(entry.symbols.size());
  for (auto [number, feed] : llvm::enumerate(entry.feeds))
    for (auto [dim, symbol] : llvm::enumerate(feed.symbols))
      if (symbol >= 0 && !symbols[symbol])
        symbols[symbol] =
            memref::getMixedSize(b, loc, kernel.getArgument(2 + number), dim);
  Value total = runtime.index(0);
  for (const std::vector<AffineMap> &slot : entry.workspaceSlots) {
    Value largest = runtime.index(0);
    for (AffineMap map : slot)
      largest = arith::MaxSIOp::create(
          b, loc, largest,
          getValueOrCreateConstantIndexOp(
              b, loc,
              affine::makeComposedFoldedAffineApply(b, loc, map, symbols)));
    AffineExpr bytes = b.getAffineDimExpr(0);
    AffineExpr aligned =
        bytes.ceilDiv(flywheel::kStateAlignment) * flywheel::kStateAlignment;
    largest = affine::AffineApplyOp::create(
        b, loc, AffineMap::get(1, 0, aligned), ValueRange(largest));
    total = arith::AddIOp::create(b, loc, total, largest);
  }
  return total;
}

void PlaceOnGPU::placeArguments(func::FuncOp kernel, const ManifestEntry &entry,
                                const Manifest &manifest) {
  Block &block = kernel.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  Location loc = kernel.getLoc();
  RuntimeCalls runtime(getOperation(), b, loc);
  Value state = kernel.getArgument(0), workspace = kernel.getArgument(1);
  Value host = runtime.pointerTo(state);
  Value hostSize = runtime.index(manifest.stateBytes);
  auto replace = [&](Value buffer, Value bytes, bool isTyped) {
    Value placed = isTyped ? runtime.view(bytes, buffer) : bytes;
    // Uses before the call, which prepare it, keep the buffer of the host.
    buffer.replaceUsesWithIf(placed, [&](OpOperand &use) {
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      return !isOfHeader(use.getOwner(), manifest) &&
             (!user || placed.getDefiningOp()->isBeforeInBlock(user));
    });
  };
  Value begin = runtime.index(getFirstOffset(manifest));
  flywheel::codegen::GPUAttr gpu = flywheel::codegen::lookupGPU(getOperation());
  Value isAMD = runtime.index(gpu && gpu.getImage() == "hsaco");
  Value onDevice =
      runtime.callForBytes("state", {host, begin, hostSize, isAMD});
  Value needed = emitWorkspaceBytes(runtime, b, kernel, entry);
  // After it, the slots that the host would have on its stack.
  SmallVector<memref::AllocaOp> slots;
  int64_t slotBytes = 0;
  kernel.walk([&](memref::AllocaOp slot) {
    if (!isOfHost.contains(slot) && !slot->getParentOfType<gpu::LaunchOp>())
      slots.push_back(slot);
  });
  for (memref::AllocaOp slot : slots)
    slotBytes += getSlotBytes(slot);
  Value room = runtime.callForBytes(
      "workspace",
      {b.createOrFold<arith::AddIOp>(loc, needed, runtime.index(slotBytes))});
  replace(state, onDevice, false);
  replace(workspace, room, false);
  Value offset = needed;
  for (memref::AllocaOp slot : slots) {
    Value placed = memref::ViewOp::create(b, loc, slot.getType(), room, offset,
                                          ValueRange());
    offset = b.createOrFold<arith::AddIOp>(loc, offset,
                                           runtime.index(getSlotBytes(slot)));
    slot.replaceAllUsesWith(placed);
  }
  unsigned number = 2;
  for (size_t i = 0; i < entry.feeds.size(); ++i, ++number) {
    Value feed = kernel.getArgument(number);
    replace(feed,
            runtime.callForBytes(
                "feed", {runtime.pointerTo(feed), runtime.sizeOf(feed)}),
            true);
  }
  for (size_t i = 0; i < entry.results.size(); ++i, ++number) {
    Value result = kernel.getArgument(number);
    replace(result,
            runtime.callForBytes(
                "result", {runtime.pointerTo(result), runtime.sizeOf(result)}),
            true);
  }
  // Not earlier: the ops above are inserted before the first slot.
  for (memref::AllocaOp slot : slots)
    slot.erase();
  // The status that the call returns is known after the device has finished.
  int64_t text = flywheel::getStateTextOffset(manifest.variables.size());
  kernel.walk([&](func::ReturnOp ret) {
    b.setInsertionPoint(ret);
    Value textOffset = runtime.index(text);
    func::CallOp finish = runtime.call("finish", ret.getOperandTypes(),
                                       {host, textOffset, ret.getOperand(0)});
    ret.setOperand(0, finish.getResult(0));
  });
}

/// Tells the runtime that the host's state is the current one: the initializer
/// writes it, and the device has an old copy.
void PlaceOnGPU::placeInitializer(func::FuncOp kernel,
                                  const Manifest &manifest) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  RuntimeCalls runtime(getOperation(), b, kernel.getLoc());
  runtime.call("state_to_host", {}, {runtime.pointerTo(kernel.getArgument(0))});
}

/// Creates a global of the module, 0 at first, that holds the address of the
/// table on the device.
Value PlaceOnGPU::makeSlot(OpBuilder &b, memref::GetGlobalOp global) {
  std::string name = (global.getName() + ".device").str();
  auto type = MemRefType::get({}, b.getI64Type());
  if (!getOperation().lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(getOperation().getBody());
    memref::GlobalOp::create(
        b, global.getLoc(), name, b.getStringAttr("private"), type,
        DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()),
                               b.getI64IntegerAttr(0)),
        /*constant=*/false, /*alignment=*/IntegerAttr());
  }
  return memref::GetGlobalOp::create(b, global.getLoc(), type, name);
}

/// Copies tables of the module to the device, once.
void PlaceOnGPU::placeConstants(func::FuncOp kernel) {
  SmallVector<memref::GetGlobalOp> globals;
  kernel.walk([&](memref::GetGlobalOp global) { globals.push_back(global); });
  for (memref::GetGlobalOp global : globals) {
    OpBuilder b(global->getContext());
    b.setInsertionPointAfter(global);
    RuntimeCalls runtime(getOperation(), b, global.getLoc());
    Value table = global.getResult();
    Value pointer = runtime.pointerTo(table);
    Value slot = makeSlot(b, global);
    Value bytes = runtime.callForBytes(
        "constant", {pointer, runtime.sizeOf(table), runtime.pointerTo(slot)});
    Value placed = runtime.view(bytes, table);
    table.replaceAllUsesExcept(placed, pointer.getDefiningOp());
  }
}

/// Returns the address of an element: the pointer to the buffer plus the offset
/// in bytes.
static Value emitAddress(RuntimeCalls &runtime, OpBuilder &b, Location loc,
                         Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value offset = metadata.getOffset();
  for (auto [index, stride] : llvm::zip_equal(indices, metadata.getStrides()))
    offset = arith::AddIOp::create(
        b, loc, offset, arith::MulIOp::create(b, loc, index, stride));
  Value bytes = arith::MulIOp::create(
      b, loc, offset,
      runtime.index(flywheel::getElementBytes(type.getElementType())));
  return arith::AddIOp::create(b, loc, runtime.pointerTo(buffer), bytes);
}

/// Replaces accesses of the host by copies of one element, to or from a slot of
/// its stack.
void PlaceOnGPU::copyElements(func::FuncOp kernel, const Manifest &manifest) {
  SmallVector<Operation *> accesses;
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<gpu::LaunchOp>())
      return;
    Value buffer;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      buffer = load.getMemref();
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      buffer = store.getMemref();
    if (buffer && !isOfHeader(buffer.getDefiningOp(), manifest))
      accesses.push_back(op);
  });
  Block &entry = kernel.getBody().front();
  for (Operation *op : accesses) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    RuntimeCalls runtime(getOperation(), b, loc);
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    Value buffer = load ? load.getMemref() : store.getMemref();
    ValueRange indices = load ? load.getIndices() : store.getIndices();
    Type element = getElementTypeOrSelf(buffer.getType());
    OpBuilder top = OpBuilder::atBlockBegin(&entry);
    Value slot =
        memref::AllocaOp::create(top, loc, MemRefType::get({}, element));
    isOfHost.insert(slot.getDefiningOp());
    Value address = emitAddress(runtime, b, loc, buffer, indices);
    Value bytes = runtime.index(flywheel::getElementBytes(element));
    Value held = runtime.pointerTo(slot);
    if (store) {
      memref::StoreOp::create(b, loc, store.getValue(), slot);
      runtime.call("write", {}, {address, held, bytes});
    } else {
      runtime.call("read", {}, {held, address, bytes});
      Value value = memref::LoadOp::create(b, loc, slot);
      load.replaceAllUsesWith(value);
    }
    op->erase();
  }
}

/// Returns true if all bounds of `loop` are constants.
static bool isOfConstants(scf::ForOp loop) {
  return llvm::all_of(
      ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
      [](Value bound) { return getConstantIntValue(bound).has_value(); });
}

/// Makes loops of the host end if the device has failed: reads from it then
/// return 0, with which a loop may never end.
void PlaceOnGPU::endLoops(func::FuncOp kernel) {
  auto isWorking = [&](OpBuilder &b, Location loc) -> Value {
    RuntimeCalls runtime(getOperation(), b, loc);
    Value failed = runtime.call("has_failed", b.getI32Type(), {}).getResult(0);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, failed,
                                 arith::ConstantIntOp::create(b, loc, 0, 32));
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Location loc = op->getLoc();
    if (isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
      OpBuilder b(op);
      condition.getConditionMutable().set(arith::AndIOp::create(
          b, loc, condition.getCondition(), isWorking(b, loc)));
    }
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && !isOfConstants(loop)) {
      OpBuilder b(op);
      Value working = isWorking(b, loc);
      Value one = arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(loop.getStep().getType(), 1));
      auto choose = [&](Value bound, Value other) {
        return arith::SelectOp::create(b, loc, working, bound, other);
      };
      loop.setUpperBound(choose(loop.getUpperBound(), loop.getLowerBound()));
      loop.setStep(choose(loop.getStep(), one));
    }
    return WalkResult::advance();
  });
}

void PlaceOnGPU::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Manifest> manifest = Manifest::readFrom(module);
  if (failed(manifest))
    return signalPassFailure();
  for (const ManifestEntry &entry : manifest->entries) {
    auto kernel = module.lookupSymbol<func::FuncOp>(entry.name + ".kernel");
    if (!kernel) {
      module.emitError() << "expected a function '" << entry.name
                         << ".kernel' for entry '" << entry.name
                         << "', found none";
      return signalPassFailure();
    }
    if (kernel->hasAttr("train.initializer")) {
      placeInitializer(kernel, *manifest);
      continue;
    }
    isOfHost.clear();
    copyElements(kernel, *manifest);
    endLoops(kernel);
    placeConstants(kernel);
    placeArguments(kernel, entry, *manifest);
  }
  manifest->isOnGPU = true;
  manifest->attachTo(module);
}
