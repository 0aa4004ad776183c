//===- MaterializeInitializers.cpp - The function that initialises --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildElements.h"
#include "flywheel/Dialect/Train/InitialOrder.h"
#include "flywheel/Dialect/Train/RandomStream.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Dialect/Train/VariableStart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_MATERIALIZEINITIALIZERS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel::train;

namespace {
/// Builds the function `init` of one module.
class InitializerBuilder {
public:
  explicit InitializerBuilder(ModuleOp module)
      : module(module), symbols(module),
        variables(module.getOps<VariableOp>().begin(),
                  module.getOps<VariableOp>().end()),
        b(OpBuilder::atBlockEnd(module.getBody())) {}

  void build();

private:
  /// Keeps on `variable` which variables its initial value is computed from.
  void recordOperands(VariableOp variable);
  /// Returns the variables, each after those that its initial value needs.
  SmallVector<int64_t> sortByNeed();
  /// Takes from `order` the variables that loops initialize, by loop.
  SmallVector<SmallVector<int64_t>> takeAlike(SmallVector<int64_t> &order);
  Value moveRegion(VariableOp variable);
  Value buildDraws(Location loc, VariableOp variable,
                   InitializerAttrInterface initializer, Value position,
                   Value opSeed);
  void initialize(int64_t index);
  void initializeAlike(ArrayRef<int64_t> indices);

  ModuleOp module;
  SymbolTable symbols;
  SmallVector<VariableOp> variables;
  OpBuilder b;
  Value seed, runs, select;
};
} // namespace

void InitializerBuilder::recordOperands(VariableOp variable) {
  llvm::SmallSetVector<Attribute, 4> reads, values;
  variable.getInitializer().walk([&](Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op))
      reads.insert(read.getVariableAttr());
    else if (auto value = dyn_cast<InitializedValueOp>(op))
      values.insert(value.getVariableAttr());
  });
  if (!reads.empty())
    variable->setAttr(TrainDialect::getInitialReadsAttrName(),
                      b.getArrayAttr(reads.getArrayRef()));
  if (!values.empty())
    variable->setAttr(TrainDialect::getInitialValuesAttrName(),
                      b.getArrayAttr(values.getArrayRef()));
}

SmallVector<int64_t> InitializerBuilder::sortByNeed() {
  llvm::DenseMap<Operation *, int64_t> numbers;
  for (auto [number, variable] : llvm::enumerate(variables))
    numbers[variable] = number;
  SmallVector<SmallVector<int64_t>> operands(variables.size());
  for (auto [number, variable] : llvm::enumerate(variables))
    for (StringRef kind : {TrainDialect::getInitialReadsAttrName(),
                           TrainDialect::getInitialValuesAttrName()})
      if (auto needed = variable->getAttrOfType<ArrayAttr>(kind))
        for (auto symbol : needed.getAsRange<FlatSymbolRefAttr>())
          operands[number].push_back(
              numbers.lookup(symbols.lookup(symbol.getValue())));
  return orderInitialValues(operands);
}

/// Returns the seed of the stream of a variable.
static int64_t getOpSeed(VariableOp variable,
                         InitializerAttrInterface initializer) {
  return initializer.getStreamSeed().value_or(
      getDefaultStreamSeed(variable.getSymName()));
}

/// Returns true if the initializer gives `variable` a value.
static bool hasValue(VariableOp variable) {
  auto start = variable->getAttrOfType<StringAttr>(flywheel::kStartAttrName);
  return !start ||
         start.getValue() != getName(flywheel::VariableStart::Restored);
}

/// From this many on, variables that begin alike share a loop. Below, each has
/// its own code, which is as fast and needs no tables.
constexpr size_t kMinAlike = 8;

/// Returns true if one loop may initialize `variable` together with others: an
/// initializer draws its elements, and memory stores them unconverted.
static bool canBeAlike(VariableOp variable) {
  RankedTensorType type = variable.getTensorType();
  return isa_and_present<InitializerAttrInterface>(
             variable.getInitialValueOrDefault()) &&
         !type.getElementType().isInteger(1) && type.getRank() > 0 &&
         type.getNumElements() > 0 && getStorageType(type) == type;
}

SmallVector<SmallVector<int64_t>>
InitializerBuilder::takeAlike(SmallVector<int64_t> &order) {
  // A variable that another initial value reads must be a value of the program.
  llvm::DenseSet<StringAttr> read;
  for (VariableOp variable : variables)
    for (StringRef kind : {TrainDialect::getInitialReadsAttrName(),
                           TrainDialect::getInitialValuesAttrName()})
      if (auto needed = variable->getAttrOfType<ArrayAttr>(kind))
        for (auto symbol : needed.getAsRange<FlatSymbolRefAttr>())
          read.insert(symbol.getAttr());
  llvm::MapVector<std::pair<Type, Attribute>, SmallVector<int64_t>> kinds;
  for (int64_t index : order) {
    VariableOp variable = variables[index];
    if (hasValue(variable) && canBeAlike(variable) &&
        !read.contains(variable.getSymNameAttr()))
      kinds[{variable.getTensorType(), variable.getInitialValueOrDefault()}]
          .push_back(index);
  }
  SmallVector<SmallVector<int64_t>> result;
  llvm::DenseSet<int64_t> taken;
  for (auto &[kind, indices] : kinds) {
    if (indices.size() < kMinAlike)
      continue;
    taken.insert(indices.begin(), indices.end());
    result.push_back(std::move(indices));
  }
  llvm::erase_if(order, [&](int64_t index) { return taken.contains(index); });
  return result;
}

/// Moves the region's ops to the insertion point; returns the value that it
/// yields.
Value InitializerBuilder::moveRegion(VariableOp variable) {
  Block &body = variable.getInitializer().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  Value value = yield.getValue();
  yield.erase();
  b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(),
                                                body.getOperations());
  body.erase();
  return value;
}

/// Emits the elements that `initializer` draws for the variable at `position`
/// of the run counters.
Value InitializerBuilder::buildDraws(Location loc, VariableOp variable,
                                     InitializerAttrInterface initializer,
                                     Value position, Value opSeed) {
  Value run = tensor::ExtractOp::create(b, loc, runs, position);
  run.getDefiningOp()->setAttr(TrainDialect::getInRangeAttrName(),
                               b.getUnitAttr());
  Value key = StreamKeyOp::create(b, loc, seed, run, opSeed);
  return buildElements(b, loc, initializer, variable.getTensorType(), key);
}

/// Emits a loop over the variables at `indices`, which have one type and one
/// initializer. Tables have their offsets and streams.
void InitializerBuilder::initializeAlike(ArrayRef<int64_t> indices) {
  VariableOp first = variables[indices.front()];
  Location loc = first.getLoc();
  auto initializer =
      cast<InitializerAttrInterface>(first.getInitialValueOrDefault());
  int64_t count = indices.size();
  SmallVector<int64_t> opSeeds;
  SmallVector<Attribute> symbols;
  for (int64_t index : indices) {
    opSeeds.push_back(getOpSeed(variables[index], initializer));
    symbols.push_back(
        FlatSymbolRefAttr::get(variables[index].getSymNameAttr()));
  }
  auto makeTable = [&](ArrayRef<int64_t> values) -> Value {
    auto type = RankedTensorType::get({count}, b.getI64Type());
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, values));
  };
  auto lookUp = [&](Value table, Value at) -> Value {
    auto element = tensor::ExtractOp::create(b, loc, table, at);
    element->setAttr(TrainDialect::getInRangeAttrName(), b.getUnitAttr());
    return element;
  };
  Value positions = makeTable(indices), seeds = makeTable(opSeeds);
  auto getIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop =
      scf::ForOp::create(b, loc, getIndex(0), getIndex(count), getIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Value position = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                              lookUp(positions, number));
  auto branch = scf::IfOp::create(b, loc, lookUp(select, position),
                                  /*withElseRegion=*/false);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  Value value =
      buildDraws(loc, first, initializer, position, lookUp(seeds, number));
  AssignNthOp::create(b, loc, b.getArrayAttr(symbols), number, value);
}

void InitializerBuilder::initialize(int64_t index) {
  VariableOp variable = variables[index];
  Location loc = variable.getLoc();
  Value position = arith::ConstantIndexOp::create(b, loc, index);
  Value isSelected = tensor::ExtractOp::create(b, loc, select, position);
  auto branch = scf::IfOp::create(b, loc, isSelected, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  Value value;
  Attribute given = variable.getInitialValueOrDefault();
  if (!given) {
    value = moveRegion(variable);
  } else if (isa<StringType>(variable.getTensorType().getElementType())) {
    RankedTensorType type = variable.getTensorType();
    auto strings = dyn_cast<StringsAttr>(given);
    // The other initial value there is: zeros.
    SmallVector<StringRef> empty(type.getNumElements() > 0 ? 1 : 0);
    value = StringConstantOp::create(
        b, loc, type, strings ? strings.getValues() : b.getStrArrayAttr(empty));
  } else if (auto dense = dyn_cast<DenseElementsAttr>(given)) {
    Type storage = getStorageType(variable.getTensorType()).getElementType();
    value = arith::ConstantOp::create(b, loc, dense.bitcast(storage));
  } else {
    auto initializer = cast<InitializerAttrInterface>(given);
    Value opSeed = arith::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(getOpSeed(variable, initializer)));
    value = buildDraws(loc, variable, initializer, position, opSeed);
  }
  RankedTensorType type = variable.getTensorType();
  if (value.getType() != type)
    value = tensor::BitcastOp::create(b, loc, type, value);
  AssignOp::create(b, loc, type,
                   FlatSymbolRefAttr::get(variable.getSymNameAttr()), value);
}

void InitializerBuilder::build() {
  Location loc = module.getLoc();
  int64_t count = variables.size();
  Type types[] = {RankedTensorType::get({}, b.getI64Type()),
                  RankedTensorType::get({count}, b.getI64Type()),
                  RankedTensorType::get({count}, b.getI1Type())};
  auto init =
      func::FuncOp::create(b, loc, "init", b.getFunctionType(types, {}));
  init->setAttr(TrainDialect::getInitializerAttrName(), b.getUnitAttr());
  constexpr StringRef kNames[] = {"seed", "runs", "select"};
  for (auto [number, name] : llvm::enumerate(kNames))
    init.setArgAttr(number, TrainDialect::getNameAttrName(),
                    b.getStringAttr(name));
  Block *body = init.addEntryBlock();
  b.setInsertionPointToStart(body);
  seed = tensor::ExtractOp::create(b, loc, body->getArgument(0));
  runs = body->getArgument(1);
  select = body->getArgument(2);
  for (VariableOp variable : variables)
    recordOperands(variable);
  SmallVector<int64_t> order = sortByNeed();
  for (ArrayRef<int64_t> indices : takeAlike(order))
    initializeAlike(indices);
  for (int64_t index : order)
    if (hasValue(variables[index]))
      initialize(index);
  func::ReturnOp::create(b, loc);
}

/// Checks that a user has not set the attributes that passes attach, because
/// later passes trust them.
static LogicalResult verifyUnmarked(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(TrainDialect::getInitializerAttrName()))
      return function.emitOpError()
             << "expected no attribute '"
             << TrainDialect::getInitializerAttrName()
             << "': the module's initializer alone has it";
  for (auto variable : module.getOps<VariableOp>()) {
    for (StringRef name : {TrainDialect::getInitialReadsAttrName(),
                           TrainDialect::getInitialValuesAttrName()})
      if (variable->hasAttr(name))
        return variable.emitOpError()
               << "expected no attribute '" << name
               << "': it is made from the variable's region";
    if (variable.getElementType())
      return variable.emitOpError() << "expected no 'element_type': it says "
                                       "what became of another type";
  }
  return success();
}

namespace {
struct MaterializeInitializers
    : flywheel::train::impl::MaterializeInitializersBase<
          MaterializeInitializers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyUnmarked(module)))
      return signalPassFailure();
    Operation *other = module.lookupSymbol("init");
    if (module.getOps<VariableOp>().empty() && !other)
      return;
    if (other) {
      other->emitError() << "expected no symbol named 'init': the module's "
                            "initializer takes this name";
      return signalPassFailure();
    }
    InitializerBuilder(module).build();
  }
};
} // namespace
