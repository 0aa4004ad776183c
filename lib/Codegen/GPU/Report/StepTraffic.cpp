//===- StepTraffic.cpp - Bytes that a step moves, and has to move ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch reads each of its buffers from memory at least once, and writes each
// of its results there. The traffic of all launches of a step is compared with
// the least possible one: a result is written once, and read once by all
// launches that are independent of each other, as one launch could compute
// them. Launches that depend on each other, directly or not, are a chain, and
// each of them reads for itself.
//
//===----------------------------------------------------------------------===//

#include "StepTraffic.h"
#include "LaunchTraffic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace flywheel;

namespace {
/// The launches of a function, in their order.
class StepTraffic {
public:
  explicit StepTraffic(func::FuncOp function);

  void report(func::FuncOp function, const AssumedSizes &assumed) const;

private:
  using Launch = SmallVector<BufferTraffic>;

  void addLaunch(const Launch &launch);

  std::vector<Launch> launches;
  /// The launches that each launch depends on.
  std::vector<llvm::BitVector> needed;
  struct Access {
    unsigned launch;
    int64_t read, written;
  };
  llvm::MapVector<Value, SmallVector<Access>> buffers;
};
} // namespace

StepTraffic::StepTraffic(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isGroup = isa<scf::ForallOp>(op);
    if (isGroup || isa<linalg::LinalgOp>(op))
      addLaunch(measureBuffers(op));
    else
      for (const LaunchWork &work : measureLaunches(op))
        for (int64_t time = 0; time < work.times; ++time)
          addLaunch(work.buffers);
    return isGroup ? WalkResult::skip() : WalkResult::advance();
  });
}

void StepTraffic::addLaunch(const Launch &launch) {
  unsigned number = launches.size();
  llvm::BitVector all(number + 1);
  for (const BufferTraffic &traffic : launch)
    for (const Access &access : buffers[traffic.buffer])
      if (access.launch != number &&
          (traffic.written != 0 || access.written != 0)) {
        all |= needed[access.launch];
        all.set(access.launch);
      }
  for (const BufferTraffic &traffic : launch)
    buffers[traffic.buffer].push_back({number, traffic.read, traffic.written});
  needed.push_back(all);
  launches.push_back(launch);
}

void StepTraffic::report(func::FuncOp function,
                         const AssumedSizes &assumed) const {
  if (launches.empty())
    return;
  uint64_t moved = 0, chained = 0, once = 0;
  for (const auto &[buffer, accesses] : buffers) {
    uint64_t written = 0, most = 0, longest = 0;
    // Bytes that the heaviest chain of launches until each reads.
    SmallVector<uint64_t> chains;
    for (const Access &access : accesses) {
      uint64_t before = 0;
      if (access.read != 0)
        for (auto [other, chain] : llvm::zip(accesses, chains))
          if (other.launch != access.launch &&
              needed[access.launch].size() > other.launch &&
              needed[access.launch].test(other.launch))
            before = std::max(before, chain);
      chains.push_back(access.read == 0 ? 0 : before + access.read);
      longest = std::max(longest, chains.back());
      most = std::max<uint64_t>(most, access.read);
      moved += access.read + access.written;
      written += access.written;
    }
    written = std::min<uint64_t>(written, countBufferBytes(buffer));
    chained += longest + written;
    once += most + written;
  }
  StringRef name = function.getName();
  name.consume_back(".kernel");
  auto ratio = [&](uint64_t bound) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(
        "%.2f", static_cast<double>(moved) /
                    static_cast<double>(std::max<uint64_t>(bound, 1)));
    return text;
  };
  function.emitRemark() << "the launches of '" << name << "' move " << moved
                        << " bytes at least" << assumed.describe() << ", "
                        << ratio(chained)
                        << " times those that their chains need, "
                        << ratio(once) << " times each buffer once";
}

void flywheel::reportStepTraffic(func::FuncOp function,
                                 const AssumedSizes &assumed) {
  StepTraffic(function).report(function, assumed);
}
