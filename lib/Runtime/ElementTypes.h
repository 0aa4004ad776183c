//===- ElementTypes.h - C++ types behind the dtypes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_ELEMENTTYPES_H
#define FLYWHEEL_LIB_RUNTIME_ELEMENTTYPES_H

#include "flywheel/Runtime/DType.h"
#include "flywheel/Runtime/HalfFloat.h"

#include <cassert>
#include <cstring>
#include <limits>
#include <type_traits>

namespace flywheel::runtime {

/// An element whose C++ type is its type in memory.
template <DType D, typename T> struct NativeElement {
  static constexpr DType dtype = D;
  /// The type in memory.
  using Storage = T;
  /// The type of arithmetic.
  using Value = T;
  static constexpr bool isFloat = std::is_floating_point_v<T>;
  static constexpr bool isSigned = std::is_signed_v<T>;
  /// Bits of a significand, or value bits of an integer.
  static constexpr int digits = std::numeric_limits<T>::digits;

  /// Loads an element. Neither pointer needs to be aligned.
  static Value load(const void *from) {
    Storage stored;
    std::memcpy(&stored, from, sizeof(stored));
    return stored;
  }
  static void store(void *to, Value value) {
    std::memcpy(to, &value, sizeof(value));
  }
};

/// A boolean is an unsigned integer of one bit in a byte.
struct BoolElement : NativeElement<DType::Bool, uint8_t> {
  static constexpr int digits = 1;
};

/// A 16-bit float, computed with as f32.
template <DType D, int Digits, float (*Decode)(uint16_t),
          uint16_t (*Encode)(float)>
struct HalfElement {
  static constexpr DType dtype = D;
  using Storage = uint16_t;
  using Value = float;
  static constexpr bool isFloat = true;
  static constexpr bool isSigned = true;
  static constexpr int digits = Digits;

  static Value load(const void *from) {
    return Decode(NativeElement<D, Storage>::load(from));
  }
  static void store(void *to, Value value) {
    NativeElement<D, Storage>::store(to, Encode(value));
  }
};

using F16Element = HalfElement<DType::F16, 11, halfToFloat, floatToHalf>;
using BF16Element =
    HalfElement<DType::BF16, 8, bfloat16ToFloat, floatToBFloat16>;

/// Calls \p fn with a value of the element type that describes \p dtype, which
/// is one of files.
template <typename Fn> auto dispatchDType(DType dtype, Fn fn) {
  switch (dtype) {
  case DType::Bool:
    return fn(BoolElement());
  case DType::I8:
    return fn(NativeElement<DType::I8, int8_t>());
  case DType::I16:
    return fn(NativeElement<DType::I16, int16_t>());
  case DType::I32:
    return fn(NativeElement<DType::I32, int32_t>());
  case DType::I64:
    return fn(NativeElement<DType::I64, int64_t>());
  case DType::U8:
    return fn(NativeElement<DType::U8, uint8_t>());
  case DType::U16:
    return fn(NativeElement<DType::U16, uint16_t>());
  case DType::U32:
    return fn(NativeElement<DType::U32, uint32_t>());
  case DType::U64:
    return fn(NativeElement<DType::U64, uint64_t>());
  case DType::F16:
    return fn(F16Element());
  case DType::BF16:
    return fn(BF16Element());
  case DType::F32:
    return fn(NativeElement<DType::F32, float>());
  case DType::F64:
    break;
  case DType::String:
    assert(false && "strings are not numbers");
    break;
  }
  return fn(NativeElement<DType::F64, double>());
}

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_ELEMENTTYPES_H
