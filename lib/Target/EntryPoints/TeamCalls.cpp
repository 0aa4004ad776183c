//===- TeamCalls.cpp - Calls of kernels by several workers ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caller's team calls a function for each worker. The workers' context is
// on the stack of the packed form: its own arguments, and a slot for a status.
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Model/StatusMessage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace flywheel {

namespace {
/// The slots of the workers' context, in pointers.
enum Slot : int64_t {
  kState,
  kWorkspace,
  kFeeds,
  kDimSizes,
  kResults,
  kTeam,
  kStatus,
  kNumSlots
};
} // namespace

Value EntryPointBuilder::makeContext() { return stackSlots(ptr, kNumSlots); }

Value EntryPointBuilder::emitTeamCheck(const ManifestEntry &entry, Value state,
                                       Value team) {
  std::string name = "the team of '" + entry.name + "'";
  int32_t badSize =
      getStatus(StatusKind::Team, "expected 1 to " + Twine(entry.workers) +
                                      " workers in " + name + ", found \1");
  int32_t noFunction =
      getStatus(StatusKind::Team, "expected functions 'run' and 'barrier' in " +
                                      name + ", found a null pointer");
  return emitIf(
      isNull(team), [&] { return constant(i32, 0); },
      [&] {
        Value workers = loadNumWorkers(team);
        Value isBad = compare(arith::CmpIPredicate::ugt,
                              subtract(workers, constant(i32, 1)),
                              constant(i32, entry.workers - 1));
        emitIf(isBad, [&] {
          Value number = arith::ExtSIOp::create(b, loc, i64, workers);
          store(number, state, kStateNumbersOffset);
        });
        Value isMissing = either(isNull(loadRunFunction(team)),
                                 isNull(loadBarrierFunction(team)));
        return emitFirst(
            {Failure{isBad, badSize},
             // A single worker needs neither.
             Failure{both(isNot(workers, 1), isMissing), noFunction}});
      });
}

/// Emits `M_E.work(context, worker)`, the code of each worker.
func::FuncOp EntryPointBuilder::emitWorkerBody(const ManifestEntry &entry,
                                               func::FuncOp kernel) {
  OpBuilder::InsertionGuard guard(b);
  func::FuncOp body = beginFunction(getEntrySymbol(manifest, entry) + ".work",
                                    /*resultType=*/{}, {ptr, i32});
  // Several ABIs leave it to the caller to extend an argument of 32 bits.
  body.setArgAttr(1, LLVM::LLVMDialect::getSExtAttrName(), b.getUnitAttr());
  Value context = body.getArgument(0), worker = body.getArgument(1);
  // Each thread has a mode of its own.
  Value modeSlots = stackSlots(i32, 2);
  auto get = [&](Slot slot) { return load(ptr, element(ptr, context, slot)); };
  PackedArguments arguments{get(kState),    get(kWorkspace), get(kFeeds),
                            get(kDimSizes), get(kResults),   get(kTeam)};
  Value number = arith::IndexCastOp::create(b, loc, b.getIndexType(), worker);
  Value status = emitKernelCall(entry, kernel, arguments,
                                loadFeeds(entry, arguments.feeds),
                                Worker{number, arguments.team}, modeSlots);
  // All workers have the same one.
  emitIf(negate(isNot(worker, 0)),
         [&] { store(status, element(ptr, context, kStatus)); });
  emitReturn();
  return body;
}

Value EntryPointBuilder::emitTeamCall(const ManifestEntry &entry,
                                      func::FuncOp body,
                                      const PackedArguments &arguments,
                                      Value context) {
  int32_t notRun = getStatus(StatusKind::Team,
                             "expected the team of '" + entry.name +
                                 "' to run worker 0, found that it did not");
  Value team = arguments.team;
  Value hasTeam = emitIf(
      isNull(team), [&] { return constant(i1, 0); },
      [&] { return isNot(loadNumWorkers(team), 1); });
  auto put = [&](Value value, Slot slot) {
    store(value, element(ptr, context, slot));
  };
  put(arguments.state, kState);
  put(arguments.workspace, kWorkspace);
  put(arguments.feeds, kFeeds);
  put(arguments.dimSizes, kDimSizes);
  put(arguments.results, kResults);
  put(constant(i32, notRun), kStatus);
  emitIf(hasTeam, [&] {
    put(team, kTeam);
    callPointer(loadRunFunction(team), {team, getAddressOf(body), context});
  });
  emitIf(negate(hasTeam), [&] {
    put(nullPointer(), kTeam);
    func::CallOp::create(b, loc, body, ValueRange{context, constant(i32, 0)});
  });
  return load(i32, element(ptr, context, kStatus));
}

} // namespace flywheel
