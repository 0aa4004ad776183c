//===- EntryPointBuilder.cpp - Functions that a user can call -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Dialect/Train/InitialOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace flywheel {

EntryPointBuilder::EntryPointBuilder(ModuleOp module, Manifest &manifest,
                                     DenormalControl denormals)
    : module(module), manifest(manifest), denormals(denormals),
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

static std::string getUninitializedMessage(const ManifestVariable &variable) {
  return "Attempting to use uninitialized value " + variable.name;
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

/// What a step writes must not change what it is given or gives back.
void EntryPointBuilder::failIfInState(Value pointer, Value state,
                                      const Twine &what) {
  Value address = LLVM::PtrToIntOp::create(b, loc, i64, pointer);
  Value base = LLVM::PtrToIntOp::create(b, loc, i64, state);
  Value distance = LLVM::SubOp::create(b, loc, address, base);
  failIf(emitCompare(LLVM::ICmpPredicate::ult, distance,
                     constant(i64, manifest.stateBytes)),
         StatusKind::InvalidArgument,
         "expected " + what +
             " outside the block of the state, found a pointer "
             "into it: copy the variable first");
}

void EntryPointBuilder::emitPointerChecks(const ManifestEntry &entry,
                                          Value state, Value feeds,
                                          Value results) {
  for (auto [index, feed] : llvm::enumerate(entry.feeds)) {
    Value pointer =
        LLVM::LoadOp::create(b, loc, ptr, element(ptr, feeds, index));
    failIf(isNull(pointer), StatusKind::InvalidArgument,
           "You must feed a value for placeholder '" + feed.name + "'");
    if (!entry.writes.empty())
      failIfInState(pointer, state,
                    "feed '" + feed.name + "' of '" + entry.name + "'");
  }
  for (auto [index, result] : llvm::enumerate(entry.results)) {
    Value pointer =
        LLVM::LoadOp::create(b, loc, ptr, element(ptr, results, index));
    failIf(isNull(pointer), StatusKind::InvalidArgument,
           "expected a buffer for result '" + result.name + "' of '" +
               entry.name + "', found a null pointer");
    failIfInState(pointer, state,
                  "result '" + result.name + "' of '" + entry.name + "'");
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
  emitHashCheck(state);
  emitPointerChecks(entry, state, feeds, results);
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

//===----------------------------------------------------------------------===//
// Initial values
//===----------------------------------------------------------------------===//

/// Sets the bytes of `needs`: of the variables whose storage must get an
/// initial value so that the `roots` can have theirs. Fails where one is
/// computed from a variable that has no value and, with `commit`, is no root.
void EntryPointBuilder::emitNeeds(Value state, Value roots, Value commit,
                                  Value needs) {
  size_t count = manifest.variables.size();
  // A block that is another model's has no values.
  Value isAdopted = emitIsAdopted(state);
  LLVM::MemcpyOp::create(b, loc, needs, roots, constant(i64, count),
                         /*isVolatile=*/false);
  SmallVector<SmallVector<int64_t>> users(count);
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    for (int64_t operand : variable.initialValues)
      users[operand].push_back(index);
  auto hasValue = [&](int64_t index) -> Value {
    return LLVM::AndOp::create(b, loc, isAdopted, emitHasValue(state, index));
  };
  SmallVector<SmallVector<int64_t>> operands(count);
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    for (auto *needed : {&variable.initialReads, &variable.initialValues})
      llvm::append_range(operands[index], *needed);
  SmallVector<int64_t> order = train::orderInitialValues(operands);
  for (int64_t index : llvm::reverse(order)) {
    if (users[index].empty())
      continue;
    Value isUsed = constant(i8, 0);
    for (int64_t user : users[index])
      isUsed = LLVM::OrOp::create(b, loc, isUsed, load(i8, needs, user));
    Value isMissing = LLVM::SelectOp::create(b, loc, hasValue(index),
                                             constant(i8, 0), isUsed);
    store(LLVM::OrOp::create(b, loc, load(i8, needs, index), isMissing), needs,
          index);
  }
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    for (int64_t operand : variable.initialReads) {
      Value isRoot = emitCompare(LLVM::ICmpPredicate::ne,
                                 load(i8, roots, operand), constant(i8, 0));
      Value willHave =
          LLVM::OrOp::create(b, loc, hasValue(operand),
                             LLVM::AndOp::create(b, loc, commit, isRoot));
      Value isNeeded = emitCompare(LLVM::ICmpPredicate::ne,
                                   load(i8, needs, index), constant(i8, 0));
      Value isMissing =
          LLVM::XOrOp::create(b, loc, willHave, constant(b.getI1Type(), 1));
      failIf(LLVM::AndOp::create(b, loc, isNeeded, isMissing),
             StatusKind::FailedPrecondition,
             getUninitializedMessage(manifest.variables[operand]));
    }
}

/// `M.evaluate(state, workspace, seed, roots, commit) -> i32` puts the initial
/// values of the variables whose byte of `roots` is 1 in their storage, and
/// those of variables without a value that they are computed from. It leaves it
/// to the caller to say which of them have a value now.
void EntryPointBuilder::emitEvaluator(const ManifestEntry &init,
                                      LLVM::LLVMFuncOp kernel) {
  evaluator = beginFunction(prefix + ".evaluate", i32,
                            {ptr, ptr, i64, ptr, b.getI1Type()});
  evaluator.setLinkage(LLVM::Linkage::Internal);
  Block &arguments = evaluator.getBody().front();
  Value state = arguments.getArgument(0), workspace = arguments.getArgument(1),
        roots = arguments.getArgument(3);
  size_t count = manifest.variables.size();
  Value seed = stackSlots(i64, 1), needs = stackSlots(i8, count);
  Value modeSlots = stackSlots(i32, 2);

  addFailBlock(state);
  store(arguments.getArgument(2), seed, 0);
  emitNeeds(state, roots, arguments.getArgument(4), needs);
  emitAdoption(state);
  Value runs = offsetBy(state, getStateRunsOffset(count));
  emitKernelCall(init, kernel, state, workspace, {seed, runs, needs},
                 nullPointer(), nullPointer(), modeSlots);
  emitReturn(constant(i32, 0));
}

/// Calls the evaluator and leaves if it fails.
void EntryPointBuilder::emitEvaluation(Value state, Value workspace, Value seed,
                                       Value roots, bool commit) {
  Value flag = constant(b.getI1Type(), commit);
  failOnStatus(
      LLVM::CallOp::create(b, loc, evaluator,
                           ValueRange{state, workspace, seed, roots, flag})
          .getResult());
}

/// Puts initial values where the entry takes them and there is no value.
void EntryPointBuilder::emitInitialValues(const ManifestEntry &entry,
                                          Value state, Value workspace) {
  if (entry.initializedValues.empty())
    return;
  size_t count = manifest.variables.size();
  Value roots = stackSlots(i8, count);
  LLVM::MemsetOp::create(b, loc, roots, constant(i8, 0), constant(i64, count),
                         /*isVolatile=*/false);
  Value any = constant(b.getI1Type(), 0);
  for (int64_t index : entry.initializedValues) {
    Value isMissing = LLVM::XOrOp::create(b, loc, emitHasValue(state, index),
                                          constant(b.getI1Type(), 1));
    store(LLVM::ZExtOp::create(b, loc, i8, isMissing), roots, index);
    any = LLVM::OrOp::create(b, loc, any, isMissing);
  }
  Block *evaluate = addBlock(), *next = addBlock();
  LLVM::CondBrOp::create(b, loc, any, evaluate, next);
  b.setInsertionPointToEnd(evaluate);
  emitEvaluation(state, workspace, load(i64, state, kStateSeedOffset), roots,
                 /*commit=*/false);
  LLVM::BrOp::create(b, loc, ValueRange{}, next);
  b.setInsertionPointToEnd(next);
}

LLVM::LLVMFuncOp
EntryPointBuilder::emitPackedInitializer(const ManifestEntry &entry) {
  LLVM::LLVMFuncOp func = beginFunction(getPackedSymbol(manifest, entry), i32,
                                        {ptr, ptr, ptr, ptr, ptr});
  func.setVisibility_(LLVM::Visibility::Hidden);
  Block &arguments = func.getBody().front();
  Value state = arguments.getArgument(0), workspace = arguments.getArgument(1),
        feeds = arguments.getArgument(2);
  int64_t count = manifest.variables.size();
  Value roots = stackSlots(i8, count);

  addFailBlock(state);
  emitStateChecks(state);
  Value seed = LLVM::LoadOp::create(b, loc, ptr, element(ptr, feeds, 0));
  failIf(isNull(seed), StatusKind::InvalidArgument,
         "You must feed a value for placeholder 'seed'");
  seed = load(i64, seed, 0);
  Value select = LLVM::LoadOp::create(b, loc, ptr, element(ptr, feeds, 1));
  Block *all = addBlock(), *some = addBlock(), *next = addBlock();
  LLVM::CondBrOp::create(b, loc, isNull(select), all, some);
  b.setInsertionPointToEnd(all);
  LLVM::MemsetOp::create(b, loc, roots, constant(i8, 1), constant(i64, count),
                         /*isVolatile=*/false);
  for (auto [index, variable] : llvm::enumerate(manifest.variables))
    if (!variable.isInCollection(kGlobalCollection))
      store(constant(i8, 0), roots, index);
  LLVM::BrOp::create(b, loc, ValueRange{}, next);
  b.setInsertionPointToEnd(some);
  emitLoop(count, [&](Value index) {
    Value byte = LLVM::LoadOp::create(b, loc, i8, element(i8, select, index));
    Value isSelected =
        emitCompare(LLVM::ICmpPredicate::ne, byte, constant(i8, 0));
    LLVM::StoreOp::create(b, loc, LLVM::ZExtOp::create(b, loc, i8, isSelected),
                          element(i8, roots, index));
  });
  LLVM::BrOp::create(b, loc, ValueRange{}, next);
  b.setInsertionPointToEnd(next);

  if (evaluator) {
    emitEvaluation(state, workspace, seed, roots, /*commit=*/true);
  } else {
    emitAdoption(state);
  }

  Value initialized = offsetBy(state, kStateInitializedOffset);
  Value runs = offsetBy(state, getStateRunsOffset(count));
  emitLoop(count, [&](Value index) {
    Value root = LLVM::LoadOp::create(b, loc, i8, element(i8, roots, index));
    Value byte = element(i8, initialized, index);
    Value has = LLVM::LoadOp::create(b, loc, i8, byte);
    LLVM::StoreOp::create(b, loc, LLVM::OrOp::create(b, loc, has, root), byte);
    Value run = element(i64, runs, index);
    Value next =
        LLVM::AddOp::create(b, loc, LLVM::LoadOp::create(b, loc, i64, run),
                            LLVM::ZExtOp::create(b, loc, i64, root));
    LLVM::StoreOp::create(b, loc, next, run);
  });
  store(seed, state, kStateSeedOffset);
  store(constant(i32, 0), state, kStateStatusOffset);
  emitReturn(constant(i32, 0));
  return func;
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

void EntryPointBuilder::emitCFunction(const ManifestEntry &entry,
                                      LLVM::LLVMFuncOp packed,
                                      int64_t maxExtent) {
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
      // Unsigned, so that a negative extent is too large.
      failIf(emitCompare(LLVM::ICmpPredicate::ugt, value,
                         constant(i64, maxExtent)),
             StatusKind::InvalidArgument,
             parameter.name +
                 " is out of range: expected 0 <= " + parameter.name +
                 " <= " + Twine(maxExtent) + " in '" + symbol + "'");
      LLVM::StoreOp::create(b, loc, value,
                            element(i64, extents, parameter.index));
      break;
    }
  }
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
  for (const ManifestMessage &message : manifest.messages) {
    offsets.push_back(static_cast<int32_t>(texts.size()));
    texts += message.text;
    texts += '\0';
  }
  b.setInsertionPointToEnd(module.getBody());
  auto textGlobal = LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(i8, texts.size()), /*isConstant=*/true,
      LLVM::Linkage::Internal, prefix + ".texts", b.getStringAttr(texts));
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
  Value text = LLVM::AddressOfOp::create(b, loc, textGlobal);
  emitReturn(LLVM::GEPOp::create(b, loc, ptr, i8, text, ValueRange{offset},
                                 LLVM::GEPNoWrapFlags::inbounds));
}

} // namespace flywheel
