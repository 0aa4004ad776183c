//===- Convert.cpp - Exact conversions between dtypes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include "ElementTypes.h"
#include "flywheel/Runtime/Dataset.h"

#include <cmath>

using namespace flywheel::runtime;

/// True when every value of the dtype From is a value of the dtype To.
template <typename From, typename To> static constexpr bool isLossless() {
  if constexpr (From::dtype == To::dtype)
    return true;
  else if constexpr (From::isFloat)
    // Among the floats more significand bits also mean a wider exponent,
    // except from BF16 to F16.
    return To::isFloat && To::digits > From::digits &&
           !(From::dtype == DType::BF16 && To::dtype == DType::F16);
  else
    return To::digits >= From::digits && (To::isSigned || !From::isSigned);
}

/// Returns the bits from the highest to the lowest that is set.
static int significantBits(uint64_t magnitude) {
  if (magnitude == 0)
    return 0;
  while (!(magnitude & 1))
    magnitude >>= 1;
  int bits = 0;
  for (; magnitude; magnitude >>= 1)
    ++bits;
  return bits;
}

template <typename From, typename To>
static bool isRepresentable(typename From::Value value) {
  if constexpr (From::dtype == DType::Bool) {
    return value <= 1;
  } else if constexpr (From::isFloat && To::isFloat) {
    double wide = value;
    if (!std::isfinite(wide))
      return true;
    // A cast to a narrower type is only defined in its range.
    if constexpr (sizeof(typename To::Value) < sizeof(typename From::Value))
      if (std::fabs(wide) > std::numeric_limits<typename To::Value>::max())
        return false;
    typename To::Storage stored;
    To::store(&stored, typename To::Value(value));
    return double(To::load(&stored)) == wide;
  } else if constexpr (From::isFloat) {
    double wide = value;
    double limit = std::ldexp(1.0, To::digits);
    double lowest = To::isSigned ? -limit : 0.0;
    return wide >= lowest && wide < limit && wide == std::trunc(wide);
  } else {
    bool isNegative = From::isSigned && value < typename From::Value(0);
    uint64_t magnitude = isNegative ? -uint64_t(value) : uint64_t(value);
    if constexpr (To::isFloat) {
      if (To::dtype == DType::F16 && magnitude > 65504)
        return false;
      return significantBits(magnitude) <= To::digits;
    } else {
      uint64_t limit =
          To::digits == 64 ? UINT64_MAX : (uint64_t(1) << To::digits % 64) - 1;
      if (isNegative)
        return To::isSigned && magnitude <= limit + 1;
      return magnitude <= limit;
    }
  }
}

template <typename From, typename To>
static void convertElements(const std::byte *from, std::byte *to,
                            size_t count) {
  if constexpr (From::dtype == To::dtype) {
    if (count)
      std::memcpy(to, from, count * sizeof(typename From::Storage));
  } else {
    for (size_t i = 0; i < count; ++i)
      To::store(to + i * sizeof(typename To::Storage),
                typename To::Value(
                    From::load(from + i * sizeof(typename From::Storage))));
  }
}

template <typename From, typename To>
static size_t findInexactElement(const std::byte *data, size_t count) {
  // The bytes of a Bool are checked even so: files can hold any byte.
  if constexpr (isLossless<From, To>() && From::dtype != DType::Bool)
    return count;
  for (size_t i = 0; i < count; ++i)
    if (!isRepresentable<From, To>(
            From::load(data + i * sizeof(typename From::Storage))))
      return i;
  return count;
}

/// Calls \p fn with both element types.
template <typename Fn> static auto dispatchPair(DType from, DType to, Fn fn) {
  return dispatchDType(from, [&](auto source) {
    return dispatchDType(to, [&](auto target) { return fn(source, target); });
  });
}

bool flywheel::runtime::isLosslessConversion(DType from, DType to) {
  return dispatchPair(from, to, [](auto source, auto target) {
    return isLossless<decltype(source), decltype(target)>();
  });
}

ConvertFn flywheel::runtime::getConversion(DType from, DType to) {
  return dispatchPair(from, to, [](auto source, auto target) -> ConvertFn {
    return convertElements<decltype(source), decltype(target)>;
  });
}

size_t flywheel::runtime::findInexact(DType from, DType to,
                                      const std::byte *data, size_t count) {
  return dispatchPair(from, to, [&](auto source, auto target) {
    return findInexactElement<decltype(source), decltype(target)>(data, count);
  });
}
