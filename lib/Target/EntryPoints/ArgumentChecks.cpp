//===- ArgumentChecks.cpp - What a caller gives ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Dialect/Train/Train.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace flywheel {

/// The size of a feed or result in bytes.
Value EntryPointBuilder::emitByteSize(const ManifestArgument &argument,
                                      Value dimSizes) {
  Type element = train::getStorageElementType(argument.type.getElementType());
  int64_t known = element.isIndex()
                      ? 8
                      : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
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

/// Adds a failure where the bytes of a feed or result of the caller cannot be
/// counted; none where no dimension sizes up to their bounds can make them that
/// many.
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
  failures.push_back({either(isTooLarge, isAbove),
                      getStatus(StatusKind::InvalidArgument, message)});
}

/// Whether two buffers share a byte. Neither goes around the end of the address
/// space.
Value EntryPointBuilder::emitOverlap(const Buffer &one, const Buffer &other) {
  auto reaches = [&](const Buffer &lower, const Buffer &upper) {
    return compare(arith::CmpIPredicate::ult, getAddress(upper.pointer),
                   add(getAddress(lower.pointer), lower.bytes));
  };
  Value meet = both(reaches(one, other), reaches(other, one));
  return both(meet, both(isNot(one.bytes, 0), isNot(other.bytes, 0)));
}

void EntryPointBuilder::checkPointers(const ManifestEntry &entry, Value state,
                                      Value feeds, Value dimSizes,
                                      Value results, Failures &failures) {
  Buffer block = {state, constant(i64, manifest.stateBytes)};
  auto describe = [&](StringRef kind, const ManifestArgument &argument) {
    return (kind + " '" + argument.name + "' of '" + entry.name + "'").str();
  };
  auto fail = [&](Value condition, const Twine &message) {
    failures.push_back(
        {condition, getStatus(StatusKind::InvalidArgument, message)});
  };
  SmallVector<Buffer> feedBuffers, resultBuffers;
  for (auto [index, feed] : llvm::enumerate(entry.feeds)) {
    Value pointer = load(ptr, element(ptr, feeds, index));
    fail(isNull(pointer),
         "You must feed a value for placeholder '" + feed.name + "'");
    feedBuffers.push_back({pointer, emitByteSize(feed, dimSizes)});
    if (!entry.writes.empty())
      fail(emitOverlap(feedBuffers.back(), block),
           "expected " + describe("feed", feed) +
               " outside the block of the state, found a pointer into it: copy "
               "the variable first");
  }
  for (auto [index, result] : llvm::enumerate(entry.results)) {
    Value pointer = load(ptr, element(ptr, results, index));
    fail(isNull(pointer), "expected a buffer for " +
                              describe("result", result) +
                              ", found a null pointer");
    Buffer buffer = {pointer, emitByteSize(result, dimSizes)};
    std::string name = describe("result", result);
    fail(emitOverlap(buffer, block),
         "expected " + name +
             " outside the block of the state, found a pointer into it");
    for (auto [feed, given] : llvm::zip_equal(entry.feeds, feedBuffers))
      fail(emitOverlap(buffer, given),
           "expected " + name + " and feed '" + feed.name +
               "' in buffers of their own, found them overlap");
    for (auto [other, given] :
         llvm::zip(ArrayRef(entry.results).take_front(index), resultBuffers))
      fail(emitOverlap(buffer, given),
           "expected " + name + " and result '" + other.name +
               "' in buffers of their own, found them overlap");
    resultBuffers.push_back(buffer);
  }
}

} // namespace flywheel
