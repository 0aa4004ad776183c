//===- CheckedSize.h - Sizes that cannot overflow ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All arithmetic on sizes (elements, bytes, offsets in a block) uses this
// class: a size that is too large stays too large, and a caller that needs the
// number must handle that.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_CHECKEDSIZE_H
#define FLYWHEEL_SUPPORT_CHECKEDSIZE_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace flywheel {

/// The largest size, of a dimension, of a tensor or of a block, in elements or
/// bytes. No address space that there is has more bytes; and sums of sizes and
/// products with a small factor, which upstream computes without a check, stay
/// far below 2^63.
constexpr int64_t kMaxSize = int64_t{1} << 56;

/// The text for `kMaxSize` in messages.
constexpr const char *kMaxSizeText = "2^56";

/// A size from 0 to `kMaxSize`, or one that is larger.
class CheckedSize {
public:
  /// \param size is not negative.
  /*implicit*/ CheckedSize(int64_t size)
      : value(std::min(static_cast<uint64_t>(size), kTooLarge)) {}

  bool isTooLarge() const { return value == kTooLarge; }
  /// Returns the size, or nullopt if it is too large.
  std::optional<int64_t> get() const {
    return isTooLarge() ? std::nullopt
                        : std::optional<int64_t>(static_cast<int64_t>(value));
  }
  /// The size, or the next above `kMaxSize` for every one that is too large:
  /// enough to compare sizes.
  int64_t getSaturated() const { return static_cast<int64_t>(value); }

  /// Nothing times any number is nothing.
  friend CheckedSize operator*(CheckedSize a, CheckedSize b) {
    return fromBits(llvm::SaturatingMultiply(a.value, b.value));
  }
  friend CheckedSize operator+(CheckedSize a, CheckedSize b) {
    return fromBits(a.value + b.value);
  }
  CheckedSize &operator*=(CheckedSize other) { return *this = *this * other; }
  CheckedSize &operator+=(CheckedSize other) { return *this = *this + other; }

  /// The next multiple of `alignment`, a small number.
  CheckedSize alignTo(int64_t alignment) const {
    return fromBits(llvm::alignTo(value, static_cast<uint64_t>(alignment)));
  }

  friend CheckedSize max(CheckedSize a, CheckedSize b) {
    return fromBits(std::max(a.value, b.value));
  }

private:
  static constexpr uint64_t kTooLarge = static_cast<uint64_t>(kMaxSize) + 1;

  static CheckedSize fromBits(uint64_t bits) {
    CheckedSize size(0);
    size.value = std::min(bits, kTooLarge);
    return size;
  }

  uint64_t value;
};

/// Returns the elements of a shape, with each dynamic dimension counted as 1.
inline CheckedSize getNumElements(llvm::ArrayRef<int64_t> shape) {
  CheckedSize count = 1;
  for (int64_t dim : shape)
    if (!mlir::ShapedType::isDynamic(dim))
      count *= dim;
  return count;
}

/// Bytes of an element in memory: a truth value takes one.
inline int64_t getElementBytes(mlir::Type element) {
  if (!element.isIntOrFloat())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Returns the bytes of a tensor or a buffer in memory, with each dynamic
/// dimension counted as 1.
inline CheckedSize getNumBytes(mlir::ShapedType type) {
  return getNumElements(type.getShape()) *
         getElementBytes(type.getElementType());
}

/// Returns true if no static dimension of `type` is too large, and neither are
/// its bytes, with each dynamic dimension counted as 1.
inline bool fitsMaxSize(mlir::ShapedType type) {
  return !getNumBytes(type).isTooLarge() &&
         llvm::all_of(type.getShape(), [](int64_t dim) {
           return mlir::ShapedType::isDynamic(dim) || dim <= kMaxSize;
         });
}

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_CHECKEDSIZE_H
