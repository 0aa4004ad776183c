//===- ProfileStep.cpp - Measure each kernel of a step --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Profile/ProfilePasses.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using flywheel::codegen::CodegenDialect;

namespace flywheel {
#define GEN_PASS_DEF_PROFILESTEP
#include "flywheel/Profile/ProfilePasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// The assumed size of dynamic dimensions when the work of ops of a kernel is
/// compared.
constexpr int64_t kComparedDimSize = 1024;

namespace {
/// Ops of one block that are measured as one: from `first` to `last`.
struct Unit {
  Operation *first = nullptr, *last = nullptr;
  /// Numbers of the ops that are computed, in order.
  llvm::SetVector<int64_t> works;
  /// Buffers that a fill at the end starts.
  SmallVector<Value> filled;
};

/// The records that flywheel-count-work attaches to one function.
class WorkRecords {
public:
  explicit WorkRecords(func::FuncOp function) {
    auto table = function->getAttrOfType<ArrayAttr>(
        CodegenDialect::getWorkTableAttrName());
    if (!table || table.size() != 2)
      return;
    ops = dyn_cast<ArrayAttr>(table[0]);
    tensors = dyn_cast<ArrayAttr>(table[1]);
  }

  /// Returns the record of an op; null if it has none.
  DictionaryAttr getOp(int64_t number) const { return get(ops, number); }
  DictionaryAttr getTensor(int64_t number) const {
    return get(tensors, number);
  }

private:
  static DictionaryAttr get(ArrayAttr list, int64_t number) {
    return list && number >= 0 && number < static_cast<int64_t>(list.size())
               ? dyn_cast<DictionaryAttr>(list[number])
               : DictionaryAttr();
  }

  ArrayAttr ops, tensors;
};
} // namespace

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

static bool isMeasured(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumLoops() > 0;
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return cast<ShapedType>(copy.getSource().getType()).getRank() > 0;
  return isa<linalg_ext::LinalgExtDialect>(op->getDialect()) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>);
}

static bool containsWork(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isMeasured(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

static llvm::SetVector<int64_t> findWorks(Operation *op) {
  llvm::SetVector<int64_t> works;
  op->walk([&](Operation *inner) {
    if (auto number = inner->getAttrOfType<IntegerAttr>(
            CodegenDialect::getWorkAttrName()))
      works.insert(number.getInt());
  });
  return works;
}

/// Returns true if `op` continues `unit`: it computes the last tiles of its
/// loop, or reads the buffer that it fills.
static bool continues(const Unit &unit, Operation *op,
                      const llvm::SetVector<int64_t> &works) {
  if (!unit.filled.empty())
    return llvm::any_of(unit.filled, [&](Value buffer) {
      return op
          ->walk([&](Operation *inner) {
            return llvm::is_contained(inner->getOperands(), buffer)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
    });
  return !works.empty() && llvm::all_of(works, [&](int64_t number) {
    return unit.works.contains(number);
  });
}

/// Finds the units of `region` in the order of the program. Branches and loops
/// of the program are looked into.
static void collectUnits(Region &region, SmallVectorImpl<Unit> &units) {
  for (Block &block : region) {
    // The unit that the next op may continue; -1 for none.
    int64_t open = -1;
    for (Operation &op : block) {
      bool isKernel =
          isMeasured(&op) || (isa<scf::ForOp, scf::ParallelOp>(op) &&
                              !isMarkedLoop(op.getLoc()) && containsWork(&op));
      if (!isKernel) {
        if (op.getNumRegions() > 0 || !isMemoryEffectFree(&op))
          open = -1;
        for (Region &nested : op.getRegions())
          collectUnits(nested, units);
        continue;
      }
      llvm::SetVector<int64_t> works = findWorks(&op);
      if (open < 0 || !continues(units[open], &op, works)) {
        open = units.size();
        units.emplace_back().first = &op;
      }
      Unit &unit = units[open];
      unit.last = &op;
      unit.works.insert(works.begin(), works.end());
      unit.filled.clear();
      if (isa<linalg::FillOp>(op))
        llvm::append_range(unit.filled, cast<linalg::FillOp>(op).getOutputs());
    }
  }
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

static AffineMap getMap(DictionaryAttr record, StringRef key) {
  auto map = record.getAs<AffineMapAttr>(key);
  return map ? map.getValue() : AffineMap();
}

/// Returns the sum of two numbers; null if one of them is.
static AffineMap add(AffineMap a, AffineMap b) {
  if (!a || !b)
    return {};
  return AffineMap::get(0, std::max(a.getNumSymbols(), b.getNumSymbols()),
                        a.getResult(0) + b.getResult(0));
}

/// Returns the weight of an op, for comparison: contractions first, then FLOPs.
static std::pair<bool, int64_t> getWeight(DictionaryAttr record) {
  AffineMap flops = getMap(record, "flops");
  SmallVector<int64_t> dimSizes(flops ? flops.getNumSymbols() : 0,
                                kComparedDimSize);
  auto contraction = record.getAs<BoolAttr>("contraction");
  return {contraction && contraction.getValue(),
          flops ? evaluateSize(flops.getResult(0), dimSizes).getSaturated()
                : 0};
}

static ArrayRef<int64_t> getNumbers(DictionaryAttr record, StringRef key) {
  auto numbers = record.getAs<DenseI64ArrayAttr>(key);
  return numbers ? numbers.asArrayRef() : ArrayRef<int64_t>();
}

/// Returns the bytes that a group of ops reads and writes: values that only ops
/// of the group read stay in the cache.
static AffineMap countBytes(const Unit &unit, const WorkRecords &records) {
  if (unit.works.size() == 1)
    return getMap(records.getOp(unit.works.front()), "bytes");
  llvm::SetVector<int64_t> read, written;
  for (int64_t number : unit.works) {
    ArrayRef<int64_t> reads = getNumbers(records.getOp(number), "reads"),
                      writes = getNumbers(records.getOp(number), "writes");
    read.insert(reads.begin(), reads.end());
    written.insert(writes.begin(), writes.end());
  }
  SmallVector<int64_t> moved;
  for (int64_t tensor : read)
    if (!written.contains(tensor))
      moved.push_back(tensor);
  for (int64_t tensor : written)
    if (DictionaryAttr record = records.getTensor(tensor);
        record && llvm::any_of(getNumbers(record, "users"), [&](int64_t user) {
          return !unit.works.contains(user);
        }))
      moved.push_back(tensor);
  MLIRContext *context = unit.first->getContext();
  AffineMap bytes = AffineMap::get(0, 0, getAffineConstantExpr(0, context));
  for (int64_t tensor : moved)
    if (DictionaryAttr record = records.getTensor(tensor))
      bytes = add(bytes, getMap(record, "bytes"));
  return bytes;
}

namespace {
/// Sizes of buffers by the symbolic dimension sizes of one entry.
class BufferSizes {
public:
  BufferSizes(const ManifestEntry &entry, func::FuncOp function)
      : entry(entry), body(&function.getBody().front()),
        context(function.getContext()) {}

  /// Returns the number of elements of `buffer`; null if it is unknown.
  AffineExpr countElements(Value buffer) const;
  AffineMap getMap(AffineExpr expr) const {
    return expr ? AffineMap::get(0, entry.symbols.size(), expr) : AffineMap();
  }

private:
  AffineExpr getDimSize(Value buffer, int64_t dim) const;
  AffineExpr getSize(OpFoldResult size) const;

  const ManifestEntry &entry;
  Block *body;
  MLIRContext *context;
};
} // namespace

AffineExpr BufferSizes::getSize(OpFoldResult size) const {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return getAffineConstantExpr(*known, context);
  auto value = dyn_cast<Value>(size);
  if (!value)
    return {};
  if (auto dim = value.getDefiningOp<memref::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return getDimSize(dim.getSource(), *index);
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return {};
  SmallVector<AffineExpr> operands;
  for (Value operand : apply.getMapOperands()) {
    operands.push_back(getSize(operand));
    if (!operands.back())
      return {};
  }
  AffineMap map = apply.getAffineMap();
  ArrayRef<AffineExpr> all(operands);
  return map.getResult(0).replaceDimsAndSymbols(
      all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
}

AffineExpr BufferSizes::getDimSize(Value buffer, int64_t dim) const {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), context);
  unsigned position = type.getDynamicDimIndex(dim);
  Operation *op = buffer.getDefiningOp();
  if (auto subview = dyn_cast_or_null<memref::SubViewOp>(op)) {
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [number, size] : llvm::enumerate(subview.getMixedSizes()))
      if (!dropped.test(number))
        sizes.push_back(size);
    return getSize(sizes[dim]);
  }
  if (auto view = dyn_cast_or_null<memref::ViewOp>(op))
    return getSize(view.getSizes()[position]);
  if (auto alloca = dyn_cast_or_null<memref::AllocaOp>(op))
    return getSize(alloca.getDynamicSizes()[position]);
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(op))
    return getSize(expand.getMixedOutputShape()[dim]);
  if (auto cast = dyn_cast_or_null<memref::CastOp>(op))
    return getDimSize(cast.getSource(), dim);
  if (auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(op)) {
    AffineExpr product = getAffineConstantExpr(1, context);
    // A copy: the vector is a temporary.
    ReassociationIndices parts = collapse.getReassociationIndices()[dim];
    for (int64_t part : parts) {
      AffineExpr size = getDimSize(collapse.getSrc(), part);
      if (!size)
        return {};
      product = product * size;
    }
    return product;
  }
  // Feeds, then results, are behind the state and the workspace.
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != body || argument.getArgNumber() < 2)
    return {};
  size_t number = argument.getArgNumber() - 2;
  if (number >= entry.feeds.size())
    return {};
  ArrayRef<int64_t> symbols = entry.feeds[number].symbols;
  int64_t symbol = dim < int64_t(symbols.size()) ? symbols[dim] : -1;
  return symbol < 0 ? AffineExpr() : getAffineSymbolExpr(symbol, context);
}

AffineExpr BufferSizes::countElements(Value buffer) const {
  AffineExpr count = getAffineConstantExpr(1, context);
  for (int64_t dim = 0; dim < cast<MemRefType>(buffer.getType()).getRank();
       ++dim) {
    AffineExpr size = getDimSize(buffer, dim);
    if (!size)
      return {};
    count = count * size;
  }
  return count;
}

/// Describes an op that computes no numbers: a copy, which reads and writes
/// each byte, or a check of indices, which reads them. It belongs to the phase
/// of the op before it, which usually computes the values that are copied.
static void describeMove(Operation *op, const BufferSizes &sizes,
                         StringRef phaseBefore, ManifestKernel &kernel) {
  if (!phaseBefore.empty() && kernel.phase == "forward")
    kernel.phase = phaseBefore.str();
  bool isCopy = isa<memref::CopyOp, linalg::CopyOp>(op);
  if (!isCopy && !isa<linalg_ext::LinalgExtDialect>(op->getDialect()))
    return;
  MLIRContext *context = op->getContext();
  kernel.flops = sizes.getMap(getAffineConstantExpr(0, context));
  AffineExpr elements, bytes = getAffineConstantExpr(0, context);
  for (Value operand : op->getOperands()) {
    Type element = getElementTypeOrSelf(operand.getType());
    if (!isa<MemRefType>(operand.getType()))
      continue;
    AffineExpr count = sizes.countElements(operand);
    // Source and target of a copy have one size, which one of them may tell.
    if (!count && isCopy)
      count = sizes.countElements(
          op->getOperand(operand == op->getOperand(0) ? 1 : 0));
    if (!count || !element.isIntOrFloat())
      return;
    elements = count;
    bytes = bytes + count * static_cast<int64_t>(llvm::divideCeil(
                                element.getIntOrFloatBitWidth(), 8));
  }
  kernel.bytes = sizes.getMap(bytes);
  if (isCopy)
    kernel.iterations = sizes.getMap(elements);
}

/// Describes a kernel without a structured op: a copy, or an op of `linalg_ext`
/// without tensors.
static ManifestKernel describeOther(const Unit &unit, const BufferSizes &sizes,
                                    StringRef phaseBefore) {
  ManifestKernel kernel;
  Location loc = unit.first->getLoc();
  bool isCopy = isa<memref::CopyOp, linalg::CopyOp>(unit.first);
  kernel.name = nameKernel(isCopy ? "copy" : getSourceOpName(unit.first), loc);
  kernel.phase = isMarkedBackward(loc) ? "backward" : "forward";
  kernel.sources.push_back(formatSourceOp(unit.first));
  describeMove(unit.first, sizes, phaseBefore, kernel);
  return kernel;
}

static ManifestKernel describe(const Unit &unit, const WorkRecords &records,
                               const BufferSizes &sizes,
                               StringRef phaseBefore) {
  SmallVector<DictionaryAttr> ops;
  for (int64_t number : unit.works)
    if (DictionaryAttr record = records.getOp(number))
      ops.push_back(record);
  if (ops.empty() || ops.size() != unit.works.size())
    return describeOther(unit, sizes, phaseBefore);
  DictionaryAttr root = ops.front();
  for (DictionaryAttr op : ops)
    if (getWeight(op) > getWeight(root))
      root = op;
  auto getText = [](DictionaryAttr record, StringRef key) {
    auto text = record.getAs<StringAttr>(key);
    return text ? text.str() : std::string();
  };
  ManifestKernel kernel;
  kernel.name = getText(root, "what");
  kernel.phase = getText(root, "phase");
  kernel.iterations = getMap(root, "iterations");
  kernel.flops =
      AffineMap::get(0, 0, getAffineConstantExpr(0, unit.first->getContext()));
  auto addSources = [&](DictionaryAttr record) {
    auto sources = record.getAs<ArrayAttr>("sources");
    if (!sources)
      return;
    for (auto source : sources.getAsRange<StringAttr>())
      if (!llvm::is_contained(kernel.sources, source.getValue()))
        kernel.sources.push_back(source.str());
  };
  addSources(root);
  for (DictionaryAttr op : ops) {
    kernel.flops = add(kernel.flops, getMap(op, "flops"));
    addSources(op);
  }
  kernel.bytes = countBytes(unit, records);
  return kernel;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Puts `unit` between two reads of the counter.
static void measure(const Unit &unit, int64_t number, Value state) {
  OpBuilder b(unit.first);
  Location loc = unit.first->getLoc();
  Value start = codegen::ProfileBeginOp::create(b, loc, b.getI64Type());
  b.setInsertionPointAfter(unit.last);
  codegen::ProfileEndOp::create(b, loc, b.getI64IntegerAttr(number), start,
                                state);
}

namespace {
struct ProfileStep : flywheel::impl::ProfileStepBase<ProfileStep> {
  using ProfileStepBase::ProfileStepBase;

  void runOnOperation() override {
    FailureOr<KernelTable> table = KernelTable::begin(getOperation(), events);
    if (failed(table))
      return signalPassFailure();
    for (ManifestEntry &entry : table->manifest.entries)
      if (auto function =
              getOperation().lookupSymbol<func::FuncOp>(entry.name + ".kernel"))
        addEntry(entry, function, *table);
    if (failed(table->attachTo(getOperation())))
      return signalPassFailure();
  }

private:
  void addEntry(ManifestEntry &entry, func::FuncOp function,
                KernelTable &table) {
    if (auto count = function->getAttrOfType<IntegerAttr>(
            CodegenDialect::getWorkersAttrName()))
      table.profile.workers = std::max(table.profile.workers, count.getInt());
    SmallVector<Unit> units;
    if (entry.name != "init")
      collectUnits(function.getBody(), units);
    WorkRecords records(function);
    BufferSizes sizes(entry, function);
    for (const Unit &unit : units) {
      ManifestKernel kernel = describe(
          unit, records, sizes,
          entry.kernels.empty() ? "" : StringRef(entry.kernels.back().phase));
      measure(unit, table.add(entry, std::move(kernel)),
              function.getArgument(0));
      ++numKernels;
    }
    function->removeAttr(CodegenDialect::getWorkTableAttrName());
    function.walk([](Operation *op) {
      op->removeDiscardableAttr(CodegenDialect::getWorkAttrName());
    });
  }
};
} // namespace
