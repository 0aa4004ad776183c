//===- LowerHostCalls.cpp - Calls of the host in code ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Runtime/DType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERHOSTCALLS
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

using flywheel::linalg_ext::HostCallOp;
using flywheel::runtime::DType;

static constexpr llvm::StringLiteral kFunctionName = "flywheel_host_call";

/// Returns the type of elements of buffers, which are signless.
static DType getDType(Type type) {
  return llvm::TypeSwitch<Type, DType>(type)
      .Case([](Float16Type) { return DType::F16; })
      .Case([](BFloat16Type) { return DType::BF16; })
      .Case([](Float32Type) { return DType::F32; })
      .Case([](Float64Type) { return DType::F64; })
      .Default([](Type integer) {
        switch (integer.getIntOrFloatBitWidth()) {
        case 8:
          return DType::I8;
        case 16:
          return DType::I16;
        case 32:
          return DType::I32;
        default:
          return DType::I64;
        }
      });
}

namespace {
/// Writes the table that describes a call.
class CallEmitter {
public:
  explicit CallEmitter(HostCallOp op) : op(op), b(op), loc(op.getLoc()) {}

  void run();

private:
  Value word(int64_t number) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(number));
  }
  Value toWord(OpFoldResult size) {
    if (auto number = dyn_cast<Attribute>(size))
      return word(cast<IntegerAttr>(number).getInt());
    return arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                      cast<Value>(size));
  }
  void append(Value value);
  void append(int64_t number) { append(word(number)); }
  void describe(Value buffer);
  void declare();

  HostCallOp op;
  OpBuilder b;
  Location loc;
  Value table;
  int64_t numWords = 0;
};
} // namespace

void CallEmitter::append(Value value) {
  Value place = arith::ConstantIndexOp::create(b, loc, numWords++);
  memref::StoreOp::create(b, loc, value, table, place);
}

/// Appends the element type, rank, address, sizes, and strides in bytes.
void CallEmitter::describe(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  auto parts = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  append(static_cast<int64_t>(getDType(type.getElementType())));
  append(type.getRank());
  Value base =
      toWord(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer)
                 .getResult());
  auto inBytes = [&](OpFoldResult count) -> Value {
    return arith::MulIOp::create(b, loc, toWord(count), word(bytes));
  };
  append(arith::AddIOp::create(b, loc, base,
                               inBytes(parts.getConstifiedMixedOffset())));
  for (OpFoldResult size : parts.getConstifiedMixedSizes())
    append(toWord(size));
  for (OpFoldResult stride : parts.getConstifiedMixedStrides())
    append(inBytes(stride));
}

void CallEmitter::declare() {
  auto module = op->getParentOfType<ModuleOp>();
  if (module.lookupSymbol(kFunctionName))
    return;
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto declaration = func::FuncOp::create(
      top, module.getLoc(), kFunctionName,
      top.getFunctionType({top.getI64Type(), top.getI32Type()},
                          {top.getI32Type()}));
  declaration.setPrivate();
}

void CallEmitter::run() {
  declare();
  SmallVector<Value> buffers(op.getInputs());
  llvm::append_range(buffers, op.getOutputs());
  int64_t size = 3;
  for (Value buffer : buffers)
    size += 3 + 2 * cast<MemRefType>(buffer.getType()).getRank();
  // Allocates one table for all iterations of a loop.
  auto function = op->getParentOfType<func::FuncOp>();
  OpBuilder top = OpBuilder::atBlockBegin(&function.getBody().front());
  table = memref::AllocaOp::create(top, loc,
                                   MemRefType::get({size}, b.getI64Type()));
  append(op.getSite());
  append(op.getInputs().size());
  append(op.getOutputs().size());
  for (Value buffer : buffers)
    describe(buffer);
  Value status = memref::LoadOp::create(b, loc, op.getStatus(), ValueRange());
  Value address =
      toWord(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, table)
                 .getResult());
  auto call = func::CallOp::create(b, loc, kFunctionName, b.getI32Type(),
                                   ValueRange{address, status});
  memref::StoreOp::create(b, loc, call.getResult(0), op.getStatus(),
                          ValueRange());
}

namespace {
struct LowerHostCalls : flywheel::impl::LowerHostCallsBase<LowerHostCalls> {
  void runOnOperation() override {
    SmallVector<HostCallOp> calls;
    getOperation().walk([&](HostCallOp call) { calls.push_back(call); });
    for (HostCallOp call : calls) {
      CallEmitter(call).run();
      call.erase();
    }
  }
};
} // namespace
