//===- LowerState.cpp - One block of state and the manifest ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Model/StatusMessage.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERSTATE
#include "flywheel/Transforms/Memory/MemoryPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::train::FunctionArgument;
using flywheel::train::TrainDialect;
using flywheel::train::VariableOp;

namespace {
struct LowerState : flywheel::impl::LowerStateBase<LowerState> {
  using LowerStateBase::LowerStateBase;
  void runOnOperation() override;

private:
  LogicalResult layoutVariables();
  LogicalResult lowerFunction(func::FuncOp function);
  ManifestArgument describeArgument(func::FuncOp function, unsigned number,
                                    StringRef defaultName);
  LogicalResult lowerChecks(func::FuncOp function, Value state,
                            ManifestEntry &entry);
  FailureOr<int64_t> lookupVariable(func::FuncOp function,
                                    FlatSymbolRefAttr symbol);
  LogicalResult lowerList(func::FuncOp function, BlockArgument argument,
                          ArrayAttr list, Value state, ManifestEntry &entry);

  Manifest manifest;
};
} // namespace

/// Slots of this many bytes are staggered.
constexpr int64_t kMinStaggeredBytes = 1 << 16;
constexpr int64_t kPageBytes = 4096;
constexpr int64_t kStaggerBytes = 21 * kStateAlignment;

/// Sets the offsets of variables from `end` on, and advances `end`. Variables
/// that are not slots come first, then the first slots of all variables, then
/// the second ones: a step that updates one variable after the other reads each
/// kind from the first byte to the last, which a CPU fetches ahead. The slots
/// of an element are at different offsets in their pages: lines at the same
/// offset share a few ways of a cache, and a CPU assumes that a load depends on
/// an earlier store if the low bits of their addresses are equal.
static LogicalResult placeVariables(ArrayRef<VariableOp> variables,
                                    MutableArrayRef<ManifestVariable> entries,
                                    CheckedSize &end) {
  llvm::StringMap<unsigned> numSlots;
  llvm::StringMap<int64_t> owners;
  // Group and number.
  SmallVector<std::pair<unsigned, unsigned>> order;
  for (auto [number, entry] : llvm::enumerate(entries))
    order.push_back(
        {entry.slotOf.empty() ? 0 : ++numSlots[entry.slotOf], number});
  llvm::sort(order);
  for (auto [group, number] : order) {
    VariableOp variable = variables[number];
    ManifestVariable &entry = entries[number];
    CheckedSize size = getNumBytes(variable.getTensorType());
    CheckedSize begin = end.alignTo(kStateAlignment);
    if (group != 0 && size.getSaturated() >= kMinStaggeredBytes)
      begin =
          end.alignTo(kPageBytes) +
          (owners.lookup(entry.slotOf) + group * kStaggerBytes) % kPageBytes;
    end = begin + size;
    if (end.isTooLarge())
      return variable.emitOpError()
             << "ends behind the state block's largest size, " << kMaxSizeText
             << " bytes: " << variable.getTensorType() << " begins at byte "
             << begin.getSaturated();
    entry.offset = begin.getSaturated();
    entry.bytes = size.getSaturated();
    owners[entry.name] = entry.offset;
  }
  return success();
}

LogicalResult LowerState::layoutVariables() {
  auto variables = llvm::to_vector(getOperation().getOps<VariableOp>());
  llvm::StringMap<int64_t> numbers;
  for (auto [number, variable] : llvm::enumerate(variables))
    numbers[variable.getSymName()] = number;
  auto getNumbers = [&](VariableOp variable, StringRef kind) {
    std::vector<int64_t> found;
    if (auto list = variable->getAttrOfType<ArrayAttr>(kind))
      for (auto symbol : list.getAsRange<FlatSymbolRefAttr>())
        found.push_back(numbers.lookup(symbol.getValue()));
    return found;
  };
  for (VariableOp variable : variables) {
    ManifestVariable entry;
    entry.name = variable.getSymName().str();
    entry.type = variable.getDeclaredType();
    entry.trainable = variable.isTrainable();
    entry.collections.clear();
    for (StringRef name : variable.getCollectionNames())
      entry.collections.push_back(name.str());
    entry.device = variable.getDevice().value_or("").str();
    if (std::optional<StringRef> owner = variable.getSlotOf())
      entry.slotOf = owner->str();
    entry.initialReads =
        getNumbers(variable, TrainDialect::getInitialReadsAttrName());
    entry.initialValues =
        getNumbers(variable, TrainDialect::getInitialValuesAttrName());
    if (auto start = variable->getAttrOfType<StringAttr>(kStartAttrName))
      entry.start =
          parseVariableStart(start.getValue()).value_or(VariableStart::Program);
    manifest.variables.push_back(std::move(entry));
  }
  CheckedSize end = getStateHeaderBytes(variables.size());
  if (failed(placeVariables(variables, manifest.variables, end)))
    return failure();
  for (VariableOp variable : variables)
    variable.erase();
  manifest.stateBytes = end.alignTo(kStateAlignment).getSaturated();
  manifest.layoutHash = computeLayoutHash(manifest.variables, manifest.strings);
  return success();
}

ManifestArgument LowerState::describeArgument(func::FuncOp function,
                                              unsigned number,
                                              StringRef defaultName) {
  ManifestArgument result;
  FunctionArgument argument(function, number);
  StringAttr name = argument.getGivenName();
  result.name = name ? name.str() : defaultName.str();
  // A name that the user gave to another argument is not taken from it.
  auto isGiven = [&](StringRef candidate) {
    for (unsigned other = 0; other < function.getNumArguments(); ++other)
      if (StringAttr given = FunctionArgument(function, other).getGivenName())
        if (given == candidate)
          return true;
    return false;
  };
  while (!name && isGiven(result.name))
    result.name += "_";
  auto type = cast<MemRefType>(function.getArgument(number).getType());
  result.type =
      RankedTensorType::get(type.getShape(), argument.getElementType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    result.symbols.push_back(argument.getDimSymbol(dim));
  for (StringRef place : argument.getDimSizePlaces())
    result.places.push_back(place.str());
  return result;
}

/// Stores the numbers that a message names in the header of the state.
static void storeNumbers(OpBuilder &b, Location loc, ValueRange numbers,
                         Value state) {
  auto type =
      MemRefType::get({static_cast<int64_t>(numbers.size())}, b.getI64Type());
  Value offset = arith::ConstantIndexOp::create(b, loc, kStateNumbersOffset);
  Value header =
      memref::ViewOp::create(b, loc, type, state, offset, ValueRange{});
  for (auto [position, number] : llvm::enumerate(numbers)) {
    Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
    Value at = arith::ConstantIndexOp::create(b, loc, position);
    memref::StoreOp::create(b, loc, wide, header, at);
  }
}

/// Turns each check into an early return of its status.
LogicalResult LowerState::lowerChecks(func::FuncOp function, Value state,
                                      ManifestEntry &entry) {
  // Ops were ordered without a look at them.
  WalkResult asserts = function.walk([](cf::AssertOp op) {
    op.emitOpError() << "expected a 'linalg_ext.check', which "
                        "-flywheel-convert-asserts makes of an assertion "
                        "before ops are ordered";
    return WalkResult::interrupt();
  });
  if (asserts.wasInterrupted() || failed(verifyChecks(function)))
    return failure();
  SmallVector<linalg_ext::CheckOp> checks;
  function.walk([&](linalg_ext::CheckOp op) { checks.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (linalg_ext::CheckOp check : checks) {
    entry.checks.push_back(manifest.messages.size());
    bool isNumerics = check.getKind() == linalg_ext::CheckKind::numerics;
    manifest.messages.push_back(
        {isNumerics ? StatusKind::Numerics : StatusKind::Check,
         check.getMessage(),
         /*isOfData=*/check.getKind() != linalg_ext::CheckKind::sizes});
    Location loc = check.getLoc();
    Block *before = check->getBlock();
    Block *after = rewriter.splitBlock(before, std::next(check->getIterator()));
    Block *fail =
        rewriter.createBlock(&function.getBody(), function.getBody().end());
    if (!check.getNumbers().empty())
      storeNumbers(rewriter, loc, check.getNumbers(), state);
    Value status = arith::ConstantOp::create(
        rewriter, loc, rewriter.getI32IntegerAttr(manifest.messages.size()));
    func::ReturnOp::create(rewriter, loc, status);
    rewriter.setInsertionPoint(check);
    cf::CondBranchOp::create(rewriter, loc, check.getOk(), after, fail);
    rewriter.eraseOp(check);
  }
  linalg_ext::lowerChecks(function);
  return success();
}

FailureOr<int64_t> LowerState::lookupVariable(func::FuncOp function,
                                              FlatSymbolRefAttr symbol) {
  int64_t index = manifest.lookupVariable(symbol.getValue());
  if (index >= 0)
    return index;
  return function.emitError()
         << "expected a variable " << symbol << " in the module";
}

/// Emits a part of the variable at `place` of the state: the part that `slice`
/// is of the buffer of all variables together.
static Value emitPlace(OpBuilder &b, memref::SubViewOp slice, Value state,
                       Value place) {
  Location loc = slice.getLoc();
  MemRefType all = slice.getSourceType();
  auto type =
      MemRefType::get(all.getShape().drop_front(), all.getElementType());
  Value whole =
      memref::ViewOp::create(b, loc, type, state, place, ValueRange{});
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  auto rest = [](ArrayRef<OpFoldResult> values) { return values.drop_front(); };
  Value part = whole;
  bool isWhole = llvm::all_of(rest(offsets),
                              [](OpFoldResult offset) {
                                return isConstantIntValue(offset, 0);
                              }) &&
                 slice.getType().getShape() == type.getShape();
  if (!isWhole)
    part = memref::SubViewOp::create(
        b, loc,
        memref::SubViewOp::inferRankReducedResultType(
            slice.getType().getShape(), type, rest(offsets), rest(sizes),
            rest(strides)),
        whole, rest(offsets), rest(sizes), rest(strides));
  if (part.getType() == slice.getType())
    return part;
  return memref::CastOp::create(b, loc, slice.getType(), part);
}

/// Lowers a list of variables to a table of their offsets; the list is not a
/// buffer.
LogicalResult LowerState::lowerList(func::FuncOp function,
                                    BlockArgument argument, ArrayAttr list,
                                    Value state, ManifestEntry &entry) {
  SmallVector<int64_t> places;
  for (auto symbol : list.getAsRange<FlatSymbolRefAttr>()) {
    FailureOr<int64_t> index = lookupVariable(function, symbol);
    if (failed(index))
      return failure();
    const ManifestVariable &variable = manifest.variables[*index];
    SmallVector<int64_t> shape{static_cast<int64_t>(list.size())};
    llvm::append_range(shape, variable.type.getShape());
    auto expected = MemRefType::get(
        shape, train::getStorageElementType(variable.type.getElementType()));
    if (argument.getType() != expected)
      return function.emitError()
             << "expected argument " << argument.getArgNumber() << " of type "
             << expected << " to stand for the variables " << list << ", found "
             << argument.getType();
    places.push_back(variable.offset);
    entry.writes.push_back(*index);
  }
  OpBuilder b(&getContext());
  auto tableType =
      MemRefType::get({static_cast<int64_t>(places.size())}, b.getI64Type());
  auto table = memref::GlobalOp::create(
      b, argument.getLoc(), (function.getName() + ".places").str(),
      b.getStringAttr("private"), tableType,
      DenseElementsAttr::get(
          RankedTensorType::get(tableType.getShape(), b.getI64Type()),
          ArrayRef<int64_t>(places)),
      /*constant=*/true, /*alignment=*/IntegerAttr());
  SymbolTable(getOperation()).insert(table);
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
    auto slice = dyn_cast<memref::SubViewOp>(user);
    if (!slice || !isConstantIntValue(slice.getMixedSizes().front(), 1) ||
        !slice.getDroppedDims().test(0))
      return user->emitOpError() << "expected a slice of one of the variables "
                                 << list << ", found another use";
    b.setInsertionPoint(slice);
    Location loc = slice.getLoc();
    Value number = getValueOrCreateConstantIndexOp(
        b, loc, slice.getMixedOffsets().front());
    Value known =
        memref::GetGlobalOp::create(b, loc, tableType, table.getSymName());
    Value place = memref::LoadOp::create(b, loc, known, number);
    place = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
    slice.replaceAllUsesWith(emitPlace(b, slice, state, place));
    slice.erase();
  }
  return success();
}

LogicalResult LowerState::lowerFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock() || function.getNumResults() != 0)
    return function.emitError() << "expected one block and no results, found a "
                                   "function that was not proven in place";
  for (BlockArgument argument : function.getArguments())
    if (!isa<MemRefType>(argument.getType()))
      return function.emitError()
             << "expected a buffer as argument " << argument.getArgNumber()
             << ", found " << argument.getType();
  ManifestEntry entry;
  entry.name = function.getName().str();
  if (auto names = function->getAttrOfType<ArrayAttr>(
          TrainDialect::getSymbolsAttrName()))
    for (auto name : names.getAsRange<StringAttr>())
      entry.symbols.push_back(name.str());
  if (auto slots = function->getAttrOfType<ArrayAttr>(
          TrainDialect::getWorkspaceSlotsAttrName()))
    for (auto slot : slots.getAsRange<ArrayAttr>()) {
      std::vector<AffineMap> sizes;
      for (auto size : slot.getAsValueRange<AffineMapAttr>())
        sizes.push_back(size);
      entry.workspaceSlots.push_back(std::move(sizes));
    }

  // The new arguments: state, workspace, feeds, results.
  Block &block = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  Location loc = function.getLoc();
  unsigned numOld = block.getNumArguments();
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  SmallVector<BlockArgument> feeds, results;
  Value state = block.addArgument(bytes, loc);
  Value workspace = block.addArgument(bytes, loc);
  auto replaceByView = [&](BlockArgument old, int64_t bytesBefore) {
    Value offset = arith::ConstantIndexOp::create(b, loc, bytesBefore);
    old.replaceAllUsesWith(memref::ViewOp::create(
        b, loc, cast<MemRefType>(old.getType()), state, offset, ValueRange{}));
  };
  for (unsigned number = 0; number < numOld; ++number) {
    BlockArgument old = block.getArgument(number);
    FunctionArgument argument(function, number);
    switch (argument.getRole()) {
    case FunctionArgument::Role::Variable: {
      FailureOr<int64_t> index =
          lookupVariable(function, argument.getVariable());
      if (failed(index))
        return failure();
      replaceByView(old, manifest.variables[*index].offset);
      if (argument.isRead())
        entry.reads.push_back(*index);
      else if (argument.isInitializedValueRead())
        entry.initializedValues.push_back(*index);
      if (argument.isWritten())
        entry.writes.push_back(*index);
      break;
    }
    case FunctionArgument::Role::Variables:
      if (failed(
              lowerList(function, old, argument.getVariables(), state, entry)))
        return failure();
      break;
    case FunctionArgument::Role::IsInitialized: {
      // Every variable has its bit, which is a byte, in the header.
      FailureOr<int64_t> index =
          lookupVariable(function, argument.getFlagged());
      if (failed(index))
        return failure();
      replaceByView(old, kStateInitializedOffset + *index);
      break;
    }
    case FunctionArgument::Role::Workspace:
      old.replaceAllUsesWith(workspace);
      break;
    case FunctionArgument::Role::Result:
      entry.results.push_back(describeArgument(
          function, number, "result" + std::to_string(results.size())));
      results.push_back(old);
      break;
    case FunctionArgument::Role::Feed:
      entry.feeds.push_back(describeArgument(
          function, number, "arg" + std::to_string(feeds.size())));
      feeds.push_back(old);
      break;
    }
  }
  // In the order of the module, lists too.
  llvm::sort(entry.writes);
  for (SmallVector<BlockArgument> *group : {&feeds, &results})
    for (BlockArgument argument : *group)
      argument.replaceAllUsesWith(
          block.addArgument(argument.getType(), argument.getLoc()));
  block.eraseArguments(0, numOld);
  function.removeArgAttrsAttr();
  function->removeAttr(TrainDialect::getSymbolsAttrName());
  function->removeAttr(TrainDialect::getWorkspaceSlotsAttrName());
  function.setFunctionType(
      b.getFunctionType(block.getArgumentTypes(), {b.getI32Type()}));
  function.setName(entry.name + ".kernel");

  auto ret = cast<func::ReturnOp>(block.getTerminator());
  b.setInsertionPoint(ret);
  Value ok = arith::ConstantOp::create(b, ret.getLoc(), b.getI32IntegerAttr(0));
  ret->setOperands(ok);
  if (failed(lowerChecks(function, state, entry)))
    return failure();
  manifest.entries.push_back(std::move(entry));
  return success();
}

void LowerState::runOnOperation() {
  manifest = Manifest();
  manifest.model = modelName;
  if (auto strings = getOperation()->getAttrOfType<ArrayAttr>(
          TrainDialect::getStringsAttrName())) {
    for (StringAttr text : strings.getAsRange<StringAttr>())
      manifest.strings.push_back(text.str());
    getOperation()->removeAttr(TrainDialect::getStringsAttrName());
  }
  if (auto names =
          getOperation()->getAttrOfType<ArrayAttr>(kConstantsAttrName)) {
    for (StringAttr name : names.getAsRange<StringAttr>())
      manifest.constants.push_back(name.str());
    getOperation()->removeAttr(kConstantsAttrName);
  }
  if (failed(layoutVariables()))
    return signalPassFailure();
  for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
    if (!function.isExternal() && failed(lowerFunction(function)))
      return signalPassFailure();
  // An entry that evaluates initial values does so in its own workspace.
  if (const ManifestEntry *init = manifest.lookupEntry("init"))
    for (ManifestEntry &entry : manifest.entries)
      if (!entry.initializedValues.empty())
        llvm::append_range(entry.workspaceSlots, init->workspaceSlots);
  manifest.attachTo(getOperation());
}
