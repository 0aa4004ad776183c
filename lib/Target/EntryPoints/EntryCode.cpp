//===- EntryCode.cpp - The code that entry points are made of -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/EntryPoints/EntryCode.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {

EntryCode::EntryCode(ModuleOp module)
    : module(module), b(module.getContext()), loc(module.getLoc()),
      ptr(LLVM::LLVMPointerType::get(b.getContext())), i1(b.getI1Type()),
      i8(b.getI8Type()), i32(b.getI32Type()), i64(b.getI64Type()) {}

//===----------------------------------------------------------------------===//
// Functions and control flow
//===----------------------------------------------------------------------===//

func::FuncOp EntryCode::beginFunction(StringRef name, Type resultType,
                                      ArrayRef<Type> arguments) {
  b.setInsertionPointToEnd(module.getBody());
  auto results = resultType ? TypeRange(resultType) : TypeRange();
  auto func =
      func::FuncOp::create(b, loc, name, b.getFunctionType(arguments, results));
  // Several ABIs leave it to the callee to extend a 32-bit result.
  if (resultType == i32)
    func.setResultAttr(0, LLVM::LLVMDialect::getSExtAttrName(),
                       b.getUnitAttr());
  b.setInsertionPointToStart(func.addEntryBlock());
  return func;
}

void EntryCode::emitReturn(Value value) {
  func::ReturnOp::create(b, loc, value);
}

void EntryCode::emitReturn() { func::ReturnOp::create(b, loc); }

Value EntryCode::emitCall(func::FuncOp callee, ArrayRef<Value> operands) {
  return func::CallOp::create(b, loc, callee, operands).getResult(0);
}

Value EntryCode::emitIf(Value condition, function_ref<Value()> onTrue,
                        function_ref<Value()> onFalse) {
  auto build = [&](function_ref<Value()> body) {
    return [this, body](OpBuilder &builder, Location loc) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(builder.getInsertionBlock(),
                          builder.getInsertionPoint());
      Value value = body();
      scf::YieldOp::create(b, loc, value);
    };
  };
  return scf::IfOp::create(b, loc, condition, build(onTrue), build(onFalse))
      .getResult(0);
}

void EntryCode::emitIf(Value condition, function_ref<void()> body) {
  auto op = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  body();
}

Value EntryCode::emitThen(Value status, function_ref<Value()> next) {
  auto failure = [&] { return status; };
  return emitIf(isNot(status, 0), failure, next);
}

void EntryCode::emitLoop(int64_t count, function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, loc, constant(i64, 0), constant(i64, count),
                                 constant(i64, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Value EntryCode::emitFold(Value count, Value value,
                          function_ref<Value(Value, Value)> body) {
  auto loop = scf::ForOp::create(b, loc, constant(i64, 0), count,
                                 constant(i64, 1), value);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
  scf::YieldOp::create(b, loc, next);
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Integers and truth values
//===----------------------------------------------------------------------===//

Value EntryCode::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value EntryCode::compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
}

Value EntryCode::isEqual(Value lhs, Value rhs) {
  return compare(arith::CmpIPredicate::eq, lhs, rhs);
}

Value EntryCode::isNot(Value value, int64_t other) {
  return compare(arith::CmpIPredicate::ne, value,
                 constant(value.getType(), other));
}

Value EntryCode::both(Value lhs, Value rhs) {
  return arith::AndIOp::create(b, loc, lhs, rhs);
}

Value EntryCode::either(Value lhs, Value rhs) {
  return arith::OrIOp::create(b, loc, lhs, rhs);
}

Value EntryCode::negate(Value condition) {
  return arith::XOrIOp::create(b, loc, condition, constant(i1, 1));
}

Value EntryCode::select(Value condition, Value onTrue, Value onFalse) {
  return arith::SelectOp::create(b, loc, condition, onTrue, onFalse);
}

Value EntryCode::add(Value lhs, Value rhs) {
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

Value EntryCode::subtract(Value lhs, Value rhs) {
  return arith::SubIOp::create(b, loc, lhs, rhs);
}

Value EntryCode::multiply(Value lhs, Value rhs) {
  return arith::MulIOp::create(b, loc, lhs, rhs);
}

Value EntryCode::extend(Value value, Type type) {
  return arith::ExtUIOp::create(b, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

Value EntryCode::nullPointer() { return LLVM::ZeroOp::create(b, loc, ptr); }

Value EntryCode::isNull(Value pointer) {
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, pointer,
                              nullPointer());
}

Value EntryCode::getAddress(Value pointer) {
  return LLVM::PtrToIntOp::create(b, loc, i64, pointer);
}

Value EntryCode::offsetBy(Value base, int64_t bytes) {
  return bytes == 0 ? base : element(i8, base, bytes);
}

Value EntryCode::load(Type type, Value base, int64_t bytes) {
  return LLVM::LoadOp::create(b, loc, type, offsetBy(base, bytes));
}

void EntryCode::store(Value value, Value base, int64_t bytes) {
  LLVM::StoreOp::create(b, loc, value, offsetBy(base, bytes));
}

void EntryCode::fill(Value base, int8_t byte, int64_t count) {
  LLVM::MemsetOp::create(b, loc, base, constant(i8, byte), constant(i64, count),
                         /*isVolatile=*/false);
}

Value EntryCode::element(Type type, Value array, int64_t index) {
  return element(type, array, constant(i64, index));
}

Value EntryCode::element(Type type, Value array, Value index) {
  return LLVM::GEPOp::create(b, loc, ptr, type, array, ValueRange{index},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value EntryCode::emitAlignmentOf(Type type) {
  // The offset of a member behind a byte. LLVM, which knows the target, folds
  // it.
  auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {i8, type});
  return getAddress(LLVM::GEPOp::create(b, loc, ptr, pair, nullPointer(),
                                        ArrayRef<LLVM::GEPArg>{0, 1}));
}

Value EntryCode::stackSlots(Type type, int64_t count) {
  if (count == 0)
    return nullPointer();
  return LLVM::AllocaOp::create(b, loc, ptr, type, constant(i64, count));
}

LLVM::GlobalOp EntryCode::addText(const Twine &name, StringRef text) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  return LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(i8, text.size()), /*isConstant=*/true,
      LLVM::Linkage::Internal, name.str(), b.getStringAttr(text));
}

Value EntryCode::getAddressOf(LLVM::GlobalOp global) {
  return LLVM::AddressOfOp::create(b, loc, global);
}

Value EntryCode::getAddressOf(func::FuncOp function) {
  Value value =
      func::ConstantOp::create(b, loc, function.getFunctionType(),
                               FlatSymbolRefAttr::get(function.getOperation()));
  return UnrealizedConversionCastOp::create(b, loc, ptr, value).getResult(0);
}

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

Value EntryCode::loadTeamField(Type type, Value team, int32_t field) {
  auto record =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, ptr, ptr});
  Value place = LLVM::GEPOp::create(b, loc, ptr, record, team,
                                    ArrayRef<LLVM::GEPArg>{0, field});
  return LLVM::LoadOp::create(b, loc, type, place);
}

Value EntryCode::loadNumWorkers(Value team) {
  return loadTeamField(i32, team, 0);
}

Value EntryCode::loadRunFunction(Value team) {
  return loadTeamField(ptr, team, 1);
}

Value EntryCode::loadBarrierFunction(Value team) {
  return loadTeamField(ptr, team, 2);
}

void EntryCode::callPointer(Value function, ArrayRef<Value> operands) {
  SmallVector<Value> callee{function};
  llvm::append_range(callee, operands);
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (Value operand : operands) {
    types.push_back(operand.getType());
    // Several ABIs leave it to the caller to extend an argument of 32 bits.
    SmallVector<NamedAttribute, 1> extension;
    if (operand.getType() == i32)
      extension.push_back(b.getNamedAttr(LLVM::LLVMDialect::getSExtAttrName(),
                                         b.getUnitAttr()));
    attributes.push_back(b.getDictionaryAttr(extension));
  }
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  auto call = LLVM::CallOp::create(b, loc, type, callee);
  call.setArgAttrsAttr(b.getArrayAttr(attributes));
}

} // namespace flywheel
