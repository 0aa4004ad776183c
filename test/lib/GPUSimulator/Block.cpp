//===- Block.cpp - Threads that wait for each other -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include "Races.h"
#include "WarpOperations.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace simulator {

static Block *block;

/// The stack of one thread, for its variables. Pages are allocated when
/// touched.
static constexpr size_t kStackBytes = 256 << 10;

/// Bytes from one stack to the next, which begins with a page that nothing may
/// touch.
static size_t getStackStride() {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return page + kStackBytes;
}

/// The stacks of all threads that a block can have.
static char *getStacks() {
  static char *const stacks = [] {
    size_t stride = getStackStride();
    void *mapped = mmap(nullptr, kMaxThreads * stride, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
      report_fatal_error("no memory for the stacks of threads");
    auto *begin = static_cast<char *>(mapped);
    for (uint32_t i = 0; i < kMaxThreads; ++i)
      mprotect(begin + i * stride, stride - kStackBytes, PROT_NONE);
    return begin;
  }();
  return stacks;
}

static char *getStack(uint32_t thread) {
  size_t stride = getStackStride();
  return getStacks() + (thread + 1) * stride - kStackBytes;
}

bool isOnThreadStack(const void *address) {
  auto *byte = static_cast<const char *>(address);
  return block && byte >= getStacks() &&
         byte < getStacks() + kMaxThreads * getStackStride();
}

Block::Block(const Dims &size, std::vector<uint32_t> lanes,
             std::vector<uint32_t> warps)
    : threads(size_t{size[0]} * size[1] * size[2]), lanes(std::move(lanes)),
      warps(std::move(warps)) {
  Dims id = {0, 0, 0};
  for (Thread &thread : threads) {
    thread.id = id;
    for (int axis = 0; axis < 3 && ++id[axis] == size[axis]; ++axis)
      id[axis] = 0;
  }
  block = this;
}

Block::~Block() { block = nullptr; }

void Block::enterThread() {
  block->kernel->call(block->arguments);
  block->current->state = Thread::Ended;
  block->suspend();
}

void Block::resume(Thread &thread) {
  current = &thread;
  getRegisters().thread = thread.id;
  switchContext(scheduler, thread.context);
}

void Block::suspend() { switchContext(current->context, scheduler); }

void Block::run(const Kernel &kernel, void **arguments) {
  this->kernel = &kernel;
  this->arguments = arguments;
  for (auto [number, thread] : enumerate(threads)) {
    // Tops of stacks that lie apart do not share lines of the cache.
    size_t offset = number % 64 * 64;
    thread.context.prepare(getStack(static_cast<uint32_t>(number)),
                           kStackBytes - offset, enterThread);
    thread.state = Thread::Ready;
  }
  for (Barrier &barrier : barriers)
    barrier = {};
  for (;;) {
    bool isRunning = false;
    for (uint32_t warp : warps)
      if (warp < numWarps())
        isRunning |= runWarp(warp);
    if (!isRunning)
      break;
  }
  if (any_of(threads, [](const Thread &thread) {
        return thread.state != Thread::Ended;
      }))
    failForDeadlock();
}

bool Block::runWarp(uint32_t warp) {
  Thread *first = lanesOf(warp);
  uint32_t count = numLanes(warp);
  bool isRunning = false;
  do {
    for (uint32_t lane : lanes)
      if (lane < count && first[lane].state == Thread::Ready) {
        resume(first[lane]);
        isRunning = true;
      }
  } while (executeOperations(warp));
  return isRunning;
}

bool Block::executeOperations(uint32_t warp) {
  Thread *first = lanesOf(warp);
  uint32_t count = numLanes(warp), waiting = 0, ended = 0;
  for (uint32_t lane = 0; lane < count; ++lane) {
    waiting |= uint32_t{first[lane].state == Thread::InOperation} << lane;
    ended |= uint32_t{first[lane].state == Thread::Ended} << lane;
  }
  uint32_t existing = count == kWarpSize ? ~0U : (1U << count) - 1;
  bool isExecuted = false;
  while (waiting) {
    const Thread &leader = first[countr_zero(waiting)];
    WarpGroup group;
    for (uint32_t lane = 0; lane < count; ++lane) {
      const Thread &thread = first[lane];
      if (!(waiting >> lane & 1) || thread.number != leader.number ||
          thread.mask != leader.mask || thread.site != leader.site)
        continue;
      group.mask |= 1U << lane;
      group.operands[lane] = thread.operands;
      group.results[lane] = thread.results;
    }
    waiting &= ~group.mask;
    // Lanes that have ended are not waited for, but where all are needed.
    const WarpOperation &operation = getWarpOperations()[leader.number];
    uint32_t needed = ~0U;
    if (operation.maskOperand >= 0)
      needed = leader.mask & existing & ~ended;
    else if (operation.maskOperand == WarpOperation::kLanesThatCame)
      needed = group.mask;
    if (group.mask != needed)
      continue;
    group.firstThread = warp * kWarpSize;
    operation.execute(group);
    if (Races *races = Races::get(); races && operation.isBarrier) {
      Times known;
      for (uint32_t lane = 0; lane < count; ++lane)
        if (group.has(lane))
          races->getClocks().arrive(group.firstThread + lane, known);
      for (uint32_t lane = 0; lane < count; ++lane)
        if (group.has(lane))
          races->getClocks().leave(group.firstThread + lane, known);
    }
    for (uint32_t lane = 0; lane < count; ++lane)
      if (group.has(lane))
        first[lane].state = Thread::Ready;
    isExecuted = true;
  }
  return isExecuted;
}

void waitForWarp(uint32_t operation, uint32_t site, uint32_t mask,
                 const uint32_t *operands, uint32_t *results) {
  Thread &thread = *block->current;
  uint32_t lane = block->numberOf(thread) % kWarpSize;
  const WarpOperation &executed = getWarpOperations()[operation];
  if (executed.maskOperand >= 0 && !(mask >> lane & 1))
    fail(executed.name.str() + " of lane " + std::to_string(lane) +
         ", which is not in the mask of lanes " + utohexstr(mask));
  thread.state = Thread::InOperation;
  thread.number = operation;
  thread.site = site;
  thread.mask = mask;
  thread.operands = operands;
  thread.results = results;
  block->suspend();
}

/// The predicates of a barrier together.
static uint32_t combine(BarrierKind kind, uint32_t numTrue, uint32_t num) {
  switch (kind) {
  case BarrierKind::Count:
    return numTrue;
  case BarrierKind::And:
    return numTrue == num;
  case BarrierKind::Or:
    return numTrue != 0;
  default:
    return 0;
  }
}

void Block::arrive(Barrier &barrier, uint32_t expected) {
  if (barrier.arrived && barrier.expected != expected)
    fail("a barrier of " + std::to_string(expected) +
         " threads, where others wait for " + std::to_string(barrier.expected));
  barrier.expected = expected;
  ++barrier.arrived;
  if (Races *races = Races::get(); races && expected != threads.size())
    races->getClocks().arrive(numberOf(*current), barrier.known);
}

void Block::open(uint32_t number) {
  uint32_t numWaiting = 0, numTrue = 0;
  const Thread *before = nullptr;
  auto isHere = [&](const Thread &thread) {
    return thread.state == Thread::AtBarrier && thread.number == number;
  };
  for (const Thread &thread : threads) {
    if (!isHere(thread))
      continue;
    ++numWaiting;
    numTrue += thread.predicate;
    if (before &&
        numberOf(*before) / kWarpSize == numberOf(thread) / kWarpSize &&
        before->site != thread.site)
      fail("threads " + std::to_string(numberOf(*before)) + " and " +
           std::to_string(numberOf(thread)) + " of one warp come to barrier " +
           std::to_string(number) + " at different instructions");
    before = &thread;
  }
  Races *races = Races::get();
  bool isOfAll = barriers[number].expected == threads.size();
  if (races && isOfAll)
    races->getClocks().passBarrier();
  for (Thread &thread : threads) {
    if (!isHere(thread))
      continue;
    thread.result = combine(thread.kind, numTrue, numWaiting);
    thread.state = Thread::Ready;
    if (races && !isOfAll)
      races->getClocks().leave(numberOf(thread), barriers[number].known);
  }
  barriers[number] = {};
}

uint32_t waitAtBarrier(uint32_t kind, uint32_t site, uint32_t number,
                       uint32_t expected, uint32_t predicate) {
  Thread &thread = *block->current;
  auto numThreads = static_cast<uint32_t>(block->threads.size());
  if (number >= Block::kNumBarriers)
    fail("barrier " + std::to_string(number) + " of 16");
  if (expected % kWarpSize != 0 ||
      expected > (numThreads + kWarpSize - 1) / kWarpSize * kWarpSize)
    fail("a barrier of " + std::to_string(expected) +
         " threads: expected a multiple of 32 up to the block's " +
         std::to_string(numThreads));
  Block::Barrier &barrier = block->barriers[number];
  block->arrive(barrier, expected ? expected : numThreads);
  thread.kind = static_cast<BarrierKind>(kind);
  if (thread.kind != BarrierKind::Arrive) {
    thread.state = Thread::AtBarrier;
    thread.number = number;
    thread.site = site;
    thread.predicate = predicate & 1;
  }
  if (barrier.arrived == barrier.expected)
    block->open(number);
  if (thread.kind != BarrierKind::Arrive)
    block->suspend();
  return thread.result;
}

static std::string describe(const Thread &thread) {
  std::string id = print(thread.id);
  switch (thread.state) {
  case Thread::Ended:
    return "thread " + id + " has ended";
  case Thread::AtBarrier:
    return "thread " + id + " waits at barrier " +
           std::to_string(thread.number);
  case Thread::InOperation:
    return "thread " + id + " waits in " +
           getWarpOperations()[thread.number].name.str() + ", instruction " +
           std::to_string(thread.site) + ", for lanes " +
           utohexstr(thread.mask ? thread.mask : ~0U);
  case Thread::Ready:
    return "thread " + id + " runs";
  }
  llvm_unreachable("all states are named");
}

void Block::failForDeadlock() {
  const Thread &first = *find_if(threads, [](const Thread &thread) {
    return thread.state != Thread::Ended;
  });
  getRegisters().thread = first.id;
  // One that the first one waits for: of its warp or of the block.
  bool isInWarp = first.state == Thread::InOperation;
  uint32_t warp = numberOf(first) / kWarpSize;
  for (auto [number, thread] : enumerate(threads)) {
    if (isInWarp && number / kWarpSize != warp)
      continue;
    if (isInWarp && first.mask && !(first.mask >> number % kWarpSize & 1))
      continue;
    if (thread.state != first.state || thread.number != first.number ||
        (isInWarp && (thread.mask != first.mask || thread.site != first.site)))
      fail("threads wait for ever: " + describe(first) + ", and " +
           describe(thread));
  }
  fail("threads wait for ever: " + describe(first) +
       ", and there are not as "
       "many threads");
}

} // namespace simulator
