//===- Numbers.cpp - Numbers as elements of arrays ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Session/Numbers.h"
#include "flywheel/Runtime/HalfFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

using flywheel::runtime::DType;

namespace flywheel {

template <typename T> static void put(T value, void *out) {
  std::memcpy(out, &value, sizeof(T));
}

template <typename T> static T get(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

/// Returns `value` rounded to odd if it is inexact, so that another rounding,
/// to fewer bits, gives the same as a single rounding of `value`.
static float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (!std::isfinite(nearest) || static_cast<double>(nearest) == value)
    return nearest;
  uint32_t bits = runtime::floatToBits(nearest);
  if (bits & 1)
    return nearest;
  // The other neighbour of the value is odd.
  bool isBeyond = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return runtime::bitsToFloat(isBeyond ? bits - 1 : bits + 1);
}

/// Stores a number that an integer type may have.
template <typename T> static bool putWhole(double value, void *out) {
  // The upper bound, a power of two, is a double; the largest T may not be.
  if (value != std::floor(value) ||
      value < static_cast<double>(std::numeric_limits<T>::min()) ||
      value >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return false;
  put(static_cast<T>(value), out);
  return true;
}

template <typename T, typename From>
static bool putInteger(From value, void *out) {
  if (value < From(0)) {
    if (static_cast<int64_t>(value) <
        static_cast<int64_t>(std::numeric_limits<T>::min()))
      return false;
  } else if (static_cast<uint64_t>(value) >
             static_cast<uint64_t>(std::numeric_limits<T>::max())) {
    return false;
  }
  put(static_cast<T>(value), out);
  return true;
}

bool storeNumber(DType dtype, double value, void *out) {
  // A finite number is not to become an infinite one.
  auto keepsFinite = [&](double stored) {
    return std::isfinite(stored) || !std::isfinite(value);
  };
  switch (dtype) {
  case DType::Bool:
    return (value == 0.0 || value == 1.0) && putWhole<uint8_t>(value, out);
  case DType::I8:
    return putWhole<int8_t>(value, out);
  case DType::I16:
    return putWhole<int16_t>(value, out);
  case DType::I32:
    return putWhole<int32_t>(value, out);
  case DType::I64:
    return putWhole<int64_t>(value, out);
  case DType::U8:
    return putWhole<uint8_t>(value, out);
  case DType::U16:
    return putWhole<uint16_t>(value, out);
  case DType::U32:
    return putWhole<uint32_t>(value, out);
  case DType::U64:
    return putWhole<uint64_t>(value, out);
  case DType::F16:
    put(runtime::floatToHalf(roundToOdd(value)), out);
    break;
  case DType::BF16:
    put(runtime::floatToBFloat16(roundToOdd(value)), out);
    break;
  case DType::F32:
    put(static_cast<float>(value), out);
    break;
  case DType::F64:
    put(value, out);
    break;
  case DType::String:
    return false;
  }
  return keepsFinite(loadNumber(dtype, out));
}

template <typename From>
static bool storeWhole(DType dtype, From value, void *out) {
  switch (dtype) {
  case DType::Bool:
    return value <= From(1) && putInteger<uint8_t>(value, out);
  case DType::I8:
    return putInteger<int8_t>(value, out);
  case DType::I16:
    return putInteger<int16_t>(value, out);
  case DType::I32:
    return putInteger<int32_t>(value, out);
  case DType::I64:
    return putInteger<int64_t>(value, out);
  case DType::U8:
    return putInteger<uint8_t>(value, out);
  case DType::U16:
    return putInteger<uint16_t>(value, out);
  case DType::U32:
    return putInteger<uint32_t>(value, out);
  case DType::U64:
    return putInteger<uint64_t>(value, out);
  case DType::F16:
  case DType::BF16:
  case DType::F32:
  case DType::F64:
    break;
  case DType::String:
    return false;
  }
  // The integer as a double, and that in the type, are both exact or it is
  // not there. The double may be 2^64 or -2^63, which are beyond the integers
  // above and among those below.
  double number = static_cast<double>(value);
  bool isExact = number < std::ldexp(1.0, std::numeric_limits<From>::digits) &&
                 static_cast<From>(number) == value;
  return isExact && storeNumber(dtype, number, out) &&
         loadNumber(dtype, out) == number;
}

bool storeInteger(DType dtype, int64_t value, void *out) {
  return storeWhole(dtype, value, out);
}

bool storeInteger(DType dtype, uint64_t value, void *out) {
  return storeWhole(dtype, value, out);
}

double loadNumber(DType dtype, const void *data) {
  switch (dtype) {
  case DType::F16:
    return runtime::halfToFloat(get<uint16_t>(data));
  case DType::BF16:
    return runtime::bfloat16ToFloat(get<uint16_t>(data));
  case DType::F32:
    return get<float>(data);
  case DType::F64:
    return get<double>(data);
  default:
    return 0.0;
  }
}

} // namespace flywheel
