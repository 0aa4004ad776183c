//===- ProfileGPULaunches.cpp - Measure each launch of a step -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "flywheel/Codegen/GPU/RuntimeCalls.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Profile/ProfilePasses.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_PROFILEGPULAUNCHES
#include "flywheel/Profile/ProfilePasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Returns the ops of the source that a launch computes, each with its place.
static std::vector<std::string> collectSources(gpu::LaunchFuncOp launch) {
  std::vector<std::string> sources;
  auto add = [&](Location part) {
    StringRef name = getOpName(part);
    std::string place = formatPlace(part, launch);
    if (name.empty() && place.empty())
      return;
    std::string source =
        name.str() + (name.empty() || place.empty() ? "" : " at ") + place;
    if (!llvm::is_contained(sources, source))
      sources.push_back(source);
  };
  // Groups that share a launch have one location each.
  auto fused = dyn_cast<FusedLoc>(launch.getLoc());
  if (!fused || fused.getMetadata()) {
    add(launch.getLoc());
    return sources;
  }
  for (Location part : fused.getLocations())
    add(part);
  return sources;
}

static std::string getPhase(gpu::LaunchFuncOp launch) {
  if (isMarkedBackward(launch.getLoc()))
    return "backward";
  StringRef dialect = getSourceOpName(launch).split('.').first;
  return dialect == train::TrainDialect::getDialectNamespace() ? "update"
                                                               : "forward";
}

static ManifestKernel describe(gpu::LaunchFuncOp launch) {
  ManifestKernel kernel;
  kernel.name = nameKernel(getSourceOpName(launch), launch.getLoc());
  kernel.phase = getPhase(launch);
  kernel.sources = collectSources(launch);
  auto traffic = launch->getAttrOfType<codegen::TrafficAttr>(
      codegen::CodegenDialect::getTrafficAttrName());
  // Sizes that the call chooses are not included.
  bool isKnown = llvm::all_of(launch.getKernelOperands(), [](Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    return !type || type.hasStaticShape();
  });
  if (!traffic || !isKnown)
    return kernel;
  auto constant = [&](int64_t number) {
    return AffineMap::get(0, 0,
                          getAffineConstantExpr(number, launch.getContext()));
  };
  kernel.flops = constant(traffic.getFlops());
  kernel.bytes = constant(traffic.getRead() + traffic.getWritten());
  return kernel;
}

/// Returns the call that gets the state; null if there is none.
static func::CallOp findStateCall(func::FuncOp kernel) {
  func::CallOp found;
  kernel.walk([&](func::CallOp call) {
    if (!found && call.getCallee() == "flywheel_gpu_state")
      found = call;
  });
  return found;
}

namespace {
struct ProfileGPULaunches
    : flywheel::impl::ProfileGPULaunchesBase<ProfileGPULaunches> {
  using ProfileGPULaunchesBase::ProfileGPULaunchesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<KernelTable> table = KernelTable::begin(module, events);
    if (failed(table))
      return signalPassFailure();
    std::vector<func::CallOp> begins;
    for (ManifestEntry &entry : table->manifest.entries) {
      auto kernel = module.lookupSymbol<func::FuncOp>(entry.name + ".kernel");
      func::CallOp state = kernel ? findStateCall(kernel) : func::CallOp();
      if (!state)
        continue;
      begins.push_back(state);
      kernel.walk([&](gpu::LaunchFuncOp launch) {
        measure(launch, table->add(entry, describe(launch)));
      });
    }
    for (func::CallOp begin : begins)
      addBegin(begin, table->profile);
    if (failed(table->attachTo(module)))
      return signalPassFailure();
  }

private:
  void measure(gpu::LaunchFuncOp launch, int64_t number) {
    OpBuilder b(launch);
    RuntimeCalls runtime(getOperation(), b, launch.getLoc());
    runtime.call("measure", {}, runtime.index(number));
    ++numLaunches;
  }

  /// Begins the profile, which is in the block of the host, after the part that
  /// the device mirrors.
  void addBegin(func::CallOp state, const ManifestProfile &profile) {
    OpBuilder b(state->getContext());
    b.setInsertionPointAfter(state);
    Location loc = state.getLoc();
    RuntimeCalls runtime(getOperation(), b, loc);
    Value place = arith::AddIOp::create(b, loc, state.getOperand(0),
                                        runtime.index(profile.offset));
    runtime.call("profile", {},
                 {place, runtime.index(ManifestProfile::kCountersOffset),
                  runtime.index(profile.getEventsOffset()),
                  runtime.index(profile.events)});
  }
};
} // namespace
