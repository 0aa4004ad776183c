//===- ArgumentChecks.cpp - Checks of arguments ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Dialect/Train/Train.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace flywheel {

/// Returns bytes of an element, a power of two.
static int64_t getBytesOfElement(const ManifestArgument &argument) {
  Type element = train::getStorageElementType(argument.type.getElementType());
  return element.isIndex()
             ? 8
             : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Emits the size of a feed or result in bytes.
Value EntryPointBuilder::emitByteSize(const ManifestArgument &argument,
                                      Value dimSizes) {
  int64_t known = getBytesOfElement(argument);
  Value size;
  for (auto [dimSize, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols)) {
    if (symbol < 0) {
      known *= dimSize;
      continue;
    }
    Value factor = load(i64, this->element(i64, dimSizes, symbol));
    size = size ? multiply(size, factor) : factor;
  }
  Value rest = constant(i64, known);
  return size ? multiply(size, rest) : rest;
}

/// Adds a failure for dimension sizes with which the bytes of a feed or result
/// of the caller overflow; adds none if that is impossible up to their bounds.
void EntryPointBuilder::checkNumBytes(const ManifestEntry &entry,
                                      const ManifestArgument &argument,
                                      Value dimSizes, const Twine &message,
                                      Failures &failures) {
  CheckedSize known = getNumBytes(argument.type), largest = known;
  SmallVector<int64_t> dynamic;
  for (int64_t symbol : argument.symbols)
    if (symbol >= 0) {
      dynamic.push_back(symbol);
      largest *= bounds.lookup(entry.symbols[symbol]);
    }
  if (!largest.isTooLarge())
    return;
  Value size = constant(i64, known.getSaturated());
  Value isTooLarge = constant(i1, 0);
  // Upstream's wide product would be one of 128 bits: on small targets a call
  // of a library, which this intrinsic is not.
  auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, i1});
  for (int64_t symbol : dynamic) {
    Value factor = load(i64, element(i64, dimSizes, symbol));
    Value product =
        LLVM::UMulWithOverflowOp::create(b, loc, pair, size, factor);
    size = LLVM::ExtractValueOp::create(b, loc, product, ArrayRef<int64_t>{0});
    isTooLarge = either(isTooLarge, LLVM::ExtractValueOp::create(
                                        b, loc, product, ArrayRef<int64_t>{1}));
  }
  Value isAbove =
      compare(arith::CmpIPredicate::ugt, size, constant(i64, kMaxSize));
  failures.push_back(
      {either(isTooLarge, isAbove), getStatus(StatusKind::DimSize, message)});
}

/// Emits an i1 that is true if two buffers share a byte. Neither wraps around
/// the end of the address space.
Value EntryPointBuilder::emitOverlap(const Buffer &one, const Buffer &other) {
  auto reaches = [&](const Buffer &lower, const Buffer &upper) {
    return compare(arith::CmpIPredicate::ult, getAddress(upper.pointer),
                   add(getAddress(lower.pointer), lower.bytes));
  };
  Value meet = both(reaches(one, other), reaches(other, one));
  return both(meet, both(isNot(one.bytes, 0), isNot(other.bytes, 0)));
}

Value EntryPointBuilder::getFeedTable(
    const ManifestEntry &entry, StringRef suffix,
    function_ref<int64_t(const ManifestArgument &)> value) {
  if (static_cast<int64_t>(entry.feeds.size()) < kMinLooped)
    return {};
  SmallVector<int64_t> values;
  for (const ManifestArgument &feed : entry.feeds) {
    if (llvm::any_of(feed.symbols, [](int64_t symbol) { return symbol >= 0; }))
      return {};
    values.push_back(value(feed));
  }
  std::string symbol = (getPackedSymbol(manifest, entry) + suffix).str();
  auto [it, isNew] = feedTables.try_emplace(symbol);
  if (isNew)
    it->second = addTable<int64_t>(symbol, values);
  return getAddressOf(it->second);
}

bool EntryPointBuilder::checkFeeds(const ManifestEntry &entry, Value feeds,
                                   Value sizes, Value alignments,
                                   ArrayRef<ManifestMessage> messages,
                                   FeedCheck check, Failures &failures) {
  std::optional<int32_t> base = getStatuses(messages);
  if (!base)
    return false;
  int64_t count = entry.feeds.size(), numChecks = messages.size() / count;
  // From the last feed to the first, so that the status of the first one
  // remains.
  Value status = emitFold(
      constant(i64, count), constant(i32, 0), [&](Value index, Value found) {
        Value at = subtract(constant(i64, count - 1), index);
        SmallVector<Value> conditions =
            check({load(ptr, element(ptr, feeds, at)),
                   load(i64, element(i64, sizes, at)),
                   load(i64, element(i64, alignments, at))});
        Value first = add(constant(i32, *base),
                          multiply(arith::TruncIOp::create(b, loc, i32, at),
                                   constant(i32, numChecks)));
        for (int64_t number = numChecks; number-- > 0;)
          found = select(conditions[number], add(first, constant(i32, number)),
                         found);
        return found;
      });
  failures.push_back({isNot(status, 0), 0, status});
  return true;
}

void EntryPointBuilder::checkEachFeed(const ManifestEntry &entry, Value feeds,
                                      Value dimSizes,
                                      ArrayRef<ManifestMessage> messages,
                                      FeedCheck check, Failures &failures) {
  Value sizes = getFeedTable(entry, ".feed_bytes",
                             [](const ManifestArgument &feed) -> int64_t {
                               return getNumBytes(feed.type).getSaturated();
                             });
  Value alignments = getFeedTable(entry, ".feed_alignments", getBytesOfElement);
  if (sizes &&
      checkFeeds(entry, feeds, sizes, alignments, messages, check, failures))
    return;
  for (auto [index, feed] : llvm::enumerate(entry.feeds))
    for (Value condition : check({load(ptr, element(ptr, feeds, index)),
                                  emitByteSize(feed, dimSizes),
                                  constant(i64, getBytesOfElement(feed))})) {
      failures.push_back(
          {condition, getStatus(messages.front().kind, messages.front().text)});
      messages = messages.drop_front();
    }
}

static std::string describe(StringRef kind, const ManifestArgument &argument,
                            const ManifestEntry &entry) {
  return (kind + " '" + argument.name + "' of '" + entry.name + "'").str();
}

static std::string refusePlaceInBlock(const ManifestArgument &result,
                                      const ManifestEntry &entry) {
  return "expected " + describe("result", result, entry) +
         " outside the block of the state, found a pointer into it";
}

void EntryPointBuilder::checkWorkspace(const ManifestEntry &entry, Value state,
                                       Value feeds, Value dimSizes,
                                       Value results, Failures &failures) {
  int64_t offset = getCWorkspaceOffset(manifest);
  int64_t bytes = getCStateBytes(manifest, bounds).getSaturated() - offset;
  if (bytes <= 0)
    return;
  Buffer workspace = {offsetBy(state, offset), constant(i64, bytes)};
  std::vector<ManifestMessage> messages;
  for (const ManifestArgument &feed : entry.feeds)
    messages.push_back(
        {StatusKind::Overlap, "expected " + describe("feed", feed, entry) +
                                  " outside the workspace in the block of the "
                                  "state, found a pointer into it"});
  if (!messages.empty())
    checkEachFeed(
        entry, feeds, dimSizes, messages,
        [&](const Buffer &feed) -> SmallVector<Value> {
          return {emitOverlap(feed, workspace)};
        },
        failures);
  for (auto [index, result] : llvm::enumerate(entry.results)) {
    Buffer buffer = {load(ptr, element(ptr, results, index)),
                     emitByteSize(result, dimSizes)};
    failures.push_back(
        {emitOverlap(buffer, workspace),
         getStatus(StatusKind::Overlap, refusePlaceInBlock(result, entry))});
  }
}

EntryPointBuilder::Sizes
EntryPointBuilder::makeSizes(const ManifestEntry &entry) {
  int64_t numFeeds = entry.feeds.size(), numResults = entry.results.size();
  if (numResults < kMinLooped)
    return {};
  return {numFeeds < kMinLooped ? Value() : stackSlots(i64, numFeeds),
          stackSlots(i64, numResults)};
}

Value EntryPointBuilder::emitOverlapWithAny(const Buffer &buffer,
                                            Value pointers, Value sizes,
                                            int64_t count) {
  return emitFold(constant(i64, count), constant(i1, 0),
                  [&](Value index, Value found) {
                    Buffer other = {load(ptr, element(ptr, pointers, index)),
                                    load(i64, element(i64, sizes, index))};
                    return either(found, emitOverlap(buffer, other));
                  });
}

void EntryPointBuilder::checkPointers(const ManifestEntry &entry, Value state,
                                      Value feeds, Value dimSizes,
                                      Value results, const Sizes &sizes,
                                      Failures &failures) {
  Buffer block = {state, constant(i64, manifest.stateBytes)};
  auto fail = [&](Value condition, StatusKind kind, const Twine &message) {
    failures.push_back({condition, getStatus(kind, message)});
  };
  // The conditions under which a feed is invalid, in the order of messages.
  auto checkFeed = [&](const Buffer &given) {
    SmallVector<Value> conditions{isNull(given.pointer)};
    if (!entry.writes.empty())
      conditions.push_back(emitOverlap(given, block));
    return conditions;
  };
  std::vector<ManifestMessage> messages;
  for (const ManifestArgument &feed : entry.feeds) {
    messages.push_back(
        {StatusKind::NullArgument,
         "You must feed a value for placeholder '" + feed.name + "'"});
    if (!entry.writes.empty())
      messages.push_back({StatusKind::Overlap,
                          "expected " + describe("feed", feed, entry) +
                              " outside the block of the state, found a "
                              "pointer into it: copy the variable first"});
  }
  checkEachFeed(entry, feeds, dimSizes, messages, checkFeed, failures);
  if (sizes.feeds)
    for (auto [index, feed] : llvm::enumerate(entry.feeds))
      store(emitByteSize(feed, dimSizes), element(i64, sizes.feeds, index));
  SmallVector<Buffer> resultBuffers;
  for (auto [index, result] : llvm::enumerate(entry.results)) {
    Value pointer = load(ptr, element(ptr, results, index));
    std::string name = describe("result", result, entry);
    fail(isNull(pointer), StatusKind::NullArgument,
         "expected a buffer for " + name + ", found a null pointer");
    Buffer buffer = {pointer, emitByteSize(result, dimSizes)};
    fail(emitOverlap(buffer, block), StatusKind::Overlap,
         refusePlaceInBlock(result, entry));
    // A message and code for each pair of many would be more than all else.
    if (sizes.feeds) {
      fail(emitOverlapWithAny(buffer, feeds, sizes.feeds, entry.feeds.size()),
           StatusKind::Overlap,
           "expected " + name +
               " and all feeds in buffers of their own, found them overlap");
    } else {
      messages.clear();
      for (const ManifestArgument &feed : entry.feeds)
        messages.push_back({StatusKind::Overlap,
                            "expected " + name + " and feed '" + feed.name +
                                "' in buffers of their own, found them "
                                "overlap"});
      checkEachFeed(
          entry, feeds, dimSizes, messages,
          [&](const Buffer &given) -> SmallVector<Value> {
            return {emitOverlap(buffer, given)};
          },
          failures);
    }
    if (sizes.results) {
      store(buffer.bytes, element(i64, sizes.results, index));
      fail(emitOverlapWithAny(buffer, results, sizes.results, index),
           StatusKind::Overlap,
           "expected " + name +
               " and all other results in buffers of their own, found them "
               "overlap");
      continue;
    }
    for (auto [other, given] :
         llvm::zip(ArrayRef(entry.results).take_front(index), resultBuffers))
      fail(emitOverlap(buffer, given), StatusKind::Overlap,
           "expected " + name + " and result '" + other.name +
               "' in buffers of their own, found them overlap");
    resultBuffers.push_back(buffer);
  }
  checkAlignments(entry, feeds, dimSizes, results, failures);
}

Value EntryPointBuilder::emitAlignmentMask(Value bytes) {
  // No type of C is aligned to more than the largest: on i386 that is to 4
  // bytes. Both are powers of two.
  return both(subtract(bytes, constant(i64, 1)),
              subtract(emitAlignmentOf(i64), constant(i64, 1)));
}

Value EntryPointBuilder::emitIsUnaligned(const Buffer &buffer) {
  return isNot(
      both(getAddress(buffer.pointer), emitAlignmentMask(buffer.elementBytes)),
      0);
}

void EntryPointBuilder::checkAlignments(const ManifestEntry &entry, Value feeds,
                                        Value dimSizes, Value results,
                                        Failures &failures) {
  auto refuse = [&](StringRef kind, const ManifestArgument &argument) {
    return ManifestMessage{StatusKind::UnalignedArgument,
                           "expected " + describe(kind, argument, entry) +
                               " aligned as '" +
                               getCType(argument.type.getElementType()).str() +
                               "' is, found an address that is not"};
  };
  auto canFail = [](const ManifestArgument &argument) {
    return getBytesOfElement(argument) > 1;
  };
  std::vector<ManifestMessage> messages;
  for (const ManifestArgument &feed : entry.feeds)
    messages.push_back(refuse("feed", feed));
  if (llvm::any_of(entry.feeds, canFail))
    checkEachFeed(
        entry, feeds, dimSizes, messages,
        [&](const Buffer &feed) -> SmallVector<Value> {
          return {emitIsUnaligned(feed)};
        },
        failures);
  for (auto [index, result] : llvm::enumerate(entry.results)) {
    if (!canFail(result))
      continue;
    ManifestMessage message = refuse("result", result);
    Buffer buffer = {load(ptr, element(ptr, results, index)), Value(),
                     constant(i64, getBytesOfElement(result))};
    failures.push_back(
        {emitIsUnaligned(buffer), getStatus(message.kind, message.text)});
  }
}

} // namespace flywheel
