//===- RuntimeCalls.cpp - Calls of the runtime for GPUs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/GPU/RuntimeCalls.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace flywheel;

int64_t flywheel::getFirstOffset(const Manifest &manifest) {
  int64_t first = manifest.stateBytes;
  for (const ManifestVariable &variable : manifest.variables)
    first = std::min(first, variable.offset);
  return first;
}

bool flywheel::isOfHeader(Operation *op, const Manifest &manifest) {
  auto view = dyn_cast_or_null<memref::ViewOp>(op);
  auto argument =
      view ? dyn_cast<BlockArgument>(view.getSource()) : BlockArgument();
  std::optional<int64_t> offset =
      view ? getConstantIntValue(view.getByteShift()) : std::nullopt;
  return argument && argument.getArgNumber() == 0 && offset &&
         *offset < getFirstOffset(manifest);
}

Value RuntimeCalls::index(int64_t number) {
  return arith::ConstantIndexOp::create(b, loc, number);
}

func::CallOp RuntimeCalls::call(StringRef name, TypeRange results,
                                ValueRange arguments) {
  std::string symbol = ("flywheel_gpu_" + name).str();
  if (!module.lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto declaration =
        func::FuncOp::create(b, module.getLoc(), symbol,
                             b.getFunctionType(TypeRange(arguments), results));
    declaration.setPrivate();
    declaration->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                         b.getUnitAttr());
  }
  return func::CallOp::create(b, loc, symbol, results, arguments);
}

Value RuntimeCalls::callForBytes(StringRef name, ValueRange arguments) {
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  return call(name, TypeRange(bytes), arguments).getResult(0);
}

Value RuntimeCalls::pointerTo(Value buffer) {
  return memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
}

Value RuntimeCalls::sizeOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value bytes = index(getElementBytes(type.getElementType()));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    bytes = b.createOrFold<arith::MulIOp>(
        loc, bytes,
        getValueOrCreateConstantIndexOp(
            b, loc, memref::getMixedSize(b, loc, buffer, dim)));
  return bytes;
}

Value RuntimeCalls::view(Value bytes, Value like) {
  auto type = cast<MemRefType>(like.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, loc, like, dim));
  return memref::ViewOp::create(b, loc, type, bytes, index(0), sizes);
}
