//===- AlignWhileLists.cpp - One storage at a position of a while loop ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Codegen/StateVersions.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_ALIGNWHILELISTS
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

namespace {
/// The lists of a while loop in a new order.
class Lists {
public:
  explicit Lists(scf::WhileOp loop) : loop(loop) {}

  /// Chooses the positions. False where a value needs a buffer of a size that
  /// is not known in front of the loop.
  bool choose(const StateVersions &versions);
  bool isAligned() const;
  void rebuild(OpBuilder &b);

private:
  /// What a position was, if it is not new: the number of the value that is
  /// carried, and of the one that is passed on.
  struct Position {
    std::optional<unsigned> carried, passed;
  };

  std::optional<unsigned> findVersion(const StateVersions &versions,
                                      BlockArgument argument);
  std::optional<unsigned> findReplacement(BlockArgument argument);

  scf::WhileOp loop;
  llvm::SmallDenseSet<unsigned> taken;
  /// The tensors.
  SmallVector<Position> positions;
  /// What follows them.
  SmallVector<unsigned> carriedScalars, passedScalars;
};

struct AlignWhileLists : flywheel::impl::AlignWhileListsBase<AlignWhileLists> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    OpBuilder b(&getContext());
    function.walk([&](scf::WhileOp loop) {
      Lists lists(loop);
      if (lists.choose(StateVersions(function)) && !lists.isAligned())
        lists.rebuild(b);
    });
  }
};
} // namespace

/// The value that the loop passes on in the storage of `argument`, which it
/// carries: the version of a variable first.
std::optional<unsigned> Lists::findVersion(const StateVersions &versions,
                                           BlockArgument argument) {
  std::optional<unsigned> found;
  for (auto [number, value] :
       llvm::enumerate(loop.getConditionOp().getArgs())) {
    if (taken.contains(number) || value.getType() != argument.getType() ||
        !isInPlaceOf(value, argument))
      continue;
    if (versions.contains(loop.getResult(number)))
      return number;
    if (!found)
      found = number;
  }
  return found;
}

/// A value that the loop passes on and that may be put in the storage of
/// `argument`, which it does not pass on: the one at its position first.
std::optional<unsigned> Lists::findReplacement(BlockArgument argument) {
  OperandRange passed = loop.getConditionOp().getArgs();
  auto fits = [&](unsigned number) {
    return number < passed.size() && !taken.contains(number) &&
           passed[number].getType() == argument.getType();
  };
  if (fits(argument.getArgNumber()))
    return argument.getArgNumber();
  for (unsigned number = 0; number < passed.size(); ++number)
    if (fits(number))
      return number;
  return std::nullopt;
}

bool Lists::choose(const StateVersions &versions) {
  for (BlockArgument argument : loop.getBeforeArguments()) {
    if (!isTensor(argument)) {
      carriedScalars.push_back(argument.getArgNumber());
      continue;
    }
    std::optional<unsigned> version = findVersion(versions, argument);
    if (version)
      taken.insert(*version);
    positions.push_back({argument.getArgNumber(), version});
  }
  for (Position &position : positions) {
    BlockArgument argument = loop.getBeforeArguments()[*position.carried];
    if (position.passed || versions.contains(argument))
      continue;
    position.passed = findReplacement(argument);
    if (position.passed)
      taken.insert(*position.passed);
  }
  for (auto [number, value] :
       llvm::enumerate(loop.getConditionOp().getArgs())) {
    if (!isTensor(value)) {
      passedScalars.push_back(number);
      continue;
    }
    if (taken.contains(number))
      continue;
    if (!cast<TensorType>(value.getType()).hasStaticShape())
      return false;
    positions.push_back({std::nullopt, number});
  }
  return true;
}

bool Lists::isAligned() const {
  return llvm::all_of(positions, [](const Position &position) {
    return position.carried && position.carried == position.passed;
  });
}

/// Replaces the arguments of `region` by those of `list`: their old numbers, or
/// none for a new one, and their types.
static void
replaceArguments(Region &region,
                 ArrayRef<std::pair<std::optional<unsigned>, Type>> list) {
  Block &block = region.front();
  unsigned numOld = block.getNumArguments();
  for (auto [old, type] : list) {
    BlockArgument argument =
        block.addArgument(type, region.getParentOp()->getLoc());
    if (old)
      block.getArgument(*old).replaceAllUsesWith(argument);
  }
  block.eraseArguments(0, numOld);
}

void Lists::rebuild(OpBuilder &b) {
  scf::ConditionOp condition = loop.getConditionOp();
  scf::YieldOp yield = loop.getYieldOp();
  SmallVector<std::pair<std::optional<unsigned>, Type>> carried, passed;
  for (const Position &position : positions) {
    Type type = position.carried
                    ? loop.getInits()[*position.carried].getType()
                    : condition.getArgs()[*position.passed].getType();
    carried.push_back({position.carried, type});
    passed.push_back({position.passed, type});
  }
  for (unsigned number : carriedScalars)
    carried.push_back({number, loop.getInits()[number].getType()});
  for (unsigned number : passedScalars)
    passed.push_back({number, condition.getArgs()[number].getType()});

  b.setInsertionPoint(loop);
  SmallVector<Value> inits;
  for (auto [old, type] : carried)
    inits.push_back(
        old ? loop.getInits()[*old]
            : bufferization::AllocTensorOp::create(
                  b, loop.getLoc(), cast<RankedTensorType>(type), ValueRange())
                  .getResult());
  replaceArguments(loop.getBefore(), carried);
  replaceArguments(loop.getAfter(), passed);
  // A new position passes on what it finds.
  auto select = [](auto &list, ValueRange operands, Block *block) {
    SmallVector<Value> values;
    for (auto [position, entry] : llvm::enumerate(list))
      values.push_back(entry.first ? operands[*entry.first]
                                   : Value(block->getArgument(position)));
    return values;
  };
  condition.getArgsMutable().assign(
      select(passed, condition.getArgs(), loop.getBeforeBody()));
  yield.getResultsMutable().assign(
      select(carried, yield.getResults(), loop.getAfterBody()));

  auto types = llvm::to_vector(llvm::make_second_range(passed));
  auto aligned = scf::WhileOp::create(b, loop.getLoc(), types, inits);
  aligned->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  aligned.getBefore().takeBody(loop.getBefore());
  aligned.getAfter().takeBody(loop.getAfter());
  for (auto [position, entry] : llvm::enumerate(passed))
    if (entry.first)
      loop.getResult(*entry.first)
          .replaceAllUsesWith(aligned.getResult(position));
  loop.erase();
}
