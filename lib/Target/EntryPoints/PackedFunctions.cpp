//===- PackedFunctions.cpp - Calls of kernels -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace flywheel {

/// Builds a buffer from a C pointer. Upstream has no op for that: this casts a
/// descriptor, and the lowering of memrefs removes the cast.
Value EntryPointBuilder::emitMemRef(Type type, Value pointer,
                                    ArrayRef<Value> sizes) {
  LLVMTypeConverter converter(b.getContext());
  SmallVector<Value> strides(sizes.size());
  Value stride = constant(i64, 1);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = stride;
    if (dim > 0)
      stride = multiply(stride, sizes[dim]);
  }
  SmallVector<Value> fields{pointer, pointer, constant(i64, 0)};
  llvm::append_range(fields, sizes);
  llvm::append_range(fields, strides);
  Value descriptor =
      MemRefDescriptor::pack(b, loc, converter, cast<MemRefType>(type), fields);
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}

/// Builds the buffer of a feed or result that the kernel takes.
Value EntryPointBuilder::emitTensor(Type type, Value pointer,
                                    const ManifestArgument &argument,
                                    Value dimSizes) {
  SmallVector<Value> sizes;
  for (auto [dimSize, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols))
    sizes.push_back(symbol < 0 ? constant(i64, dimSize)
                               : load(i64, element(i64, dimSizes, symbol)));
  return emitMemRef(type, pointer, sizes);
}

Value EntryPointBuilder::emitKernelCall(const ManifestEntry &entry,
                                        func::FuncOp kernel,
                                        const PackedArguments &arguments,
                                        ValueRange pointers, Worker worker,
                                        Value modeSlots) {
  // Only the caller knows the size of the workspace; the kernel stays within
  // the size that the manifest requires.
  ArrayRef<Type> types = kernel.getArgumentTypes();
  SmallVector<Value> operands{
      emitMemRef(types[0], arguments.state, constant(i64, manifest.stateBytes)),
      emitMemRef(types[1], arguments.workspace,
                 constant(i64, std::numeric_limits<int64_t>::max()))};
  for (auto [feed, pointer] : llvm::zip_equal(entry.feeds, pointers))
    operands.push_back(
        emitTensor(types[operands.size()], pointer, feed, arguments.dimSizes));
  for (auto [index, result] : llvm::enumerate(entry.results))
    operands.push_back(
        emitTensor(types[operands.size()],
                   load(ptr, element(ptr, arguments.results, index)), result,
                   arguments.dimSizes));
  if (operands.size() < types.size()) {
    operands.push_back(worker.number ? worker.number
                                     : constant(b.getIndexType(), 0));
    operands.push_back(worker.team ? worker.team : nullPointer());
  }
  Value saved = emitFlushDenormals(b, loc, denormals, modeSlots);
  Value status = emitCall(kernel, operands);
  emitRestoreDenormals(b, loc, denormals, saved);
  return status;
}

SmallVector<Value> EntryPointBuilder::loadFeeds(const ManifestEntry &entry,
                                                Value feeds) {
  SmallVector<Value> pointers;
  for (size_t index = 0; index < entry.feeds.size(); ++index)
    pointers.push_back(load(ptr, element(ptr, feeds, index)));
  return pointers;
}

func::FuncOp EntryPointBuilder::emitPacked(const ManifestEntry &entry,
                                           func::FuncOp kernel) {
  bool isParallel = entry.workers > 1;
  func::FuncOp body = isParallel ? emitWorkerBody(entry, kernel) : nullptr;
  SmallVector<Type> types(manifest.threads > 1 ? 6 : 5, ptr);
  func::FuncOp func =
      beginFunction(getPackedSymbol(manifest, entry), i32, types);
  PackedArguments arguments{func.getArgument(0), func.getArgument(1),
                            func.getArgument(2), func.getArgument(3),
                            func.getArgument(4), Value()};
  if (isParallel)
    arguments.team = func.getArgument(5);
  Value state = arguments.state;
  // The context of the workers, or the denormal modes of the only one.
  Value slots = isParallel ? makeContext() : stackSlots(i32, 2);
  Value roots = entry.initializedValues.empty()
                    ? Value()
                    : stackSlots(i8, manifest.variables.size());
  Sizes sizes = makeSizes(entry);
  emitReturn(emitOnState(state, [&] {
    Value status = emitFirst(checkAlignment(state));
    // Without variables there is nothing to initialise.
    if (!manifest.variables.empty())
      status = emitThen(status, [&] { return emitFirst(checkHash(state)); });
    status = emitThen(status, [&] {
      Failures failures;
      checkPointers(entry, state, arguments.feeds, arguments.dimSizes,
                    arguments.results, sizes, failures);
      return emitFirst(failures);
    });
    if (!entry.reads.empty())
      status =
          emitThen(status, [&] { return emitInitializedCheck(entry, state); });
    if (isParallel)
      status = emitThen(
          status, [&] { return emitTeamCheck(entry, state, arguments.team); });
    if (roots)
      status = emitThen(status, [&] {
        return emitMissingValues(entry, state, arguments.workspace, roots);
      });
    status = emitThen(status, [&] {
      if (isParallel)
        return emitTeamCall(entry, body, arguments, slots);
      return emitKernelCall(entry, kernel, arguments,
                            loadFeeds(entry, arguments.feeds), Worker(), slots);
    });
    if (entry.writes.empty())
      return status;
    return emitThen(status, [&] {
      emitWritten(entry, state);
      return constant(i32, 0);
    });
  }));
  return func;
}

} // namespace flywheel
