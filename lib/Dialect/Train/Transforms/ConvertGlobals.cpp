//===- ConvertGlobals.cpp - State of other dialects to variables ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any module. After: `ml_program.global` and `tosa.variable` are
// variables or constants. Refuses any other storage that outlives a call; see
// TrainPasses.td.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "../IR/VariableVerifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINCONVERTGLOBALS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
/// The description of a global in terms of the dialect.
struct Global {
  /// The type that its users load and store, and that of the variable.
  Type type;
  RankedTensorType tensorType;
  /// Null if the global has none.
  DenseElementsAttr value;
  bool isMutable = true;
};

struct TrainConvertGlobals
    : impl::TrainConvertGlobalsBase<TrainConvertGlobals> {
  void runOnOperation() override;

private:
  LogicalResult collect();
  LogicalResult collectGlobal(Operation *op, Type type, Attribute value,
                              bool isMutable);
  LogicalResult convertUser(Operation *op, SymbolTableCollection &symbols);
  FailureOr<Operation *> lookup(Operation *user, SymbolRefAttr symbol,
                                SymbolTableCollection &symbols);
  Value load(Operation *user, Operation *global);
  void store(Operation *user, Operation *global, Value value);

  llvm::MapVector<Operation *, Global> globals;
};
} // namespace

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

/// Reads the values of a resource, which has its bytes beside the module's
/// text.
static DenseElementsAttr readResource(DenseResourceElementsAttr resource) {
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return {};
  ArrayRef<char> bytes = blob->getData();
  auto type = cast<ShapedType>(resource.getType());
  if (!type.getElementType().isIntOrFloat())
    return {};
  int64_t count = type.getNumElements();
  // A byte for each boolean; a dense attribute has its own packing.
  if (type.getElementType().isInteger(1)) {
    if (static_cast<int64_t>(bytes.size()) != count)
      return {};
    SmallVector<bool> values;
    for (char byte : bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, values);
  }
  int64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (static_cast<int64_t>(bytes.size()) != count * width)
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// Emits `value` as a dense attribute of `type`, or null.
static DenseElementsAttr getDense(Attribute value, RankedTensorType type) {
  DenseElementsAttr dense;
  if (isa<FloatAttr, IntegerAttr>(value) &&
      cast<TypedAttr>(value).getType() == type.getElementType())
    return DenseElementsAttr::get(type, value);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    dense = readResource(resource);
  else if (auto given = dyn_cast<DenseElementsAttr>(value))
    dense = given;
  else if (auto sparse = dyn_cast<SparseElementsAttr>(value);
           sparse && sparse.getType() == type)
    dense = DenseElementsAttr::get(
        type, llvm::to_vector(sparse.getValues<Attribute>()));
  return dense && dense.getType() == type ? dense : DenseElementsAttr();
}

LogicalResult TrainConvertGlobals::collectGlobal(Operation *op, Type type,
                                                 Attribute value,
                                                 bool isMutable) {
  Global global{type, dyn_cast<RankedTensorType>(type), {}, isMutable};
  if (type.isIntOrFloat())
    global.tensorType = RankedTensorType::get({}, type);
  // An immutable one has the type of its value.
  auto elements = dyn_cast_or_null<ElementsAttr>(value);
  if (global.tensorType && !isMutable && elements)
    global.tensorType = dyn_cast<RankedTensorType>(elements.getType());
  if (!global.tensorType || !global.tensorType.hasStaticShape() ||
      global.tensorType.getEncoding())
    return op->emitOpError()
           << "expected a tensor of a static shape, or a number, to keep "
              "between calls, found "
           << type;
  // The verifier of the variable would not name this op.
  Type element = global.tensorType.getElementType();
  if (isMutable && !isVariableElementType(element))
    return op->emitOpError()
           << "expected an element type of f16, bf16, f32, f64, i1, i8, i16, "
              "i32, i64, ui8, ui16, ui32, ui64 or !train.string, found "
           << element;
  if (value) {
    global.value = getDense(value, global.tensorType);
    if (!global.value)
      return op->emitOpError()
             << "expected an initial value of type " << global.tensorType
             << " that is in the module, found " << value;
  }
  globals.insert({op, global});
  return success();
}

/// Returns true if `op` is storage that outlives a call and is not in a block.
static bool isOtherStorage(Operation *op) {
  if (auto global = dyn_cast<memref::GlobalOp>(op))
    return !global.getConstant();
  if (auto global = dyn_cast<LLVM::GlobalOp>(op))
    return !global.getConstant();
  StringRef name = op->getName().getStringRef();
  return name == "emitc.global" || name == "spirv.GlobalVariable";
}

LogicalResult TrainConvertGlobals::collect() {
  WalkResult result = getOperation().walk([&](Operation *op) -> WalkResult {
    if (auto global = dyn_cast<ml_program::GlobalOp>(op))
      return collectGlobal(op, global.getType(), global.getValueAttr(),
                           global.getIsMutable());
    if (auto variable = dyn_cast<tosa::VariableOp>(op))
      return collectGlobal(op, tosa::getVariableType(variable),
                           variable.getInitialValueAttr(), /*isMutable=*/true);
    if (isOtherStorage(op))
      return op->emitOpError()
             << "keeps its contents between calls, outside of the state that "
                "the caller owns: expected a 'train.variable'";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

FailureOr<Operation *>
TrainConvertGlobals::lookup(Operation *user, SymbolRefAttr symbol,
                            SymbolTableCollection &symbols) {
  Operation *found = symbols.lookupNearestSymbolFrom(user, symbol);
  if (found && globals.contains(found))
    return found;
  return user->emitOpError()
         << "expected the name of a global, found " << symbol;
}

Value TrainConvertGlobals::load(Operation *user, Operation *op) {
  const Global &global = globals[op];
  OpBuilder b(user);
  Location loc = user->getLoc();
  Value value;
  if (global.isMutable)
    value = ReadOp::create(b, loc, global.tensorType,
                           SymbolTable::getSymbolName(op).getValue());
  else
    value = arith::ConstantOp::create(b, loc, global.value);
  Type type = user->getResult(0).getType();
  if (value.getType() == type)
    return value;
  if (!isa<TensorType>(type))
    return tensor::ExtractOp::create(b, loc, value, ValueRange());
  return tensor::CastOp::create(b, loc, type, value);
}

void TrainConvertGlobals::store(Operation *user, Operation *op, Value value) {
  const Global &global = globals[op];
  OpBuilder b(user);
  Location loc = user->getLoc();
  if (!isa<TensorType>(value.getType()))
    value = tensor::FromElementsOp::create(b, loc, global.tensorType, value);
  else if (value.getType() != global.tensorType)
    value = tensor::CastOp::create(b, loc, global.tensorType, value);
  AssignOp::create(b, loc, global.tensorType,
                   SymbolTable::getSymbolName(op).getValue(), value);
}

/// Returns true if a global of type `type` can replace one of type `used`.
static bool isCompatible(Type used, const RankedTensorType &type) {
  if (auto tensor = dyn_cast<TensorType>(used))
    return succeeded(verifyCompatibleShape(tensor, type)) &&
           tensor.getElementType() == type.getElementType();
  return type.getRank() == 0 && used == type.getElementType();
}

/// Replaces a load or a store; leaves other ops alone.
LogicalResult TrainConvertGlobals::convertUser(Operation *op,
                                               SymbolTableCollection &symbols) {
  SymbolRefAttr symbol;
  Value stored, token;
  if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op)) {
    symbol = load.getGlobal();
  } else if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op)) {
    symbol = load.getGlobal();
  } else if (auto load = dyn_cast<ml_program::GlobalLoadGraphOp>(op)) {
    symbol = load.getGlobal();
    token = load.getProduceToken();
  } else if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
    symbol = store.getGlobal();
    stored = store.getValue();
  } else if (auto store = dyn_cast<ml_program::GlobalStoreGraphOp>(op)) {
    symbol = store.getGlobal();
    stored = store.getValue();
    token = store.getProduceToken();
  } else if (auto read = dyn_cast<tosa::VariableReadOp>(op)) {
    symbol = FlatSymbolRefAttr::get(read.getNameAttr());
  } else if (auto write = dyn_cast<tosa::VariableWriteOp>(op)) {
    symbol = FlatSymbolRefAttr::get(write.getNameAttr());
    stored = write.getInput1();
  } else if (auto make = dyn_cast<ml_program::TokenOp>(op)) {
    token = make.getToken();
  } else {
    return success();
  }
  // The token must only order ops that are in this order already.
  if (token)
    for (Operation *user : token.getUsers())
      if (!isa<ml_program::GlobalLoadGraphOp, ml_program::GlobalStoreGraphOp>(
              user))
        return user->emitOpError()
               << "expected tokens to order loads and stores of globals";
  if (symbol) {
    FailureOr<Operation *> global = lookup(op, symbol, symbols);
    if (failed(global))
      return failure();
    Type used = stored ? stored.getType() : op->getResult(0).getType();
    const RankedTensorType &type = globals[*global].tensorType;
    if (!isCompatible(used, type))
      return op->emitOpError() << "expected the type of global " << symbol
                               << ", " << type << ", found " << used;
    if (stored)
      store(op, *global, stored);
    else
      op->getResult(0).replaceAllUsesWith(load(op, *global));
  }
  if (token)
    token.dropAllUses();
  op->erase();
  return success();
}

void TrainConvertGlobals::runOnOperation() {
  globals.clear();
  if (failed(collect()))
    return signalPassFailure();
  SymbolTableCollection symbols;
  SmallVector<Operation *> users;
  getOperation().walk([&](Operation *op) {
    if (isa_and_present<ml_program::MLProgramDialect, tosa::TosaDialect>(
            op->getDialect()))
      users.push_back(op);
  });
  for (Operation *op : users)
    if (failed(convertUser(op, symbols)))
      return signalPassFailure();
  for (auto &[op, global] : globals) {
    OpBuilder b(op);
    if (global.isMutable) {
      Attribute value = global.value;
      if (!value)
        value = ZerosAttr::get(&getContext());
      VariableOp::create(b, op->getLoc(), SymbolTable::getSymbolName(op),
                         TypeAttr::get(global.tensorType), value,
                         /*trainable=*/b.getBoolAttr(false),
                         FlatSymbolRefAttr(), ArrayAttr(), StringAttr(),
                         ConstraintAttrInterface(), TypeAttr());
      ++numVariables;
    }
    op->erase();
  }
}

} // namespace flywheel::train
