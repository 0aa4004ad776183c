//===- EntryPointBuilder.cpp - Functions that a user can call -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Dialect/Train/Train.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace flywheel {

EntryPointBuilder::EntryPointBuilder(ModuleOp module, Manifest &manifest,
                                     const ExtentBounds &bounds,
                                     DenormalControl denormals)
    : module(module), manifest(manifest), bounds(bounds), denormals(denormals),
      b(module.getContext()), loc(module.getLoc()),
      ptr(LLVM::LLVMPointerType::get(b.getContext())), i8(b.getI8Type()),
      i32(b.getI32Type()), i64(b.getI64Type()),
      prefix(toCIdentifier(manifest.model)) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value EntryPointBuilder::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

Value EntryPointBuilder::nullPointer() {
  return LLVM::ZeroOp::create(b, loc, ptr);
}

Value EntryPointBuilder::emitCompare(LLVM::ICmpPredicate predicate, Value lhs,
                                     Value rhs) {
  return LLVM::ICmpOp::create(b, loc, predicate, lhs, rhs);
}

Value EntryPointBuilder::isNull(Value pointer) {
  return emitCompare(LLVM::ICmpPredicate::eq, pointer, nullPointer());
}

Value EntryPointBuilder::offsetBy(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(b, loc, ptr, i8, base,
                             ValueRange{constant(i64, bytes)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value EntryPointBuilder::load(Type type, Value base, int64_t bytes) {
  return LLVM::LoadOp::create(b, loc, type, offsetBy(base, bytes));
}

void EntryPointBuilder::store(Value value, Value base, int64_t bytes) {
  LLVM::StoreOp::create(b, loc, value, offsetBy(base, bytes));
}

Value EntryPointBuilder::element(Type type, Value array, int64_t index) {
  return LLVM::GEPOp::create(b, loc, ptr, type, array,
                             ValueRange{constant(i64, index)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value EntryPointBuilder::element(Type type, Value array, Value index) {
  return LLVM::GEPOp::create(b, loc, ptr, type, array, ValueRange{index},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value EntryPointBuilder::stackSlots(Type type, int64_t count) {
  if (count == 0)
    return nullPointer();
  return LLVM::AllocaOp::create(b, loc, ptr, type, constant(i64, count));
}

int32_t EntryPointBuilder::getStatus(StatusKind kind, const Twine &message) {
  std::string text = message.str();
  for (auto [index, known] : llvm::enumerate(manifest.messages))
    if (known.kind == kind && known.text == text)
      return static_cast<int32_t>(index) + 1;
  manifest.messages.push_back({kind, std::move(text)});
  return static_cast<int32_t>(manifest.messages.size());
}

std::string EntryPointBuilder::getNullStateMessage() const {
  return "the state of '" + manifest.model + "' is a null pointer";
}

//===----------------------------------------------------------------------===//
// Functions and blocks
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp EntryPointBuilder::beginFunction(StringRef name,
                                                  Type resultType,
                                                  ArrayRef<Type> arguments) {
  b.setInsertionPointToEnd(module.getBody());
  auto func = LLVM::LLVMFuncOp::create(
      b, loc, name, LLVM::LLVMFunctionType::get(resultType, arguments));
  // Several ABIs leave it to the callee to extend a 32-bit result.
  if (resultType == i32)
    func.setResultAttr(0, LLVM::LLVMDialect::getSExtAttrName(),
                       b.getUnitAttr());
  b.setInsertionPointToStart(func.addEntryBlock(b));
  failBlock = nullptr;
  return func;
}

Block *EntryPointBuilder::addBlock() {
  OpBuilder::InsertionGuard guard(b);
  Block *current = b.getInsertionBlock();
  return b.createBlock(current->getParent());
}

void EntryPointBuilder::emitLoop(int64_t count,
                                 function_ref<void(Value)> body) {
  Block *current = b.getInsertionBlock();
  Block *loop = addBlock(), *next = addBlock();
  BlockArgument index = loop->addArgument(i64, loc);
  b.setInsertionPointToEnd(current);
  if (count == 0) {
    loop->erase();
    LLVM::BrOp::create(b, loc, ValueRange{}, next);
    return b.setInsertionPointToEnd(next);
  }
  LLVM::BrOp::create(b, loc, ValueRange{constant(i64, 0)}, loop);
  b.setInsertionPointToEnd(loop);
  body(index);
  Value step = LLVM::AddOp::create(b, loc, index, constant(i64, 1));
  Value isDone =
      emitCompare(LLVM::ICmpPredicate::eq, step, constant(i64, count));
  LLVM::CondBrOp::create(b, loc, isDone, next, ValueRange{}, loop,
                         ValueRange{step});
  b.setInsertionPointToEnd(next);
}

void EntryPointBuilder::emitReturn(Value value) {
  LLVM::ReturnOp::create(b, loc, value);
}

void EntryPointBuilder::addFailBlock(Value state) {
  OpBuilder::InsertionGuard guard(b);
  failBlock = b.createBlock(b.getInsertionBlock()->getParent(), {}, {i32}, loc);
  Value status = failBlock->getArgument(0);
  store(status, state, kStateStatusOffset);
  emitReturn(status);
}

void EntryPointBuilder::failIf(Value condition, StatusKind kind,
                               const Twine &message) {
  Value status = constant(i32, getStatus(kind, message));
  Block *next = addBlock();
  LLVM::CondBrOp::create(b, loc, condition, failBlock, ValueRange{status}, next,
                         ValueRange{});
  b.setInsertionPointToEnd(next);
}

/// Leaves with `status` if it is not 0.
void EntryPointBuilder::failOnStatus(Value status) {
  Block *next = addBlock();
  LLVM::CondBrOp::create(
      b, loc, emitCompare(LLVM::ICmpPredicate::ne, status, constant(i32, 0)),
      failBlock, ValueRange{status}, next, ValueRange{});
  b.setInsertionPointToEnd(next);
}

void EntryPointBuilder::failIfNullState(Value state) {
  int32_t status =
      getStatus(StatusKind::InvalidArgument, getNullStateMessage());
  Block *fail = addBlock(), *next = addBlock();
  LLVM::CondBrOp::create(b, loc, isNull(state), fail, next);
  b.setInsertionPointToEnd(fail);
  emitReturn(constant(i32, status));
  b.setInsertionPointToEnd(next);
}

//===----------------------------------------------------------------------===//
// The packed form
//===----------------------------------------------------------------------===//

void EntryPointBuilder::emitStateChecks(Value state) {
  failIfNullState(state);
  Value address = LLVM::PtrToIntOp::create(b, loc, i64, state);
  Value low =
      LLVM::AndOp::create(b, loc, address, constant(i64, kStateAlignment - 1));
  failIf(emitCompare(LLVM::ICmpPredicate::ne, low, constant(i64, 0)),
         StatusKind::InvalidArgument,
         "the state of '" + manifest.model + "' must be aligned to " +
             Twine(kStateAlignment) + " bytes");
}

void EntryPointBuilder::emitHashCheck(Value state) {
  Value hash = load(i64, state, kStateHashOffset);
  Value expected = constant(i64, static_cast<int64_t>(manifest.layoutHash));
  failIf(emitCompare(LLVM::ICmpPredicate::ne, hash, expected),
         StatusKind::FailedPrecondition, getNotInitializedMessage(manifest));
}

Value EntryPointBuilder::emitIsAdopted(Value state) {
  return emitCompare(LLVM::ICmpPredicate::eq,
                     load(i64, state, kStateHashOffset),
                     constant(i64, static_cast<int64_t>(manifest.layoutHash)));
}

/// Gives a block with another hash an empty header.
void EntryPointBuilder::emitAdoption(Value state) {
  Value isAdopted = emitIsAdopted(state);
  Block *adopt = addBlock(), *next = addBlock();
  LLVM::CondBrOp::create(b, loc, isAdopted, next, adopt);
  b.setInsertionPointToEnd(adopt);
  int64_t headerBytes = getStateHeaderBytes(manifest.variables.size());
  LLVM::MemsetOp::create(b, loc, state, constant(i8, 0),
                         constant(i64, headerBytes), /*isVolatile=*/false);
  store(constant(i64, static_cast<int64_t>(manifest.layoutHash)), state,
        kStateHashOffset);
  LLVM::BrOp::create(b, loc, ValueRange{}, next);
  b.setInsertionPointToEnd(next);
}

Value EntryPointBuilder::emitHasValue(Value state, int64_t variable) {
  return emitCompare(LLVM::ICmpPredicate::ne,
                     load(i8, state, kStateInitializedOffset + variable),
                     constant(i8, 0));
}

void EntryPointBuilder::emitInitializedChecks(const ManifestEntry &entry,
                                              Value state) {
  for (int64_t index : entry.reads) {
    Value byte = load(i8, state, kStateInitializedOffset + index);
    failIf(emitCompare(LLVM::ICmpPredicate::eq, byte, constant(i8, 0)),
           StatusKind::FailedPrecondition,
           getUninitializedMessage(manifest.variables[index]));
  }
}

/// The size of a feed or result in bytes.
Value EntryPointBuilder::emitByteSize(const ManifestArgument &argument,
                                      Value extents) {
  Type element = train::getStorageElementType(argument.type.getElementType());
  int64_t known = element.isIndex()
                      ? 8
                      : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  Value size;
  for (auto [extent, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols)) {
    if (symbol < 0) {
      known *= extent;
      continue;
    }
    Value factor =
        LLVM::LoadOp::create(b, loc, i64, this->element(i64, extents, symbol));
    size = size ? LLVM::MulOp::create(b, loc, size, factor) : factor;
  }
  Value rest = constant(i64, known);
  return size ? LLVM::MulOp::create(b, loc, size, rest).getResult() : rest;
}

/// Fails where the bytes of a feed or result of the caller cannot be counted.
/// Emits nothing where no extents up to their bounds can make them that many.
void EntryPointBuilder::failIfTooManyBytes(const ManifestEntry &entry,
                                           const ManifestArgument &argument,
                                           Value extents,
                                           const Twine &message) {
  CheckedSize known = getNumBytes(argument.type), largest = known;
  SmallVector<int64_t> dynamic;
  for (int64_t symbol : argument.symbols)
    if (symbol >= 0) {
      dynamic.push_back(symbol);
      largest *= bounds.lookup(entry.symbols[symbol]);
    }
  if (!largest.isTooLarge())
    return;
  Value size = constant(i64, known.getSaturated());
  Value isTooLarge = constant(b.getI1Type(), 0);
  auto pair =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, b.getI1Type()});
  for (int64_t symbol : dynamic) {
    Value factor =
        LLVM::LoadOp::create(b, loc, i64, element(i64, extents, symbol));
    Value product =
        LLVM::UMulWithOverflowOp::create(b, loc, pair, size, factor);
    size = LLVM::ExtractValueOp::create(b, loc, product, ArrayRef<int64_t>{0});
    Value overflows =
        LLVM::ExtractValueOp::create(b, loc, product, ArrayRef<int64_t>{1});
    isTooLarge = LLVM::OrOp::create(b, loc, isTooLarge, overflows);
  }
  Value isAbove =
      emitCompare(LLVM::ICmpPredicate::ugt, size, constant(i64, kMaxSize));
  failIf(LLVM::OrOp::create(b, loc, isTooLarge, isAbove),
         StatusKind::InvalidArgument, message);
}

/// Fails where two buffers share a byte. Neither goes around the end of the
/// address space.
void EntryPointBuilder::failIfOverlap(const Buffer &one, const Buffer &other,
                                      const Twine &message) {
  auto reaches = [&](const Buffer &lower, const Buffer &upper) -> Value {
    Value begin = LLVM::PtrToIntOp::create(b, loc, i64, lower.pointer);
    Value end = LLVM::AddOp::create(b, loc, begin, lower.bytes);
    return emitCompare(LLVM::ICmpPredicate::ult,
                       LLVM::PtrToIntOp::create(b, loc, i64, upper.pointer),
                       end);
  };
  auto isNotEmpty = [&](const Buffer &buffer) -> Value {
    return emitCompare(LLVM::ICmpPredicate::ne, buffer.bytes, constant(i64, 0));
  };
  Value both =
      LLVM::AndOp::create(b, loc, reaches(one, other), reaches(other, one));
  Value exist = LLVM::AndOp::create(b, loc, isNotEmpty(one), isNotEmpty(other));
  failIf(LLVM::AndOp::create(b, loc, both, exist), StatusKind::InvalidArgument,
         message);
}

/// What a step writes must not change what it is given or gives back.
void EntryPointBuilder::emitPointerChecks(const ManifestEntry &entry,
                                          Value state, Value feeds,
                                          Value extents, Value results) {
  Buffer block = {state, constant(i64, manifest.stateBytes)};
  auto describe = [&](StringRef kind, const ManifestArgument &argument) {
    return (kind + " '" + argument.name + "' of '" + entry.name + "'").str();
  };
  SmallVector<Buffer> feedBuffers, resultBuffers;
  for (auto [index, feed] : llvm::enumerate(entry.feeds)) {
    Value pointer =
        LLVM::LoadOp::create(b, loc, ptr, element(ptr, feeds, index));
    failIf(isNull(pointer), StatusKind::InvalidArgument,
           "You must feed a value for placeholder '" + feed.name + "'");
    feedBuffers.push_back({pointer, emitByteSize(feed, extents)});
    if (!entry.writes.empty())
      failIfOverlap(feedBuffers.back(), block,
                    "expected " + describe("feed", feed) +
                        " outside the block of the state, found a pointer into "
                        "it: copy the variable first");
  }
  for (auto [index, result] : llvm::enumerate(entry.results)) {
    Value pointer =
        LLVM::LoadOp::create(b, loc, ptr, element(ptr, results, index));
    failIf(isNull(pointer), StatusKind::InvalidArgument,
           "expected a buffer for result '" + result.name + "' of '" +
               entry.name + "', found a null pointer");
    Buffer buffer = {pointer, emitByteSize(result, extents)};
    std::string name = describe("result", result);
    failIfOverlap(buffer, block,
                  "expected " + name +
                      " outside the block of the state, found "
                      "a pointer into it");
    for (auto [feed, given] : llvm::zip_equal(entry.feeds, feedBuffers))
      failIfOverlap(buffer, given,
                    "expected " + name + " and feed '" + feed.name +
                        "' in buffers of their own, found them overlap");
    for (auto [other, given] :
         llvm::zip(ArrayRef(entry.results).take_front(index), resultBuffers))
      failIfOverlap(buffer, given,
                    "expected " + name + " and result '" + other.name +
                        "' in buffers of their own, found them overlap");
    resultBuffers.push_back(buffer);
  }
}

void EntryPointBuilder::appendByteBuffer(SmallVectorImpl<Value> &operands,
                                         Value pointer, int64_t size) {
  operands.append({pointer, pointer, constant(i64, 0), constant(i64, size),
                   constant(i64, 1)});
}

void EntryPointBuilder::appendTensor(SmallVectorImpl<Value> &operands,
                                     Value pointer,
                                     const ManifestArgument &argument,
                                     Value extents) {
  SmallVector<Value> sizes, strides(argument.symbols.size());
  for (auto [extent, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols)) {
    if (symbol < 0)
      sizes.push_back(constant(i64, extent));
    else
      sizes.push_back(
          LLVM::LoadOp::create(b, loc, i64, element(i64, extents, symbol)));
  }
  Value stride = constant(i64, 1);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = stride;
    if (dim > 0)
      stride = LLVM::MulOp::create(b, loc, stride, sizes[dim]);
  }
  operands.append({pointer, pointer, constant(i64, 0)});
  llvm::append_range(operands, sizes);
  llvm::append_range(operands, strides);
}

/// Calls the kernel and leaves if it fails. `feeds` are the pointers.
void EntryPointBuilder::emitKernelCall(const ManifestEntry &entry,
                                       LLVM::LLVMFuncOp kernel, Value state,
                                       Value workspace, ValueRange feeds,
                                       Value extents, Value results,
                                       Value modeSlots) {
  SmallVector<Value> operands;
  appendByteBuffer(operands, state, manifest.stateBytes);
  // The caller alone knows the size of the workspace; the kernel indexes it
  // within what the manifest asks for.
  appendByteBuffer(operands, workspace, std::numeric_limits<int64_t>::max());
  for (auto [feed, pointer] : llvm::zip_equal(entry.feeds, feeds))
    appendTensor(operands, pointer, feed, extents);
  for (auto [index, result] : llvm::enumerate(entry.results)) {
    Value pointer =
        LLVM::LoadOp::create(b, loc, ptr, element(ptr, results, index));
    appendTensor(operands, pointer, result, extents);
  }
  // Not inlined: arithmetic must not move across the switch of the mode.
  kernel.setNoInline(true);
  Value saved = emitFlushDenormals(b, loc, denormals, modeSlots);
  Value status = LLVM::CallOp::create(b, loc, kernel, operands).getResult();
  emitRestoreDenormals(b, loc, denormals, saved);
  failOnStatus(status);
}

LLVM::LLVMFuncOp EntryPointBuilder::emitPacked(const ManifestEntry &entry,
                                               LLVM::LLVMFuncOp kernel) {
  LLVM::LLVMFuncOp func = beginFunction(getPackedSymbol(manifest, entry), i32,
                                        {ptr, ptr, ptr, ptr, ptr});
  func.setVisibility_(LLVM::Visibility::Hidden);
  Block &arguments = func.getBody().front();
  Value state = arguments.getArgument(0), workspace = arguments.getArgument(1),
        feeds = arguments.getArgument(2), extents = arguments.getArgument(3),
        results = arguments.getArgument(4);
  Value modeSlots = stackSlots(i32, 2);

  addFailBlock(state);
  emitStateChecks(state);
  // Without variables there is nothing to initialise.
  if (!manifest.variables.empty())
    emitHashCheck(state);
  emitPointerChecks(entry, state, feeds, extents, results);
  emitInitializedChecks(entry, state);
  emitInitialValues(entry, state, workspace);
  SmallVector<Value> pointers;
  for (size_t index = 0; index < entry.feeds.size(); ++index)
    pointers.push_back(
        LLVM::LoadOp::create(b, loc, ptr, element(ptr, feeds, index)));
  emitKernelCall(entry, kernel, state, workspace, pointers, extents, results,
                 modeSlots);

  for (int64_t index : entry.writes)
    store(constant(i8, 1), state, kStateInitializedOffset + index);
  store(constant(i32, 0), state, kStateStatusOffset);
  emitReturn(constant(i32, 0));
  return func;
}

} // namespace flywheel
