//===- CostAnalysis.cpp - Counts what a step costs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Cost/CostAnalysis.h"

#include "EntrySizes.h"
#include "LiveOps.h"
#include "PeakMemory.h"
#include "StepPhases.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace flywheel {

static std::string getPlace(Location loc) {
  return formatPlace(loc, /*op=*/nullptr);
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

/// Returns the number of operations of `block` that compute numbers, for
/// scalars.
static int64_t countScalarOps(Block &block) {
  int64_t flops = 0;
  block.walk([&](Operation *op) {
    if (OpTrait::hasElementwiseMappableTraits(op) && !isa<CastOpInterface>(op))
      ++flops;
  });
  return flops;
}

/// Returns the number of operations of the rule that an optimizer applies to
/// each element; the rule is emitted for that.
static int64_t countRule(train::OptimizerUpdateOpInterface update) {
  MLIRContext *context = update->getContext();
  Location loc = update->getLoc();
  Block block;
  auto addElement = [&](Value tensor) {
    return block.addArgument(getElementTypeOrSelf(tensor.getType()), loc);
  };
  SmallVector<Value> state, scalars;
  for (Value value : update.getState())
    state.push_back(addElement(value));
  Value gradient = addElement(update.getGradientOperand());
  for (Value value : update.getScalars())
    scalars.push_back(addElement(value));
  OpBuilder builder(context);
  builder.setInsertionPointToStart(&block);
  update.buildElementUpdate(builder, loc, state, gradient, scalars);
  return countScalarOps(block);
}

/// Returns the operations of a projection onto a constraint: those for each
/// element, or a square, a sum and a product for each element, and a root and
/// those for each norm.
static CostExpr countProjection(train::ProjectOp projection,
                                EntrySizes &sizes) {
  auto type = cast<RankedTensorType>(projection.getInput().getType());
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = Float32Type::get(type.getContext());
  Location loc = projection.getLoc();
  Block block;
  OpBuilder builder(type.getContext());
  builder.setInsertionPointToStart(&block);
  projection.getConstraint().buildProjection(builder, loc,
                                             block.addArgument(element, loc));
  CostExpr each = CostExpr::constant(countScalarOps(block));
  CostExpr elements = sizes.getNumElements(projection.getInput());
  std::optional<int64_t> axis = projection.getConstraint().getNormAxis();
  if (!axis)
    return elements * each;
  CostExpr norms = CostExpr::constant(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != *axis)
      norms = norms * sizes.getSize(projection.getInput(), dim);
  return elements * CostExpr::constant(3) +
         norms * (each + CostExpr::constant(1));
}

/// Returns true for a comparison of the backward pass whose users are all
/// selections: the two are one mask, which costs one operation for each
/// element.
static bool isPartOfMask(Operation *op, Phase phase) {
  return phase == Phase::Backward && isa<arith::CmpFOp, arith::CmpIOp>(op) &&
         !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<arith::SelectOp>(user);
         });
}

/// Returns the cost of one execution; nullopt if it is unknown.
static std::optional<CostSum> countOp(Operation *op, Phase phase,
                                      EntrySizes &sizes) {
  CostSum cost;
  if (auto update = dyn_cast<train::OptimizerUpdateOpInterface>(op)) {
    cost.flops = sizes.getNumElements(update.getState().front()) *
                 CostExpr::constant(countRule(update));
    cost.bytes = countAllBytes(op, sizes);
    return cost;
  }
  if (auto projection = dyn_cast<train::ProjectOp>(op)) {
    cost.flops = countProjection(projection, sizes);
    cost.bytes = countAllBytes(op, sizes);
    return cost;
  }
  auto known = dyn_cast<CostOpInterface>(op);
  if (!known)
    return std::nullopt;
  cost.bytes = known.countBytes(sizes);
  if (!isPartOfMask(op, phase))
    cost.flops = known.countFlops(sizes);
  // A reduction of n numbers takes n - 1 additions, which is negative without
  // numbers.
  if (cost.flops.getConstant().value_or(0) < 0 && !cost.flops.hasWrapped())
    cost.flops = CostExpr();
  return cost;
}

/// Returns true if an op does not compute numbers of the model: sizes, checks,
/// control flow.
static bool isSilent(Operation *op) {
  if (isa<CostOpInterface, train::OptimizerUpdateOpInterface>(op))
    return false;
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>() ||
      isa<scf::SCFDialect>(op->getDialect()))
    return true;
  auto isNumber = [](Type type) {
    return isa<TensorType, FloatType, VectorType>(type);
  };
  return llvm::none_of(op->getResultTypes(), isNumber) &&
         llvm::none_of(op->getOperandTypes(), isNumber);
}

//===----------------------------------------------------------------------===//
// One entry
//===----------------------------------------------------------------------===//

namespace {
/// Counts the ops of one entry, in one state of its function or in several, one
/// after the other.
class EntryCounter {
public:
  EntryCounter(func::FuncOp function, const CostOptions &options)
      : options(options), symbols(nameSizes(function)) {
    entry.name = function.getName().str();
  }

  const EntrySymbols &getSymbols() const { return symbols; }

  /// Adds the ops of the phases that `selects` holds for.
  LogicalResult count(func::FuncOp function,
                      llvm::function_ref<bool(Phase)> selects);
  void findPeak(func::FuncOp function);
  CostEntry take();

private:
  using LineKey = std::tuple<std::string, std::string, Phase>;
  /// In the order in which they are found.
  using Lines = llvm::MapVector<LineKey, CostLine, std::map<LineKey, unsigned>>;

  void countBlock(Block &block, const CostExpr &trips);
  void countLoop(Operation *op, const CostExpr &trips);
  void addLine(Lines &lines, Operation *op, Phase phase, const CostSum &cost);

  const CostOptions &options;
  EntrySymbols symbols;
  CostEntry entry;
  Lines lines, unknown;
  /// The state of the function that is being counted.
  EntrySizes *sizes = nullptr;
  const StepPhases *phases = nullptr;
  const LiveOps *live = nullptr;
  llvm::function_ref<bool(Phase)> selects = nullptr;
};
} // namespace

void EntryCounter::addLine(Lines &lines, Operation *op, Phase phase,
                           const CostSum &cost) {
  std::string place = getPlace(op->getLoc()), name = getSourceOpName(op).str();
  CostLine &line = lines[{place, name, phase}];
  if (line.count++ == 0) {
    line.place = place;
    line.op = name;
    line.phase = phase;
  }
  line.cost.add(cost);
}

/// Counts the ops in a loop or a branch: all branches, and each loop once.
void EntryCounter::countLoop(Operation *op, const CostExpr &trips) {
  bool isLoop = isa<LoopLikeOpInterface>(op);
  std::optional<CostExpr> own =
      isLoop ? sizes->getTrips(op) : CostExpr::constant(1);
  CostExpr before =
      entry.once[0].flops + entry.once[1].flops + entry.once[2].flops;
  // The derivative rule of an op is not executed.
  size_t numRegions = isa<train::CustomVjpOp>(op) ? 1 : op->getNumRegions();
  for (Region &region : op->getRegions().take_front(numRegions))
    for (Block &block : region)
      countBlock(block, own ? trips * *own : trips);
  CostExpr after =
      entry.once[0].flops + entry.once[1].flops + entry.once[2].flops;
  if (!isLoop || before == after)
    return;
  // A loop may be counted in both states of the function.
  std::string place = getPlace(op->getLoc()), name = getSourceOpName(op).str();
  if (llvm::none_of(entry.loops, [&](const CostLoop &known) {
        return !place.empty() && known.place == place && known.op == name &&
               known.trips == own;
      }))
    entry.loops.push_back({place, name, own});
}

/// Returns true if executing the op executes its regions. The cost of other ops
/// is not that of their regions.
static bool runsItsRegions(Operation *op) {
  return isa<LoopLikeOpInterface, RegionBranchOpInterface, train::CustomVjpOp>(
      op);
}

void EntryCounter::countBlock(Block &block, const CostExpr &trips) {
  for (Operation &op : block) {
    if (!live->contains(&op))
      continue;
    bool hasCost = isa<CostOpInterface, train::OptimizerUpdateOpInterface>(op);
    if (!hasCost && runsItsRegions(&op)) {
      countLoop(&op, trips);
      continue;
    }
    Phase phase = phases->get(&op);
    if (!selects(phase) || isSilent(&op))
      continue;
    std::optional<CostSum> cost = countOp(&op, phase, *sizes);
    if (!cost) {
      addLine(unknown, &op, phase, CostSum());
      continue;
    }
    if (cost->flops.isZero() && cost->bytes.isZero() &&
        !cost->flops.hasWrapped() && !cost->bytes.hasWrapped())
      continue;
    addLine(lines, &op, phase, *cost);
    entry.once[static_cast<size_t>(phase)].add(*cost);
    entry.total[static_cast<size_t>(phase)].add(
        {cost->flops * trips, cost->bytes * trips});
  }
}

LogicalResult EntryCounter::count(func::FuncOp function,
                                  llvm::function_ref<bool(Phase)> selected) {
  FailureOr<LiveOps> found =
      LiveOps::find(function, options.fetches, options.wholeGraph);
  if (failed(found))
    return failure();
  EntrySizes known(symbols, options.bindings);
  StepPhases step(function);
  sizes = &known;
  phases = &step;
  live = &*found;
  selects = selected;
  countBlock(function.getBody().front(), CostExpr::constant(1));
  return success();
}

void EntryCounter::findPeak(func::FuncOp function) {
  EntrySizes known(symbols, options.bindings);
  PeakMemory peak = findPeakMemory(function, known);
  entry.peakBytes = peak.bytes;
  for (auto &[value, bytes] : peak.largest) {
    std::string type;
    llvm::raw_string_ostream(type) << value.getType();
    Operation *op = value.getDefiningOp();
    entry.peak.push_back({getPlace(value.getLoc()),
                          op ? getSourceOpName(op).str() : "a loop", type,
                          bytes});
  }
}

CostEntry EntryCounter::take() {
  for (auto &[key, line] : lines)
    entry.lines.push_back(line);
  for (auto &[key, line] : unknown)
    entry.unknown.push_back(line);
  for (auto [name, origin] : llvm::zip(symbols.names, symbols.origins)) {
    entry.symbols.push_back(name);
    entry.origins.push_back(origin);
  }
  return entry;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<std::string>>
findEntries(ModuleOp module, const CostOptions &options) {
  SmallVector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (function.getBody().hasOneBlock())
      names.push_back(function.getName().str());
    else
      function.emitWarning() << "the cost of @" << function.getName()
                             << " is not counted: expected a function of one "
                                "block, found "
                             << function.getBody().getBlocks().size();
  }
  if (options.entries.empty())
    return names;
  for (const std::string &entry : options.entries)
    if (!llvm::is_contained(names, entry)) {
      InFlightDiagnostic error = module.emitError()
                                 << "expected the name of an entry, found '"
                                 << entry << "'; the entries are: ";
      llvm::interleaveComma(names, error);
      return error;
    }
  llvm::erase_if(names, [&](const std::string &name) {
    return !llvm::is_contained(options.entries, name);
  });
  return names;
}

/// Counts the cost of the initial values of variables, by variable.
static std::vector<CostLine> countInitializers(ModuleOp module) {
  std::vector<CostLine> lines;
  EntrySymbols symbols;
  llvm::StringMap<int64_t> bindings;
  EntrySizes sizes(symbols, bindings);
  for (auto variable : module.getOps<train::VariableOp>()) {
    CostLine line;
    line.place = getPlace(variable.getLoc());
    line.op = ("@" + variable.getSymName()).str();
    line.count = 1;
    auto type = variable.getTensorType();
    auto recipe = dyn_cast_or_null<train::InitializerAttrInterface>(
        variable.getInitialValueAttr());
    if (recipe && type.hasStaticShape())
      line.cost.flops = CostExpr::constant(type.getNumElements() *
                                           recipe.countElementFlops());
    variable.getInitializer().walk([&](Operation *op) {
      if (isSilent(op))
        return;
      if (std::optional<CostSum> cost = countOp(op, Phase::Forward, sizes))
        line.cost.add(*cost);
    });
    if (!line.cost.flops.isZero())
      lines.push_back(line);
  }
  return lines;
}

namespace {
/// Counts all entries of a module.
class ModuleCounter {
public:
  ModuleCounter(ModuleOp module, const CostOptions &options)
      : module(module), options(options) {}

  /// Finds the entries, and checks the options.
  LogicalResult prepare();
  LogicalResult count(llvm::function_ref<bool(Phase)> selects);
  CostReport finish();

private:
  LogicalResult checkBindings();

  ModuleOp module;
  const CostOptions &options;
  SmallVector<std::string> names;
  std::vector<EntryCounter> counters;
};
} // namespace

LogicalResult ModuleCounter::checkBindings() {
  if (!options.checksBindings)
    return success();
  SmallVector<std::string> known;
  for (const EntryCounter &counter : counters)
    for (const std::string &name : counter.getSymbols().names)
      if (!llvm::is_contained(known, name))
        known.push_back(name);
  for (const auto &binding : options.bindings) {
    if (llvm::is_contained(known, binding.getKey()))
      continue;
    InFlightDiagnostic error = module.emitError()
                               << "expected the name of a size, found '"
                               << binding.getKey() << "'; the sizes are: ";
    llvm::interleaveComma(known, error);
    if (known.empty())
      error << "none";
    return error;
  }
  return success();
}

LogicalResult ModuleCounter::prepare() {
  FailureOr<SmallVector<std::string>> found = findEntries(module, options);
  if (failed(found))
    return failure();
  names = std::move(*found);
  for (const std::string &name : names)
    counters.emplace_back(module.lookupSymbol<func::FuncOp>(name), options);
  return checkBindings();
}

LogicalResult ModuleCounter::count(llvm::function_ref<bool(Phase)> selects) {
  for (auto [name, counter] : llvm::zip(names, counters))
    if (failed(counter.count(module.lookupSymbol<func::FuncOp>(name), selects)))
      return failure();
  return success();
}

CostReport ModuleCounter::finish() {
  CostReport report;
  for (auto [name, counter] : llvm::zip(names, counters)) {
    counter.findPeak(module.lookupSymbol<func::FuncOp>(name));
    report.entries.push_back(counter.take());
  }
  report.isWholeGraph = options.wholeGraph;
  return report;
}

FailureOr<CostReport> countCost(ModuleOp module, const CostOptions &options) {
  ModuleCounter counter(module, options);
  if (failed(counter.prepare()) ||
      failed(counter.count([](Phase) { return true; })))
    return failure();
  CostReport report = counter.finish();
  if (options.wholeGraph)
    report.initializers = countInitializers(module);
  return report;
}

/// Decomposes composite ops that have no cost of their own.
static LogicalResult decompose(ModuleOp module) {
  // Ours take three steps; an op of another dialect may be made of itself.
  for (unsigned depth = 0; depth < 32; ++depth) {
    SmallVector<CompositeOpInterface> composites;
    module.walk([&](CompositeOpInterface op) {
      if (!isa<CostOpInterface>(*op))
        composites.push_back(op);
    });
    if (composites.empty())
      return success();
    for (CompositeOpInterface op : composites) {
      OpBuilder builder(op);
      FailureOr<SmallVector<Value>> parts = op.decompose(builder);
      if (failed(parts))
        return failure();
      op->replaceAllUsesWith(*parts);
      op->erase();
    }
  }
  return success();
}

FailureOr<CostReport>
countSourceCost(ModuleOp module, const CostOptions &options,
                llvm::function_ref<LogicalResult()> expand,
                llvm::function_ref<LogicalResult()> differentiate) {
  std::vector<CostLine> initializers;
  if (options.wholeGraph)
    initializers = countInitializers(module);
  if (failed(expand()) || failed(decompose(module)))
    return failure();
  ModuleCounter counter(module, options);
  if (failed(counter.prepare()) || failed(counter.count([](Phase phase) {
        return phase != Phase::Backward;
      })))
    return failure();
  if (failed(differentiate()) || failed(counter.count([](Phase phase) {
        return phase == Phase::Backward;
      })))
    return failure();
  CostReport report = counter.finish();
  report.initializers = std::move(initializers);
  return report;
}

llvm::Error addBinding(CostOptions &options, StringRef text) {
  auto [name, number] = text.split('=');
  int64_t value = 0;
  if (name.empty() || number.getAsInteger(10, value) || value < 0)
    return llvm::createStringError("expected a size as in batch=32, found '" +
                                   text + "'");
  if (!options.bindings.try_emplace(name, value).second)
    return llvm::createStringError("expected one number for the size '" + name +
                                   "', found a second one in '" + text + "'");
  return llvm::Error::success();
}

} // namespace flywheel
