//===- Rematerialize.cpp - Recompute values instead of keeping them -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecomputationSearch.h"
#include "RematModelReader.h"
#include "ReuseOperandBuffers.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_REMATERIALIZE
#include "flywheel/Transforms/Memory/MemoryPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Values that an error names.
constexpr unsigned kMaxNotes = 5;

namespace {
/// Rewrites a function to a program that was derived from its own.
class StepWriter {
public:
  StepWriter(RematModelReader &step, const RematModel &program)
      : step(step), program(program),
        builder(step.function.getBody().front().getTerminator()) {}

  void run();

private:
  Value getBuffer(unsigned storage);
  Value getView(Value value, unsigned storage);
  /// Maps each operand of `op` from outside whose storage has changed to its
  /// replacement.
  IRMapping mapOperands(Operation *op,
                        const llvm::DenseMap<unsigned, unsigned> &storages);

  RematModelReader &step;
  const RematModel &program;
  OpBuilder builder;
  llvm::DenseMap<unsigned, Value> buffers;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> views;
  /// The new operands of original ops. They are set last, because copies are
  /// cloned from the original ops.
  SmallVector<std::pair<OpOperand *, Value>> replacements;
};
} // namespace

Value StepWriter::getBuffer(unsigned storage) {
  Value original = step.storages[program.storages[storage].original];
  if (storage < step.storages.size())
    return original;
  Value &buffer = buffers[storage];
  if (!buffer)
    buffer = builder.clone(*original.getDefiningOp())->getResult(0);
  return buffer;
}

/// Returns `value`, a top-level view of the original of `storage`, as a view of
/// `storage`.
Value StepWriter::getView(Value value, unsigned storage) {
  auto op = value.getDefiningOp<ViewLikeOpInterface>();
  if (!op)
    return getBuffer(storage);
  if (Value view = views.lookup({value, storage}))
    return view;
  IRMapping mapping;
  mapping.map(op.getViewSource(), getView(op.getViewSource(), storage));
  Value view = builder.clone(*op, mapping)->getResult(0);
  views[{value, storage}] = view;
  return view;
}

IRMapping
StepWriter::mapOperands(Operation *op,
                        const llvm::DenseMap<unsigned, unsigned> &storages) {
  IRMapping mapping;
  Block &entry = step.function.getBody().front();
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands()) {
      if (operand.getParentBlock() != &entry || mapping.contains(operand))
        continue;
      for (unsigned storage : step.getStorages(operand)) {
        auto it = storages.find(storage);
        if (it != storages.end() && it->second != storage)
          mapping.map(operand, getView(operand, it->second));
      }
    }
  });
  return mapping;
}

void StepWriter::run() {
  llvm::BitVector isPlaced(step.ops.size());
  builder.setInsertionPointToStart(&step.function.getBody().front());
  for (const StepOp &stepOp : program.ops) {
    Operation *op = step.ops[stepOp.original];
    const StepOp &original = step.program.ops[stepOp.original];
    bool isCopy = isPlaced.test(stepOp.original);
    isPlaced.set(stepOp.original);
    llvm::DenseMap<unsigned, unsigned> storages;
    for (auto [from, to] : llvm::zip_equal(
             llvm::concat<const unsigned>(original.reads, original.writes),
             llvm::concat<const unsigned>(stepOp.reads, stepOp.writes)))
      storages[from] = to;
    if (!isCopy)
      builder.setInsertionPoint(op);
    IRMapping mapping = mapOperands(op, storages);
    if (isCopy) {
      builder.clone(*op, mapping);
      continue;
    }
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (Value value = mapping.lookupOrNull(operand.get()))
          replacements.push_back({&operand, value});
    });
    builder.setInsertionPointAfter(op);
  }
  for (auto [operand, value] : replacements)
    operand->set(value);
}

static std::string describeCount(unsigned values) {
  return std::to_string(values) + (values == 1 ? " value" : " values");
}

/// Adds notes on the buffers that are live at the peak.
static void explainPeak(const RematModelReader &step, const RematModel &program,
                        Diagnostic &diagnostic) {
  StepAnalysis analysis(program);
  SmallVector<unsigned> live;
  for (unsigned i = 0, e = program.storages.size(); i < e; ++i)
    if (analysis.first[i] != StepAnalysis::kNone &&
        program.storages[i].bytes > 0 && analysis.first[i] <= analysis.peak &&
        analysis.last[i] >= analysis.peak)
      live.push_back(i);
  llvm::sort(live, [&](unsigned a, unsigned b) {
    return std::make_pair(-program.storages[a].bytes, a) <
           std::make_pair(-program.storages[b].bytes, b);
  });
  diagnostic.attachNote(step.ops[program.ops[analysis.peak].original]->getLoc())
      << "most is needed here: " << describeCount(live.size());
  if (live.size() > kMaxNotes)
    live.resize(kMaxNotes);
  for (unsigned storage : live) {
    unsigned writer = analysis.first[storage];
    diagnostic.attachNote(step.ops[program.ops[writer].original]->getLoc())
        << "a value of " << program.storages[storage].bytes
        << " bytes is computed here";
  }
}

namespace {
struct Rematerialize : flywheel::impl::RematerializeBase<Rematerialize> {
  using RematerializeBase::RematerializeBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || memoryBudget < 0)
      return;
    if (failed(verifyOneBlock(function)))
      return signalPassFailure();
    if (reuseOperands) {
      SmallVector<ReusedBuffer> reused =
          reuseOperandBuffers(function, kMinReusedBytes);
      FailureOr<bool> fits = fit(/*isLast=*/false);
      if (succeeded(fits) && *fits)
        return keepReuse(reused);
      undoReuse(reused);
      if (failed(fits))
        return signalPassFailure();
    }
    FailureOr<bool> fits = fit(/*isLast=*/true);
    if (failed(fits) || !*fits)
      signalPassFailure();
  }

private:
  /// Returns true if the current buffers fit into the budget. With `isLast`,
  /// emits an error if they do not. Fails with an error if a size is unknown.
  FailureOr<bool> fit(bool isLast) {
    RematModelReader step(getOperation(),
                          parseDimSizeBounds(dimSize, dimSizes));
    if (failed(step.read()))
      return failure();
    int64_t unlimited = planWorkspaceBytes(step.program);
    if (unlimited <= memoryBudget)
      return true;
    RematModel program = fitIntoBudget(step.program, memoryBudget);
    int64_t bytes = planWorkspaceBytes(program);
    if (bytes > memoryBudget) {
      if (isLast) {
        InFlightDiagnostic error = emitOverBudget(
            step.sizes, "at least " + Twine(bytes), memoryBudget);
        explainPeak(step, program, *error.getUnderlyingDiagnostic());
      }
      return false;
    }
    report(step, program, unlimited, bytes);
    StepWriter(step, program).run();
    return true;
  }

  void report(RematModelReader &step, const RematModel &program,
              int64_t unlimited, int64_t bytes) {
    unsigned recomputed = program.storages.size() - step.storages.size();
    numRecomputed += recomputed;
    int64_t flops = std::max<int64_t>(1, countFlops(step.program));
    int64_t more = countFlops(program) - flops;
    emitRemark(getOperation().getLoc())
        << "'" << getOperation().getSymName() << "' recomputes "
        << describeCount(recomputed) << ", for about "
        << llvm::divideCeil(more * 100, flops)
        << " % more arithmetic: its workspace is " << bytes
        << " bytes instead of " << unlimited << step.sizes.describeDimSizes();
  }
};
} // namespace
