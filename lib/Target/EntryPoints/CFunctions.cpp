//===- CFunctions.cpp - The functions that a program in C calls ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Model/StatusMessage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace flywheel {

/// What a text that names numbers starts with.
static constexpr char kFormatMark = kMaxNumbers + 1;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

LLVM::GlobalOp EntryPointBuilder::addText(const Twine &name, StringRef text) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  return LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(i8, text.size()), /*isConstant=*/true,
      LLVM::Linkage::Internal, name.str(), b.getStringAttr(text));
}

/// `M.report_size(state, size, status) -> i32` stores the size, for the text of
/// the status that it returns.
LLVM::LLVMFuncOp EntryPointBuilder::getSizeReporter() {
  if (sizeReporter)
    return sizeReporter;
  OpBuilder::InsertionGuard guard(b);
  Block *callersFailBlock = failBlock;
  sizeReporter = beginFunction(prefix + ".report_size", i32, {ptr, i64, i32});
  sizeReporter.setLinkage(LLVM::Linkage::Internal);
  Block *arguments = b.getInsertionBlock();
  Value state = arguments->getArgument(0), size = arguments->getArgument(1),
        status = arguments->getArgument(2);
  addFailBlock(state);
  emitStateChecks(state);
  // Only a block of this model has room for a size.
  if (manifest.variables.empty())
    emitAdoption(state);
  else
    emitHashCheck(state);
  store(size, state, kStateNumbersOffset);
  store(status, state, kStateStatusOffset);
  emitReturn(status);
  failBlock = callersFailBlock;
  return sizeReporter;
}

void EntryPointBuilder::failIfTooLarge(Value size, Value state, StringRef name,
                                       StringRef entrySymbol, int64_t bound) {
  int32_t status = getStatus(StatusKind::InvalidArgument,
                             name + " is out of range: expected 0 <= " + name +
                                 " <= " + Twine(bound) + " in '" + entrySymbol +
                                 "', found \1");
  LLVM::LLVMFuncOp reporter = getSizeReporter();
  Block *fail = addBlock(), *next = addBlock();
  // Unsigned, so that a negative size is too large.
  LLVM::CondBrOp::create(
      b, loc, emitCompare(LLVM::ICmpPredicate::ugt, size, constant(i64, bound)),
      fail, next);
  b.setInsertionPointToEnd(fail);
  emitReturn(
      LLVM::CallOp::create(b, loc, reporter,
                           ValueRange{state, size, constant(i32, status)})
          .getResult());
  b.setInsertionPointToEnd(next);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void EntryPointBuilder::emitCFunction(const ManifestEntry &entry,
                                      LLVM::LLVMFuncOp packed) {
  std::vector<CParameter> parameters = getCParameters(entry);
  SmallVector<Type> types{ptr};
  for (const CParameter &parameter : parameters)
    types.push_back(parameter.kind == CParameter::Kind::Extent ? i64 : ptr);
  std::string symbol = getEntrySymbol(manifest, entry);
  LLVM::LLVMFuncOp func = beginFunction(symbol, i32, types);
  Block &arguments = func.getBody().front();
  Value state = arguments.getArgument(0);
  Value feeds = stackSlots(ptr, entry.feeds.size());
  Value extents = stackSlots(i64, entry.symbols.size());
  Value results = stackSlots(ptr, entry.results.size());

  addFailBlock(state);
  failIfNullState(state);
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    Value value = arguments.getArgument(index + 1);
    switch (parameter.kind) {
    case CParameter::Kind::Feed:
      LLVM::StoreOp::create(b, loc, value,
                            element(ptr, feeds, parameter.index));
      break;
    case CParameter::Kind::Result:
      LLVM::StoreOp::create(b, loc, value,
                            element(ptr, results, parameter.index));
      break;
    case CParameter::Kind::Extent:
      failIfTooLarge(value, state, parameter.name, symbol,
                     bounds.lookup(entry.symbols[parameter.index]));
      LLVM::StoreOp::create(b, loc, value,
                            element(i64, extents, parameter.index));
      break;
    }
  }
  for (auto [arguments, kind] : {std::make_pair(&entry.feeds, "feed"),
                                 std::make_pair(&entry.results, "result")})
    for (const ManifestArgument &argument : *arguments)
      failIfTooManyBytes(entry, argument, extents,
                         Twine(kind) + " '" + argument.name + "' of '" +
                             entry.name + "' would have more than " +
                             kMaxSizeText + " bytes");
  Value workspace = offsetBy(state, getCWorkspaceOffset(manifest));
  auto call = LLVM::CallOp::create(
      b, loc, packed, ValueRange{state, workspace, feeds, extents, results});
  emitReturn(call.getResult());
}

void EntryPointBuilder::emitCInitializers(const ManifestEntry &entry,
                                          LLVM::LLVMFuncOp packed) {
  for (bool isSelective : {false, true}) {
    SmallVector<Type> types{ptr, i64};
    if (isSelective)
      types.push_back(ptr);
    beginFunction(getEntrySymbol(manifest, entry) +
                      (isSelective ? "_some" : ""),
                  i32, types);
    Block *arguments = b.getInsertionBlock();
    Value state = arguments->getArgument(0);
    Value feeds = stackSlots(ptr, 2), seed = stackSlots(i64, 1);
    addFailBlock(state);
    failIfNullState(state);
    Value select = isSelective ? arguments->getArgument(2) : nullPointer();
    if (isSelective)
      failIf(isNull(select), StatusKind::InvalidArgument,
             "expected a byte for each variable as 'select', found a null "
             "pointer");
    store(arguments->getArgument(1), seed, 0);
    LLVM::StoreOp::create(b, loc, seed, element(ptr, feeds, 0));
    LLVM::StoreOp::create(b, loc, select, element(ptr, feeds, 1));
    Value workspace = offsetBy(state, getCWorkspaceOffset(manifest));
    auto call = LLVM::CallOp::create(
        b, loc, packed,
        ValueRange{state, workspace, feeds, nullPointer(), nullPointer()});
    emitReturn(call.getResult());
  }
}

void EntryPointBuilder::emitLastError() {
  // Also for what the header does without a call.
  getStatus(StatusKind::FailedPrecondition, getNotInitializedMessage(manifest));
  int32_t nullState =
      getStatus(StatusKind::InvalidArgument, getNullStateMessage());
  // All texts, each with its terminator, in one array and their offsets in
  // another: nothing for a dynamic linker to relocate. Text 0 is "".
  std::string texts(1, '\0');
  SmallVector<int32_t> offsets{0};
  bool haveNumbers = false;
  for (const ManifestMessage &message : manifest.messages) {
    offsets.push_back(static_cast<int32_t>(texts.size()));
    if (hasNumbers(message.text))
      texts += kFormatMark;
    haveNumbers |= hasNumbers(message.text);
    texts += message.text;
    texts += '\0';
  }
  LLVM::LLVMFuncOp formatter;
  if (haveNumbers)
    formatter = emitFormatter();
  b.setInsertionPointToEnd(module.getBody());
  auto textGlobal = addText(prefix + ".texts", texts);
  auto offsetGlobal = LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(i32, offsets.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, prefix + ".text_offsets",
      DenseElementsAttr::get(
          RankedTensorType::get({static_cast<int64_t>(offsets.size())}, i32),
          ArrayRef<int32_t>(offsets)));

  beginFunction(prefix + "_last_error", ptr, {ptr});
  Value state = b.getInsertionBlock()->getArgument(0);
  Block *null = addBlock(), *stored = addBlock(), *own = addBlock(),
        *listed = addBlock();
  Block *lookup = b.createBlock(null->getParent(), {}, {i32}, loc);
  b.setInsertionPointToEnd(state.getParentBlock());
  LLVM::CondBrOp::create(b, loc, isNull(state), null, stored);

  b.setInsertionPointToEnd(null);
  LLVM::BrOp::create(b, loc, ValueRange{constant(i32, nullState)}, lookup);

  b.setInsertionPointToEnd(stored);
  // A block that no call has seen may hold anything.
  Value status = load(i32, state, kStateStatusOffset);
  Value isOwn = LLVM::AndOp::create(
      b, loc, emitIsAdopted(state),
      emitCompare(LLVM::ICmpPredicate::slt, status, constant(i32, 0)));
  LLVM::CondBrOp::create(b, loc, isOwn, own, listed);

  // What the header found and said.
  b.setInsertionPointToEnd(own);
  emitReturn(offsetBy(state, getStateTextOffset(manifest.variables.size())));

  b.setInsertionPointToEnd(listed);
  Value known = emitCompare(LLVM::ICmpPredicate::ult, status,
                            constant(i32, offsets.size()));
  Value index = LLVM::SelectOp::create(b, loc, known, status, constant(i32, 0));
  LLVM::BrOp::create(b, loc, ValueRange{index}, lookup);

  b.setInsertionPointToEnd(lookup);
  Value wide = LLVM::SExtOp::create(b, loc, i64, lookup->getArgument(0));
  Value table = LLVM::AddressOfOp::create(b, loc, offsetGlobal);
  Value entry = LLVM::GEPOp::create(b, loc, ptr, i32, table, ValueRange{wide},
                                    LLVM::GEPNoWrapFlags::inbounds);
  Value offset = LLVM::SExtOp::create(
      b, loc, i64, LLVM::LoadOp::create(b, loc, i32, entry).getResult());
  Value text = LLVM::GEPOp::create(
      b, loc, ptr, i8, LLVM::AddressOfOp::create(b, loc, textGlobal),
      ValueRange{offset}, LLVM::GEPNoWrapFlags::inbounds);
  if (!haveNumbers)
    return emitReturn(text);
  Block *plain = addBlock(), *formatted = addBlock();
  Value isFormat = emitCompare(LLVM::ICmpPredicate::eq, load(i8, text, 0),
                               constant(i8, kFormatMark));
  LLVM::CondBrOp::create(b, loc, isFormat, formatted, plain);
  b.setInsertionPointToEnd(formatted);
  auto call = LLVM::CallOp::create(b, loc, formatter,
                                   ValueRange{offsetBy(text, 1), state});
  emitReturn(call.getResult());
  b.setInsertionPointToEnd(plain);
  emitReturn(text);
}

void EntryPointBuilder::emitLinkedNames() {
  std::string hash = getInterfaceHash(manifest, bounds);
  for (const std::string &symbol : getExportedSymbols(manifest)) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
    b.setInsertionPointToEnd(module.getBody());
    auto alias = LLVM::AliasOp::create(b, loc, ptr, LLVM::Linkage::External,
                                       getLinkedSymbol(symbol, hash));
    b.createBlock(&alias.getInitializerRegion());
    LLVM::ReturnOp::create(
        b, loc, LLVM::AddressOfOp::create(b, loc, function).getResult());
  }
}

} // namespace flywheel
