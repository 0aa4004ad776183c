//===- LowerProfile.cpp - Read counters and add up times ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Profile/ProfilePasses.h"
#include "flywheel/Target/EntryPoints/EntryCode.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERPROFILE
#include "flywheel/Profile/ProfilePasses.h.inc"

constexpr llvm::StringLiteral kRecordName = "profile.record";

static bool isProfileOp(Operation *op) {
  return isa<codegen::ProfileBeginOp, codegen::ProfileEndOp>(op);
}

namespace {
/// Rewrites the functions of a module.
class ProfileLowering : private EntryCode {
public:
  ProfileLowering(ModuleOp module, const ManifestProfile &profile,
                  bool isAArch64)
      : EntryCode(module), profile(profile), isAArch64(isAArch64) {}

  void lower(func::FuncOp function);

private:
  Value emitClock();
  /// Returns `profile.record(state, worker, kernel, start)`.
  func::FuncOp getRecorder();
  /// Returns the number of the worker that executes `function`, at its start.
  Value emitWorker(func::FuncOp function);
  Value emitAddress(Value state);

  ManifestProfile profile;
  bool isAArch64;
  func::FuncOp recorder;
};
} // namespace

Value ProfileLowering::emitClock() {
  if (isAArch64)
    return LLVM::InlineAsmOp::create(
               b, loc, TypeRange(i64), ValueRange(), "mrs $0, cntvct_el0", "=r",
               /*has_side_effects=*/true, /*is_align_stack=*/false,
               LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
               ArrayAttr())
        .getRes();
  return LLVM::CallIntrinsicOp::create(b, loc, i64,
                                       b.getStringAttr("llvm.readcyclecounter"),
                                       ValueRange())
      .getResult(0);
}

func::FuncOp ProfileLowering::getRecorder() {
  if (recorder)
    return recorder;
  OpBuilder::InsertionGuard guard(b);
  recorder =
      beginFunction(kRecordName, /*resultType=*/{}, {ptr, i64, i64, i64});
  recorder.setPrivate();
  Value end = emitClock();
  Value state = recorder.getArgument(0), worker = recorder.getArgument(1),
        kernel = recorder.getArgument(2), start = recorder.getArgument(3);
  Value offset = add(multiply(worker, constant(i64, profile.getStride())),
                     constant(i64, profile.offset));
  Value base = element(i8, state, offset);
  Value counters = element(
      i8, base,
      add(multiply(kernel, constant(i64, ManifestProfile::kCounterBytes)),
          constant(i64, ManifestProfile::kCountersOffset)));
  store(add(load(i64, counters), constant(i64, 1)), counters);
  store(add(load(i64, counters, 8), subtract(end, start)), counters, 8);
  Value count = load(i64, base);
  emitIf(
      compare(arith::CmpIPredicate::ult, count, constant(i64, profile.events)),
      [&] {
        Value event = element(
            i8, base,
            add(multiply(count, constant(i64, ManifestProfile::kEventBytes)),
                constant(i64, profile.getEventsOffset())));
        store(kernel, event);
        store(start, event, 8);
        store(end, event, 16);
      });
  store(add(count, constant(i64, 1)), base);
  emitReturn();
  return recorder;
}

Value ProfileLowering::emitWorker(func::FuncOp function) {
  bool isShared = function
                      .walk([](Operation *op) {
                        return isa<codegen::WorkerOp, codegen::NumWorkersOp,
                                   codegen::BarrierOp>(op)
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (!isShared)
    return constant(i64, 0);
  Value worker = codegen::WorkerOp::create(b, loc, b.getIndexType());
  return arith::IndexCastOp::create(b, loc, i64, worker);
}

Value ProfileLowering::emitAddress(Value state) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, state);
  Value number = arith::IndexCastOp::create(b, loc, i64, address);
  return LLVM::IntToPtrOp::create(b, loc, ptr, number);
}

void ProfileLowering::lower(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isProfileOp(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  b.setInsertionPointToStart(&function.getBody().front());
  Value worker = emitWorker(function);
  for (Operation *op : ops) {
    b.setInsertionPoint(op);
    if (auto begin = dyn_cast<codegen::ProfileBeginOp>(op)) {
      begin.replaceAllUsesWith(emitClock());
    } else {
      auto end = cast<codegen::ProfileEndOp>(op);
      Value kernel = constant(i64, end.getKernel());
      func::CallOp::create(b, loc, getRecorder(),
                           ValueRange{emitAddress(end.getState()), worker,
                                      kernel, end.getStart()});
    }
    op->erase();
  }
}

namespace {
struct LowerProfile : impl::LowerProfileBase<LowerProfile> {
  using LowerProfileBase::LowerProfileBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Operation *first = nullptr;
    module.walk([&](Operation *op) {
      if (isProfileOp(op))
        first = op;
      return first ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!first)
      return;
    FailureOr<Manifest> manifest = Manifest::readFrom(module);
    if (failed(manifest))
      return signalPassFailure();
    if (!manifest->profile) {
      first->emitOpError() << "expected a manifest with a profile, found none";
      return signalPassFailure();
    }
    if (Operation *other = module.lookupSymbol(kRecordName)) {
      other->emitOpError() << "expected no function '" << kRecordName
                           << "', which this pass makes";
      return signalPassFailure();
    }
    ProfileLowering lowering(module, *manifest->profile, counter == "aarch64");
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      lowering.lower(function);
  }
};
} // namespace
} // namespace flywheel
